"""What a member holds: maps with their own backup counts at each index, versions, snapshots, what a backup takes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.node.cluster.partition.data_planes import Planes

from shaketable.node.cluster.partition.held import Entry, Write
from shaketable.node.cluster.partition.services import DESTINATION, SOURCE, PartitionMigrationEvent
from shaketable.node.cluster.partition.store import MapStore, checksum
from shaketable.node.messages import NOWHERE, Does

SEVEN = "m0=0 m1=1 m2=2 m3=3 m4=4 m5=5 m6=6"
LARGEST = 1 << 60


def stores(count: int = 2, maps: str = "data=1 precious=6") -> list[MapStore]:
    return [plane.store for plane in Planes(count, maps=maps).planes]


def put(store: MapStore, name: str = "data", key: str = "k", value: bytes = b"v", number: int = 1) -> int:
    return store.write(5, name, "c", number, "put", key, value).version


def write(version: int, key: str = "k", value: bytes = b"v", *, client: str = "c", does: Does = "put") -> Write:
    return Write(version, "data", client, version, does, key, value)


def maps_of(store: MapStore) -> list[str]:
    return [name for _, _, maps in store.stock() for name, *_ in maps]


@pytest.mark.parametrize("index", range(7))
def test_an_index_holds_the_maps_that_have_so_many_backups_and_no_others(index: int) -> None:
    owner, other = stores(maps=SEVEN)
    for number in range(7):
        put(owner, f"m{number}", value=b"of m%d" % number)
    other.replicate(5, index, owner.replication_data(5, index))
    held = [f"m{number}" for number in range(index, 7)]
    assert maps_of(other) == held
    assert [name for name, _ in owner.versions(5, index)] == held
    assert other.versions(5, index) == owner.versions(5, index)
    assert [other.read(5, f"m{number}", "k") for number in range(7)] == [None] * index + [
        b"of m%d" % number for number in range(index, 7)
    ]


@pytest.mark.parametrize("new", [NOWHERE, *range(7)])
def test_who_gives_an_index_up_deletes_what_the_new_one_does_not_hold(new: int) -> None:
    (owner,) = stores(1, SEVEN)
    for number in range(7):
        put(owner, f"m{number}")
    event = PartitionMigrationEvent(SOURCE, 5, 0, new)
    owner.before_migration(event)
    owner.commit_migration(event)
    assert maps_of(owner) == ([] if new == NOWHERE else [f"m{number}" for number in range(new, 7)])


def test_a_rollback_leaves_all_as_it_was() -> None:
    (store,) = stores(1)
    put(store)
    before = store.stock()
    event = PartitionMigrationEvent(DESTINATION, 5, 1, 0)
    store.before_migration(event)
    store.rollback_migration(event)
    assert store.stock() == before


def test_what_comes_takes_the_place_of_all_that_was_held() -> None:
    owner, other = stores()
    put(other, "precious", "old")
    put(other, "data", "old")
    put(owner, "data", "new")
    other.replicate(5, 1, owner.replication_data(5, 1))
    assert maps_of(other) == ["data"]
    assert other.read(5, "data", "old") is None


def test_who_only_looks_makes_nothing() -> None:
    (store,) = stores(1)
    assert store.read(5, "data", "k") is None
    assert store.last(5, "data", "c") == 0
    assert store.versions(5, 0) == ()
    assert msgspec.msgpack.decode(store.replication_data(5, 0)) == []
    store.commit_migration(PartitionMigrationEvent(SOURCE, 5, 0, 3))
    assert store.stock() == ()


WRITES = st.lists(
    st.tuples(
        st.sampled_from(["data", "precious"]), st.sampled_from("ab"), st.sampled_from(["put", "put", "remove"]),
        st.text(min_size=1, max_size=3), st.binary(max_size=9),
    ),
    max_size=20,
)  # fmt: skip


@given(WRITES)
def test_a_snapshot_goes_there_and_back(writes: list[tuple[str, str, Does, str, bytes]]) -> None:
    owner, other = stores()
    for number, (name, client, does, key, value) in enumerate(writes, 1):
        owner.write(5, name, client, number, does, key, value)
    other.replicate(5, 0, owner.replication_data(5, 0))
    assert other.stock() == owner.stock()
    assert other.replication_data(5, 0) == owner.replication_data(5, 0)
    for name, client, _, key, _ in writes:
        assert other.read(5, name, key) == owner.read(5, name, key)
        assert other.last(5, name, client) == owner.last(5, name, client) > 0


GOOD: list[Any] = ["precious", 3, {"k": [b"v", 1, 1]}, {"c": 7}]
MALFORMED: dict[str, Any] = {
    "no list": {"precious": 1},
    "nothing": None,
    "no such map": [["other", *GOOD[1:]]],
    "a map that the index does not hold": [["data", *GOOD[1:]]],
    "twice": [GOOD, GOOD],
    "too long": [[*GOOD, 1]],
    "too short": [GOOD[:3]],
    "a version below 0": [["precious", -1, {}, {}]],
    "a version beyond all": [["precious", LARGEST + 1, {}, {}]],
    "a value that is text": [["precious", 3, {"k": "v"}, {}]],
    "a key that is a number": [["precious", 3, {1: [b"v", 1, 1]}, {}]],
    "a key without a letter": [["precious", 3, {"": [b"v", 1, 1]}, {}]],
    "a number below 0": [["precious", 3, {}, {"c": -1}]],
    "a value too large": [["precious", 3, {"k": bytes((1 << 18) + 1)}, {}]],
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_what_is_no_data_for_this_index_is_refused_and_changes_nothing(data: Any) -> None:
    (store,) = stores(1)
    store.replicate(5, 4, msgspec.msgpack.encode([GOOD]))
    before = store.stock()
    with pytest.raises(ValueError, match=r"no data of maps|does not hold"):
        store.replicate(5, 4, msgspec.msgpack.encode(data))
    assert store.stock() == before


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_mutated_data_are_refused_or_well_formed(data: st.DataObject) -> None:
    (store,) = stores(1)
    wire = bytearray(msgspec.msgpack.encode([GOOD]))
    for _ in range(data.draw(st.integers(1, 4))):
        wire[data.draw(st.integers(0, len(wire) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(wire[: data.draw(st.integers(0, len(wire)))])
    try:
        store.replicate(5, 1, cut)
    except ValueError:
        assert store.stock() == ()
    else:
        assert isinstance(msgspec.msgpack.decode(store.replication_data(5, 1)), list)


# Versions


def test_each_write_raises_the_version_of_its_map_alone() -> None:
    (store,) = stores(1)
    assert [put(store, number=1), put(store, number=2), put(store, "precious", number=3)] == [1, 2, 1]
    assert store.write(5, "data", "c", 4, "remove", "no such key", b"").version == 3
    assert store.versions(5, 0) == (("data", 3), ("precious", 1))
    assert store.versions(5, 2) == (("precious", 1),)


def test_who_is_promoted_counts_on_from_where_no_owner_before_it_has_been() -> None:
    owner, backup, second = stores(3, "data=2 precious=6")
    put(owner)
    assert [each.take(5, write(1)) for each in (backup, second)] == ["applied"] * 2
    put(owner, number=2)  # lost with the owner, as is its write to a map that nobody else has
    put(owner, "precious")
    backup.promoted(5, 7)
    assert backup.versions(5, 0) == (("data", 7 << 32), ("precious", 7 << 32))
    assert put(backup) == (7 << 32) + 1
    assert second.versions(5, 1) != backup.versions(5, 1)
    second.promoted(5, 9)
    assert put(second) > (7 << 32) + 1


def test_a_higher_version_than_that_of_the_table_stays() -> None:
    (store,) = stores(1)
    store.promoted(5, 9)
    put(store)
    before = store.versions(5, 0)
    store.promoted(5, 3)
    assert store.versions(5, 0) == before


def test_the_version_of_a_promoted_one_fits_a_message_whatever_the_table_s() -> None:
    (store,) = stores(1)
    store.promoted(5, LARGEST)
    assert put(store) < LARGEST
    store.replicate(5, 0, store.replication_data(5, 0))


# What a backup takes


def test_writes_in_order_are_applied_and_repeated_ones_held_already() -> None:
    (store,) = stores(1)
    assert [store.take(5, write(n, value=b"%d" % n)) for n in (1, 2, 2, 1)] == ["applied", "applied", "held", "held"]
    assert store.read(5, "data", "k") == b"2"
    assert store.versions(5, 1) == (("data", 2),)
    assert store.last(5, "data", "c") == 2
    assert not store.misses_a_write(5, "data")


def test_a_gap_is_known_until_the_owner_s_data_have_come() -> None:
    owner, store = stores()
    for number in range(1, 5):
        put(owner, key=f"k{number}", number=number)
    assert store.take(5, write(1, "k1")) == "applied"
    assert store.take(5, write(3, "k3")) == "applied"
    assert store.take(5, write(4, "k4")) == "applied"
    assert store.misses_a_write(5, "data")
    assert store.versions(5, 1) == (("data", 0),) != owner.versions(5, 1)
    store.replicate(5, 1, owner.replication_data(5, 1))
    assert store.versions(5, 1) == owner.versions(5, 1) == (("data", 4),)
    assert not store.misses_a_write(5, "data")


def test_what_comes_after_later_writes_is_not_put_over_them() -> None:
    (store,) = stores(1)
    assert store.take(5, write(2, value=b"new")) == "applied"
    assert store.take(5, write(1, value=b"old")) == "late"
    assert store.take(5, write(2, value=b"new")) == "held", "this very write is there, though another one is missing"
    assert store.read(5, "data", "k") == b"new"


def test_a_missed_write_of_somebody_else_is_not_taken_for_held() -> None:
    (store,) = stores(1)
    store.take(5, write(2, "k2", client="c"))
    assert store.take(5, write(1, "k1", client="d")) == "late"
    assert store.read(5, "data", "k1") is None


# While a sync is under way


def test_what_was_written_during_a_sync_is_not_lost_to_the_older_data() -> None:
    owner, store = stores()
    put(owner, key="missed", number=1)
    data = owner.replication_data(5, 1)
    store.sync_begins(5)
    for number in (2, 3):
        put(owner, key=f"k{number}", number=number)
    for number in (3, 2):  # one overtakes the other
        store.take(5, write(number, f"k{number}"))
    store.replicate(5, 1, data)
    assert store.stock()[0][2] == owner.stock()[0][2]
    assert store.versions(5, 1) == owner.versions(5, 1)


def test_data_that_lack_what_i_have_are_refused() -> None:
    owner, store = stores()
    put(owner, key="k1", number=1)
    data = owner.replication_data(5, 1)
    store.take(5, write(1, "k1"))
    store.take(5, write(2, "k2"))
    store.sync_begins(5)
    before = store.stock()
    with pytest.raises(ValueError, match="they lack writes to data"):
        store.replicate(5, 1, data)
    assert store.stock() == before
    store.sync_ended(5)
    store.replicate(5, 1, data)
    assert store.versions(5, 1) == (("data", 1),), "a migration's data are the owner's last word"


# Stock


def test_stock_is_the_same_in_whichever_order_it_came() -> None:
    first, second = stores()
    for number, key in enumerate("abc", 1):
        put(first, key=key, number=number)
    for number, key in enumerate("cab", 1):
        put(second, key=key, number=number)
    assert (
        first.stock()
        == second.stock()
        == ((5, NOWHERE, (("data", 3, 3, checksum(dict.fromkeys("bca", Entry(b"v", 0, 1)))),)),)
    )
    put(second, key="a", value=b"w", number=4)
    assert first.stock()[0][2][0][3] != second.stock()[0][2][0][3]


def test_stock_names_each_index_that_is_held_by_the_table_and_each_partition_that_is_held_without_one() -> None:
    planes = Planes(2, partition_count=3)
    planes.table(1, 0)
    store = planes[0].store
    store.write(1, "data", "c", 1, "put", "k", b"v")
    store.write(9, "data", "c", 1, "put", "k", b"v")
    assert [(partition, index, len(maps)) for partition, index, maps in store.stock()] == [
        (0, 1, 0),
        (1, 1, 1),
        (2, 1, 0),
        (9, NOWHERE, 1),
    ]
