"""Records of clients' last operations: kept as long as one could come again, and no longer."""

from __future__ import annotations

from tests.node.cluster.partition.data_planes import Planes
from tests.notation.interaction import Story
from tests.notation.interaction_names import member

from shaketable.node.cluster.partition.records import Records
from shaketable.node.cluster.partition.state import wire_name
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import MILLISECOND
from shaketable.node.messages import Operation

KEEP = DEFAULT.operation_timeout


class Kept:
    """Member 0 owns the only partition and 1 is its backup; 2 and 3 have clients."""

    def __init__(self) -> None:
        self.planes = Planes(4)
        self.planes.table(0, 1)
        self.records = [Records(plane.state, kept_by=(plane.store, plane.operations)) for plane in self.planes.planes]
        self.members = list(self.planes.members)

    def client(self, at: int, name: str = "c") -> str:
        return wire_name(name, self.members[at].uuid)

    def put(self, at: int, name: str = "c") -> None:
        assert self.planes.do(at, "put", f"of {at}", "v", client=self.client(at, name)).outcome == "ok"

    def leaves(self, number: int) -> None:
        self.planes.crash(number)
        self.planes.gone(number)
        for other, records in enumerate(self.records):
            if other != number:
                records.members_changed([self.members[number]])

    def last(self, at: int, whose: int, name: str = "c") -> int:
        return self.planes[at].store.last(0, "data", self.client(whose, name))


def test_who_is_no_member_for_the_operation_timeout_is_forgotten_by_owner_and_backup() -> None:
    kept = Kept()
    for at in (0, 1, 2, 3):
        kept.put(at)
    kept.leaves(2)
    kept.planes.run(KEEP - MILLISECOND)
    assert [kept.last(at, 2) for at in (0, 1)] == [1, 1]
    kept.planes.run(2 * MILLISECOND)
    assert [kept.last(at, 2) for at in (0, 1)] == [0, 0]
    for whose in (0, 1, 3):
        assert [kept.last(at, whose) for at in (0, 1)] == [1, 1], "these are members"
    assert kept.client(2) not in kept.planes[0].operations._holders
    assert kept.client(3) in kept.planes[0].operations._holders
    kept.put(3)
    assert kept.last(0, 3) == 2


def test_an_operation_of_who_is_forgotten_is_not_applied_again() -> None:
    kept = Kept()
    kept.put(2)
    kept.leaves(2)
    kept.planes.run(KEEP + MILLISECOND)
    assert kept.last(0, 2) == 0
    me, owner = kept.members[2], kept.planes[0]
    before = owner.store.versions(0, 0)
    owner.receive(Operation(me, 1, owner.me.uuid, kept.client(2), 1, "put", "data", "of 2", b"again"))
    assert owner.store.versions(0, 0) == before
    assert owner.store.read(0, "data", "of 2") == b"v"


def test_who_is_a_member_again_in_time_is_not_forgotten() -> None:
    """A list may be older than a record that came with the data of a partition."""
    kept = Kept()
    kept.put(2)
    kept.put(3)
    without = [member for member in kept.members if member != kept.members[2]]
    kept.planes[0].listed(without)
    kept.records[0].members_changed([kept.members[2]])
    kept.planes.run(KEEP // 2)
    kept.planes[0].listed(kept.members)
    kept.planes.run(2 * KEEP)
    assert kept.last(0, 2) == 1
    kept.leaves(2)
    kept.planes.run(KEEP - MILLISECOND)
    assert kept.last(0, 2) == 1, "its time begins anew"
    kept.planes.run(2 * MILLISECOND)
    assert kept.last(0, 2) == 0


def test_a_record_that_comes_later_with_data_goes_when_somebody_else_leaves() -> None:
    kept = Kept()
    kept.put(2)
    late = kept.planes[0].store.replication_data(0, 1)
    kept.leaves(2)
    kept.planes.run(KEEP + MILLISECOND)
    kept.planes[1].store.replicate(0, 1, late)
    assert kept.last(1, 2) == 1
    kept.leaves(3)
    kept.planes.run(KEEP + MILLISECOND)
    assert kept.last(1, 2) == 0


def test_a_client_of_no_known_node_is_kept() -> None:
    kept = Kept()
    assert kept.planes.do(0, "put", "k", "v", client="whoever").outcome == "ok"
    kept.leaves(2)
    kept.planes.run(3 * KEEP)
    assert kept.planes[0].store.last(0, "data", "whoever") == 1


def test_restarts_do_not_make_them_grow() -> None:
    kept = Kept()
    owner = kept.planes[0]
    for number in range(30):
        former = f"{number:04x}ffff-0000"
        owner.store.write(0, "data", wire_name("c", former), 1, "put", "k", b"v")
        kept.records[0].members_changed([kept.members[3]])
        kept.planes.run(KEEP // 2)
    held = [client for maps in owner.store._partitions.values() for each in maps.values() for client in each.data.last]
    assert 0 < len(held) <= 3


def test_a_real_member_forgets_who_has_left() -> None:
    story = Story()
    story.run("set partition_count=1 hazelcast.operation.call.timeout.millis=2000")
    for name in "ABC":
        story.run(f"given {name} v3[A,B,C] with t5[AB]")
    for name in "BC":
        story.run(f"put {name} k=1")
    story.run("run")
    stores = [story._nodes[name].member.partitions.store for name in "AB"]

    def last(whose: str) -> list[int]:
        return [store.last(0, "data", wire_name("client", member(whose).uuid)) for store in stores]

    story.run("crash C")
    for _ in range(2):
        story.run("wait 1s")
        story.run("run")
        assert (last("B"), last("C")) == ([1, 1], [1, 1])
    story.run("wait 1s")
    assert (last("B"), last("C")) == ([1, 1], [0, 0])
