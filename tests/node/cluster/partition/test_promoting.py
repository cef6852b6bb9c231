"""A promoted owner asks its colder backups for what it lacks: on real members, by the words of the core's stories."""

from __future__ import annotations

from typing import Any

import pytest
from tests.node.cluster.partition.test_after_the_fact import state_of
from tests.notation.interaction import Story
from tests.reasons import reason_in

from shaketable.node.cluster.partition.held import Write
from shaketable.node.cluster.partition.promoting.asking import ENOUGH
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.streams.outgoing import HOW_FAR
from shaketable.node.cluster.partition.table import Table
from shaketable.node.cluster.partitions import Partitions
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.messages import (
    Chunk,
    HeldVersions,
    Message,
    MoreHeld,
    MoreWanted,
    ReplicaComes,
    ReplicaVersions,
    ReplicaVersionsAnswer,
    ReplicaWanted,
    StartSync,
    encode,
)
from shaketable.node.why import Because, Why, because

HOUR = 3600 * SECOND


def started(row: str = "ABCD", partitions: int = 1, maps: str = "data=3") -> Story:
    story = Story()
    story.run(f"set partition_count={partitions} maps={maps}")
    for name in "MABCD":
        story.run(f"given {name} v5[M,A,B,C,D] with t5[{','.join([row] * partitions)}]")
    return story


def store(story: Story, name: str) -> MapStore:
    return story._nodes[name].member.partitions.store


def has(story: Story, name: str, *versions: int, partition: int = 0) -> None:
    """This backup has taken the writes with these versions, each to a key of its own."""
    for version in versions:
        store(story, name).take(partition, Write(version, "data", "c", version, "put", f"k{version}", b"v"))


def found(story: Story, name: str, partition: int = 0) -> list[str]:
    return [key for key in ("k1", "k2", "k3") if store(story, name).read(partition, "data", key) is not None]


def of_its_master(partitions: Partitions, table: Table, reason: Because) -> None:
    master = partitions.state.membership.master
    assert master is not None
    partitions.publishing.install(master, table, (), reason)


def promoted(story: Story, until: str = "") -> str:
    """What is told from the owner's crash on."""
    last = f'run until "{until}"' if until else "run"
    return "\n".join([line for step in ("crash A", "wait 0.3s", last) for line in story.run(step)])


def sent(story: Story, kind: type[Message]) -> list[Any]:
    messages: list[Any] = []
    send = story.sent

    def noted(node: Any, to: str, message: Message) -> None:
        if isinstance(message, kind):
            messages.append(message)
        send(node, to, message)

    story.sent = noted  # type: ignore[method-assign]
    return messages


def test_what_two_backups_have_between_them_is_put_together() -> None:
    story = started()
    has(story, "C", 1)
    has(story, "D", 2)
    told = promoted(story)
    assert found(story, "B") == ["k1", "k2"]
    assert told.count("BackupHadMore") == 2
    assert state_of(story, "B").promoting == {}


def test_what_a_hotter_backup_has_already_is_not_fetched_from_a_colder_one() -> None:
    story = started()
    has(story, "C", 1, 2)
    has(story, "D", 1)
    told = promoted(story)
    assert found(story, "B") == ["k1", "k2"]
    assert told.count("BackupHadMore") == 1


def test_who_has_missed_a_write_itself_keeps_what_came_after_it() -> None:
    story = started()
    has(story, "B", 1, 3)
    has(story, "C", 1, 2)
    promoted(story)
    assert found(story, "B") == ["k1", "k2", "k3"]
    assert store(story, "B").versions(0, 0) != (("data", 0),), "it is the owner, so nothing is missing"


def test_equal_lists_while_its_data_are_wanted_is_done_without() -> None:
    story = started()
    has(story, "C", 1)
    promoted(story, until="B -> C: ReplicaWanted")
    story.run("crash C")
    told = [*story.run("wait 0.5s"), *story.run("run")]
    assert 'B: BackupNotHeard partition=0 replica=2 peer=C reason="it has left"' in told
    assert state_of(story, "B").promoting == {}
    assert found(story, "B") == []


def losing_data(story: Story, one_in: Micros | None = None) -> None:
    """From here on all chunks with data are lost, but for one each time that so long has passed."""
    send, last = story.sent, -HOUR

    def lossy(node: Any, to: str, message: Message) -> None:
        nonlocal last
        if isinstance(message, Chunk) and message.number != HOW_FAR:
            if one_in is None or story.now - last < one_in:
                return
            last = story.now
        send(node, to, message)

    story.sent = lossy  # type: ignore[method-assign]


def until_served(story: Story, most: int) -> tuple[int, str]:
    """After how many seconds, and what was told."""
    told: list[str] = []
    for second in range(most):
        if not state_of(story, "B").promoting:
            return second, "\n".join(told)
        told += [*story.run("beat 1s"), *story.run("run")]
    raise AssertionError("it is not served")


def test_who_says_that_its_data_come_though_no_chunk_does_is_done_without_in_the_time_of_a_migration() -> None:
    story = started(partitions=2)
    for partition in range(2):
        has(story, "C", 1, partition=partition)
    losing_data(story)
    promoted(story)
    seconds, told = until_served(story, 400)
    assert 300 <= seconds <= 310
    why = 'B: BackupNotHeard partition={} replica=2 peer=C reason="its data did not come"'
    assert all(why.format(partition) in told for partition in range(2))
    assert [found(story, "B", partition) for partition in range(2)] == [[], []]


def test_who_has_its_data_come_in_longer_than_that_is_waited_for() -> None:
    story = started()
    store(story, "C").take(0, Write(1, "data", "c", 1, "put", "k1", b"v" * 600))
    losing_data(story, one_in=200 * SECOND)
    promoted(story)
    seconds, told = until_served(story, 2000)
    assert seconds > 350
    assert "BackupNotHeard" not in told
    assert found(story, "B") == ["k1"]


def test_a_backup_forgets_what_it_sent_to_an_owner_that_has_left() -> None:
    story = started()
    has(story, "C", 1)
    promoted(story)
    answering = story._nodes["C"].member.partitions.answering
    assert list(answering._sent) == [state_of(story, "B").me]
    story.run("crash B")
    story.run("wait 0.5s")
    story.run("run")
    assert answering._sent == {}


def test_what_is_no_data_changes_nothing_and_is_told() -> None:
    story = started()
    has(story, "B", 1)
    has(story, "C", 1, 2)
    store(story, "C").copies = lambda partition: b"\xc1"  # type: ignore[method-assign]
    assert "BackupNotHeard partition=0 replica=2 peer=C" in promoted(story)
    assert found(story, "B") == ["k1"]
    assert state_of(story, "B").promoting == {}


@pytest.mark.parametrize(("partitions", "messages"), [(1, 1), (30, 1), (60, 2)])
def test_all_partitions_are_asked_about_in_few_small_messages(partitions: int, messages: int) -> None:
    story = started("ABC-", partitions)
    for partition in range(partitions):
        has(story, "B", 1, partition=partition)
        has(story, "C", 1, 2, partition=partition)
    asked, answers = sent(story, MoreWanted), sent(story, MoreHeld)
    promoted(story, f"BackupHadMore partition={partitions - 1}")
    done = [message for message in answers if message.done]
    assert [held.partition for message in asked for held in message.versions] == list(range(partitions))
    assert [held.partition for message in done for held in message.versions] == list(range(partitions))
    assert len(done) == messages
    assert max(len(encode(message)) for message in [*asked, *answers]) < ENOUGH + 200
    assert all(found(story, "B", partition) == ["k1", "k2"] for partition in range(partitions))


def test_a_backup_gives_its_data_to_the_owner_by_its_own_table_only() -> None:
    story = started()
    has(story, "C", 1)
    c, b, a = (state_of(story, name).membership.me for name in "CBA")
    answers, wanted = sent(story, MoreHeld), sent(story, ReplicaComes)
    member = story._nodes["C"].member
    versions = (HeldVersions(0, 2, ()),)
    for sender, version, done, more in ((a, 6, False, 0), (b, 5, True, 0), (a, 5, True, 1)):
        member.receive(MoreWanted(sender, 1, c.uuid, version, versions))
        assert (answers[-1].done, len(answers[-1].versions)) == (done, more)
    for number, (sender, version, coming) in enumerate(((a, 6, False), (b, 5, False), (a, 5, True))):
        member.receive(ReplicaWanted(sender, 1, c.uuid, version, 0, f"s{number}"))
        assert wanted[-1].coming is coming


def test_who_owns_it_no_more_asks_no_longer() -> None:
    story = started()
    has(story, "C", 1)
    promoted(story, until="B -> C: MoreWanted")
    b = story._nodes["B"].member.partitions
    assert b.state.promoting == {0: True}
    table = b.state.table
    of_its_master(b, table.with_rows({0: table.rows[0][2:3]}), reason_in("another"))
    assert b.state.promoting == {}
    assert b.promoting._open == {}


def test_a_backup_that_knows_of_the_promotion_is_fetched_from_though_later_tables_have_not_come_to_it() -> None:
    story = started(partitions=2)
    for partition in range(2):
        has(story, "C", 1, partition=partition)
    promoted(story, until="C -> B: MoreHeld")
    b = story._nodes["B"].member.partitions
    of_its_master(b, b.state.table.at_version(b.state.table.version + 1), reason_in("of another partition"))
    told = "\n".join(story.run("run"))
    assert "BackupNotHeard" not in told
    assert [found(story, "B", partition) for partition in range(2)] == [["k1"], ["k1"]]


def test_a_backup_that_knows_of_the_promotion_is_not_waited_for_until_it_has_later_tables() -> None:
    story = started()
    has(story, "C", 1)
    promoted(story, until="B: ReplicaPromoted")
    b = story._nodes["B"].member.partitions
    of_its_master(b, b.state.table.at_version(b.state.table.version + 1), reason_in("of another partition"))
    answers = sent(story, MoreHeld)
    story.run("run")
    assert [message.done for message in answers if message.sender.uuid in b.state.row(0)[2:3]] == [True]
    assert found(story, "B") == ["k1"]


def test_no_backup_is_compared_with_or_mended_by_an_owner_that_asks_it_yet() -> None:
    story = started()
    has(story, "B", 1)
    has(story, "C", 1, 2)
    promoted(story, until="B -> C: MoreWanted")
    b, c = story._nodes["B"].member.partitions, state_of(story, "C").membership.me
    assert b.state.promoting == {0: True}
    compared, mended = sent(story, ReplicaVersions), sent(story, StartSync)
    b.antientropy._asking.ask(0, c.uuid)
    me, version = b.state.membership.me, b.state.table.version
    b.antientropy.on_replica_versions_answer(ReplicaVersionsAnswer(c, me.uuid, version, (), ((0, 2),)))
    assert (compared, mended) == ([], [])
    story.run("run")
    assert found(story, "B") == ["k1", "k2"]


def test_a_part_does_not_go_over_before_who_was_promoted_has_asked_for_what_it_may_lack() -> None:
    story = started()
    has(story, "C", 1)
    master = story._nodes["M"].member.partitions
    assert master.before_a_merge() is None
    promoted(story, until="B -> C: ReplicaWanted")
    master.migrating.under_way.clear()
    assert master.before_a_merge() == because(Why.OWNERS_NOT_HEARD), "it would not set aside what C has"
    story.run("run")
    master.migrating.under_way.clear()
    assert state_of(story, "B").promoting == {}
    assert master.before_a_merge() is None
