"""A service of a user's own, named by a setting: its data move with the partitions, and a wrong name is told."""

from __future__ import annotations

import pytest
from tests.node.cluster.plugged_example import Calls

from shaketable.harness.faults.actions import Kill, Start
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.cluster.partition.merging.policies import MergeEntry
from shaketable.node.cluster.plugged import check_plugged, plugged_policies, plugged_services
from shaketable.node.config import FAST, SettingError
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.legacy import make_member

NAME = "tests.node.cluster.plugged_example:Calls"


class Nodes:
    def __init__(self) -> None:
        self.world = SimWorld(1, FAST.with_values({"partition_services": NAME, "partition_count": 5}), make_member)
        self.names = ("n1", "n2", "n3", "n4")
        self.world.act(Start(self.names, self.names, run=False), lambda receipt: None)

    def start(self, *names: str) -> None:
        for name in names:
            self.world.act(Start((name,), self.names), lambda receipt: None)
            self.run(2 * SECOND)

    def run(self, time: Micros) -> None:
        end = self.world.time + time
        self.world.call_later(time, lambda: None)
        self.world.run(lambda: self.world.time >= end)

    def service(self, name: str) -> Calls:
        service = self.world.nodes[name].member.partitions.state.services[1]
        assert isinstance(service, Calls)
        return service

    def holders(self, partition: int) -> list[str]:
        """Owner and first backup, by the master's table."""
        row = self.world.nodes["n1"].member.partitions.state.row(partition)
        of = {self.world.nodes[name].incarnation: name for name in self.names}
        return [of[uuid] for uuid in row[:2] if uuid is not None]


def test_its_data_move_with_the_partitions_and_outlive_a_crash() -> None:
    nodes = Nodes()
    nodes.start("n1", "n2", "n3")
    nodes.world.nodes["n1"].member.partitions.control.want()
    nodes.run(SECOND)
    for partition in range(5):
        for holder in nodes.holders(partition):
            for _ in range(partition + 1):
                nodes.service(holder).called(partition)
    nodes.start("n4")
    nodes.world.act(Kill("n2"), lambda receipt: None)
    nodes.run(5 * SECOND)
    for partition in range(5):
        holders = nodes.holders(partition)
        assert len(holders) == 2
        counts = {name: nodes.service(name).counts.get(partition) for name in ("n1", "n3", "n4")}
        assert counts == {name: partition + 1 if name in holders else None for name in counts}
    for name in ("n1", "n3", "n4"):
        service = nodes.service(name)
        assert service.begun == service.ended, "one before, and one end"
    assert nodes.service("n4").begun


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nowhere.at_all:Calls", "cannot be made (ModuleNotFoundError: No module named 'nowhere')"),
        ("tests.node.cluster.plugged_example:Nobody", "cannot be made (AttributeError"),
        ("tests.node.cluster.plugged_example", "cannot be made (AttributeError"),
        ("tests.node.cluster.test_plugged:Nodes.start", "cannot be made"),
        ("tests.node.cluster.plugged_example:Lacking", "is no such service, it lacks commit_migration()"),
    ],
)
def test_a_wrong_name_is_told_in_a_sentence(name: str, why: str) -> None:
    with pytest.raises(SettingError) as told:
        plugged_services(FAST.with_values({"partition_services": name}))
    assert why in str(told.value)
    assert "\n" not in str(told.value)


def test_each_member_has_its_own() -> None:
    settings = FAST.with_values({"partition_services": NAME})
    assert plugged_services(settings)[0] is not plugged_services(settings)[0]


OWN = "tests.node.cluster.plugged_example"


def test_a_policy_of_ones_own_is_found_by_its_name() -> None:
    settings = FAST.with_values({"maps": "data=1 other=1", "merge_policies": f"data={OWN}:Shortest other=discard"})
    check_plugged(settings)
    (policy,) = plugged_policies(settings).items()
    assert policy[0] == f"{OWN}:Shortest"
    assert policy[1](MergeEntry("k", b"long", 0, 0), MergeEntry("k", b"s", 0, 0)) == b"s"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (f"{OWN}:Lacking", "is no such policy, it lacks merge()"),
        (f"{OWN}:Nobody", "cannot be made (AttributeError"),
    ],
)
def test_a_policy_that_cannot_be_made_is_told_in_a_sentence(name: str, why: str) -> None:
    with pytest.raises(SettingError) as told:
        check_plugged(FAST.with_values({"merge_policies": f"data={name}"}))
    assert why in str(told.value)
    assert "\n" not in str(told.value)
