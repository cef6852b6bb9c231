"""Entries that merge: brought in batches to their owners, decided on once, written with their backups, or given up."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from tests.node.cluster.partition.data_planes import Planes, sent, three, value
from tests.node.cluster.partition.merging_planes import aside, bring, done, told

from shaketable.node.cluster.partition.held import Entry
from shaketable.node.cluster.partition.merging import SetAside, owned, set_aside
from shaketable.node.cluster.partition.merging.bringing import cut
from shaketable.node.cluster.partition.table import Table
from shaketable.node.core.env import SECOND
from shaketable.node.events import EntriesBrought, EntriesGivenUp, EntriesMerged, MergeDataDone
from shaketable.node.messages import (
    LARGEST_CHUNK,
    MOST_MERGING,
    Backup,
    MergeEntries,
    MergeEntriesAnswer,
)


def test_an_entry_is_written_with_its_backups_and_keeps_its_time_and_hits() -> None:
    planes = three()
    bringer = bring(planes, 2, aside(updated=7, hits=3))
    planes.run(SECOND)
    assert told(bringer) == [("k", "kept", "new")]
    assert [planes[number].store.entry(0, "data", "k") for number in (0, 1)] == [Entry(b"new", 7, 3)] * 2
    assert done(bringer) == [MergeDataDone(1, 0, 0, 0, 0)]
    (event,) = bringer.node.told(EntriesMerged)
    assert isinstance(event, EntriesMerged)
    assert event.holders == planes.uuids(0, 1)


def test_who_has_no_owner_yet_waits_and_asks_for_a_table() -> None:
    planes = Planes(3)
    bringer = bring(planes, 2, aside())
    planes.run(5 * SECOND)
    assert bringer.bringing.to_bring == 1
    assert planes[0].wanted >= 1
    planes.table(0, 1)
    planes.run(SECOND)
    assert told(bringer) == [("k", "kept", "new")]


def test_entries_that_find_no_owner_in_time_are_given_up_and_told() -> None:
    planes = Planes(3, merge_data_patience=20 * SECOND)
    planes.table(None, None)
    bringer = bring(planes, 2, aside(), aside("j"))
    planes.run(60 * SECOND)
    (event,) = bringer.node.told(EntriesGivenUp)
    assert isinstance(event, EntriesGivenUp)
    assert event.entries == (("data", "k", "new"), ("data", "j", "new"))
    assert done(bringer) == [MergeDataDone(0, 0, 0, 0, 2)]
    assert bringer.bringing.to_bring == 0


def test_as_long_as_one_after_the_other_is_decided_on_none_is_given_up() -> None:
    planes = three(maps="data=0", merge_data_patience=20 * SECOND)
    many = 4 * MOST_MERGING
    planes.wire(0, 2).latency = 8 * SECOND
    bringer = bring(planes, 2, *[aside(f"k{number}") for number in range(many)])
    planes.run(60 * SECOND)
    assert done(bringer) == [MergeDataDone(many, 0, 0, 0, 0)]


def test_nothing_is_given_up_while_an_owner_may_be_about_to_answer() -> None:
    planes = Planes(3, partition_count=2, merge_data_patience=20 * SECOND)
    first, second = (next(key for key in "abcd" if planes[0].state.partition_of(key) == each) for each in (0, 1))
    bringer = bring(planes, 2, aside(first), aside(second))
    planes.run(15 * SECOND)
    planes.wire(0, 2).loses = lambda message: isinstance(message, MergeEntriesAnswer)
    for plane in planes.planes:
        plane.install(Table(1, [planes.row(0, 1), planes.row(None, None)]))
    planes.run(10 * SECOND)
    assert not bringer.node.told(EntriesGivenUp)
    planes.wire(0, 2).loses = lambda message: False
    planes.run(60 * SECOND)
    assert told(bringer) == [(first, "kept", "new")]
    assert done(bringer) == [MergeDataDone(1, 0, 0, 0, 1)]


def test_two_owners_that_never_answer_do_not_keep_each_others_entries_alive() -> None:
    """Nor if they were found one after the other, so that one of them is always being asked."""
    planes = Planes(3, partition_count=2, merge_data_patience=20 * SECOND)
    first, second = (next(key for key in "abcd" if planes[0].state.partition_of(key) == each) for each in (0, 1))
    for owner in (0, 1):
        planes.wire(2, owner).loses = lambda message: isinstance(message, MergeEntries)
    for plane in planes.planes:
        plane.install(Table(1, [planes.row(0, 1), planes.row(None, None)]))
    bringer = bring(planes, 2, aside(first), aside(second))
    planes.run(5 * SECOND)
    for plane in planes.planes:
        plane.install(Table(2, [planes.row(0, 1), planes.row(1, 0)]))
    planes.run(60 * SECOND)
    assert bringer.node.told(EntriesGivenUp)


def test_an_owner_that_dies_on_the_way_is_followed_by_the_next() -> None:
    planes = three()
    planes.crash(0)
    bringer = bring(planes, 2, aside())
    planes.run(SECOND)
    planes.gone(0)
    planes.promote(1, 1, 2, version=2)
    planes.run(SECOND)
    assert told(bringer) == [("k", "kept", "new")]
    owners = [event.peer for event in bringer.node.told(EntriesBrought) if isinstance(event, EntriesBrought)]
    assert owners == [planes[0].me, planes[1].me]


def test_one_batch_at_a_time_goes_to_an_owner() -> None:
    planes = three(maps="data=0")
    many = 4 * MOST_MERGING
    bringer = bring(planes, 2, *[aside(f"k{number}") for number in range(many)])
    assert len(sent(planes, 2, MergeEntries)) == 1
    planes.run(SECOND)
    assert len(sent(planes, 2, MergeEntries)) == 4
    assert done(bringer) == [MergeDataDone(many, 0, 0, 0, 0)]


def test_so_does_one_of_several_partitions() -> None:
    planes = three(partition_count=4)
    keys = [next(key for key in map(str, range(100)) if planes[0].state.partition_of(key) == each) for each in range(4)]
    bringer = bring(planes, 2, *[aside(key) for key in keys])
    assert len(sent(planes, 2, MergeEntries)) == 1
    planes.run(SECOND)
    assert done(bringer) == [MergeDataDone(4, 0, 0, 0, 0)]


def test_what_is_not_brought_goes_to_the_next_identity() -> None:
    planes = Planes(3)
    bringer = bring(planes, 2, aside(), aside("j"))
    assert [each.key for each in bringer.bringing.rest()] == ["k", "j"]
    planes.table(0, 1)
    planes.run(SECOND)
    assert not sent(planes, 2, MergeEntries)


def test_nor_is_anything_heard_of_what_was_under_way() -> None:
    planes = three()
    bringer = bring(planes, 2, aside())
    assert [each.key for each in bringer.bringing.rest()] == ["k"]
    planes.run(SECOND)
    assert value(planes, 0) == b"new"
    assert not told(bringer)


def test_the_owner_takes_its_own_to_itself() -> None:
    planes = three()
    bringer = bring(planes, 0, aside())
    planes.run(SECOND)
    assert told(bringer) == [("k", "kept", "new")]
    assert len(sent(planes, 0, Backup)) == 1


def test_a_member_sets_aside_what_it_owns_and_what_its_table_would_give_it_next() -> None:
    planes = three()
    planes.do(0, "put", "k", "v")
    owner, backup = planes[0], planes[1]
    going = planes.uuids(0, 1, 2)
    assert [each.told for each in set_aside(owner.store, owned(owner.state, going))] == [("data", "k", "v")]
    assert owned(backup.state, going) == []
    going = planes.uuids(1, 2)
    assert [each.told for each in set_aside(backup.store, owned(backup.state, going))] == [("data", "k", "v")]


def test_reads_and_writes_are_hits_and_a_backup_has_them_by_the_next_write() -> None:
    planes = three()
    planes.do(0, "put", "k", "v")
    for _ in range(3):
        planes.do(1, "get", "k")
    owner, backup = (planes[number].store.entry(0, "data", "k") for number in (0, 1))
    assert owner is not None
    assert backup is not None
    assert (owner.hits, backup.hits) == (4, 1)
    planes.do(0, "put", "k", "w")
    assert [planes[number].store.entry(0, "data", "k") for number in (0, 1)] == [owner_now(planes)] * 2
    assert owner_now(planes).hits == 5


def owner_now(planes: Planes) -> Entry:
    entry = planes[0].store.entry(0, "data", "k")
    assert entry is not None
    return entry


@given(st.lists(st.integers(0, 3 * LARGEST_CHUNK), max_size=100))
def test_batches_hold_all_in_order_and_none_is_too_large(sizes: Iterable[int]) -> None:
    entries = [SetAside("data", f"k{number}", Entry(b"x" * size, 0, 1)) for number, size in enumerate(sizes)]
    batches = cut(entries)
    assert [each for batch in batches for each in batch] == entries
    for batch in batches:
        assert len(batch) <= MOST_MERGING
        size = sum(len(each.key) + len(each.entry.value) for each in batch)
        assert len(batch) == 1 or size <= LARGEST_CHUNK
