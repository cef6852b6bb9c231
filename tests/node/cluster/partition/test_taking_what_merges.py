"""What the owner of a partition does with a batch that merges: from whom it takes it, and that it decides once."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.node.cluster.partition.data_planes import keeps, sent, three, value
from tests.node.cluster.partition.merging_planes import aside, bring, told

from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.messages import Backup, BackupAnswer, MergeEntries, MergeEntriesAnswer


def test_what_is_lost_or_there_already_is_not_written() -> None:
    planes = three()
    planes.do(0, "put", "k", "old")
    planes.do(0, "put", "j", "same")
    before = planes[0].store.versions(0, 0)
    bringer = bring(planes, 2, aside("k"), aside("j", "same"))
    planes.run(SECOND)
    assert told(bringer) == [("k", "lost", "old"), ("j", "there", "same")]
    assert planes[0].store.versions(0, 0) == before


def test_the_answer_that_is_lost_is_given_again_and_nothing_is_decided_twice() -> None:
    planes = three(merge_policies="data=pass-through")
    planes.wire(0, 2).loses = keeps([], MergeEntriesAnswer)
    bringer = bring(planes, 2, aside())
    planes.run(100 * MILLISECOND)
    assert not told(bringer)
    planes.do(0, "put", "k", "newer")
    planes.run(60 * SECOND)
    assert told(bringer) == [("k", "kept", "new")]
    assert value(planes, 0) == b"newer", "written after it, and acknowledged"


def test_a_batch_that_comes_again_while_its_first_waits_for_a_backup_joins_it() -> None:
    planes = three(backup_timeout=20 * SECOND)
    planes.wire(1, 0).loses = lambda message: isinstance(message, BackupAnswer)
    bringer = bring(planes, 2, aside())
    planes.run(15 * SECOND)
    assert len(sent(planes, 2, MergeEntries)) > 1
    assert not told(bringer)
    planes.wire(1, 0).loses = lambda message: False
    planes.run(60 * SECOND)
    assert told(bringer) == [("k", "kept", "new")]


def test_a_batch_is_taken_of_members_alone_and_only_by_whom_it_is_for() -> None:
    planes = three()
    bring(planes, 2, aside())
    (batch,) = sent(planes, 2, MergeEntries)
    planes[0].listed([planes.members[0], planes.members[1]])
    planes[0].receive(batch)
    planes[0].receive(replace(batch, sender=planes.members[1], target=planes.members[1].uuid))
    planes.run()
    answers = [(answer.outcome, answer.reason) for answer in sent(planes, 0, MergeEntriesAnswer)]
    assert answers[:2] == [
        ("retry", "the sender is no member of my cluster"),
        ("retry", "I am another one at this address"),
    ]
    assert value(planes, 0) is None


def test_an_entry_of_another_partition_is_lost_and_the_others_of_its_batch_are_kept() -> None:
    planes = three(partition_count=2)
    bring(planes, 2, aside())
    (batch,) = sent(planes, 2, MergeEntries)
    (entry,) = batch.entries
    elsewhere = next(key for key in "abcd" if planes[0].state.partition_of(key) != batch.partition)
    planes[0].receive(replace(batch, entries=(replace(entry, key=elsewhere), replace(entry, number=2))))
    planes.run(SECOND)
    told_first = sent(planes, 0, MergeEntriesAnswer)[0].results
    assert [each.outcome for each in told_first] == ["lost", "kept"]
    assert planes[0].store.entry(batch.partition, "data", elsewhere) is None


@pytest.mark.parametrize(("owner", "outcome"), [(1, "kept"), (0, "there")])
def test_who_learns_of_a_backup_that_it_may_own_no_more_has_the_batch_brought_again(owner: int, outcome: str) -> None:
    planes = three()
    planes.table(1, 0, 2, version=2, at=[1])
    bringer = bring(planes, 2, aside())
    planes.run(SECOND)
    assert not told(bringer)
    planes.table(owner, 1 - owner, 2, version=3)
    planes.run(60 * SECOND)
    assert told(bringer) == [("k", outcome, "new")]


def test_what_a_bringer_was_told_is_forgotten_with_it() -> None:
    planes = three()
    bring(planes, 2, aside())
    planes.run(SECOND)
    (batch,) = sent(planes, 2, MergeEntries)
    for is_over in (False, True):
        planes[0].taking.forget(lambda client, is_over=is_over: is_over)  # type: ignore[misc]
        planes[0].receive(batch)
    planes.run()
    assert [answer.results[0].outcome for answer in sent(planes, 0, MergeEntriesAnswer)] == ["kept", "kept", "there"]


def test_the_next_owner_does_not_decide_again_on_what_the_one_before_has_kept() -> None:
    planes = three(merge_policies="data=pass-through")
    answers = planes.wire(0, 2)
    answers.loses = lambda message: isinstance(message, MergeEntriesAnswer)
    bringer = bring(planes, 2, aside())
    planes.run(100 * MILLISECOND)
    planes.do(0, "put", "k", "newer")
    planes.crash(0)
    planes.gone(0)
    planes.promote(1, 1, 2, version=2)
    planes.run(60 * SECOND)
    assert told(bringer) == [("k", "lost", "newer")]
    assert value(planes, 1) == b"newer"


def test_a_promoted_owner_that_has_missed_some_of_a_batch_decides_on_those_it_has_never_got() -> None:
    planes = three()
    planes.wire(0, 1).loses = lambda message: isinstance(message, Backup) and message.key == "k"
    bringer = bring(planes, 2, aside("k"), aside("j"))
    planes.run(5 * MILLISECOND)
    planes.crash(0)
    planes.gone(0)
    planes.promote(1, 1, 2, version=2)
    planes.run(60 * SECOND)
    assert told(bringer) == [("k", "kept", "new"), ("j", "there", "new")]
    assert value(planes, 1) == b"new"


def test_a_map_that_is_not_there_takes_nothing() -> None:
    planes = three()
    bringer = bring(planes, 2, aside(name="unknown"))
    planes.run(SECOND)
    assert told(bringer) == [("k", "lost", None)]
