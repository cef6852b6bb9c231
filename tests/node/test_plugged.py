"""What a user plugs in by a setting: a service's data move with the partitions, a member runs in both worlds, and a
wrong name is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.plugged_example import Calls

from shaketable.chaos.split_brain.merging_data import clients_work_on_through_a_merge
from shaketable.harness.faults.actions import Kill, Start
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, run_real, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.cluster.partition.merging.policies import MergeEntry
from shaketable.node.config import FAST, SettingError
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Suspected
from shaketable.node.legacy import make_member
from shaketable.node.plugged import check_plugged, plugged_policies, plugged_services
from shaketable.node.why import Why

NAME = "tests.node.plugged_example:Calls"


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
        ("tests.node.plugged_example:Nobody", "cannot be made (AttributeError"),
        ("tests.node.plugged_example", "tests.node.plugged_example lacks :Class at its end"),
        ("tests.node.test_plugged:Nodes.start", "cannot be made"),
        ("tests.node.plugged_exits:Any", "cannot be made (SystemExit: 0)"),
        ("tests.node.plugged_example:Lacking", "is no such service, it lacks commit_migration()"),
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


OWN = "tests.node.plugged_example"


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


@script
async def one_deaf_member(cluster: Cluster) -> None:
    await cluster.form("n1", "n2")
    await cluster.join("n3", settings={"own_member": f"{OWN}:Deaf"})
    await cluster.until(cluster.that.suspects("n3", "n1"), within=cluster.bounds.silence)


@script(settings={"family": "gms", "own_member": f"{OWN}:DeafInAGroup"})
async def all_are_deaf(cluster: Cluster) -> None:
    await cluster.start("n1", "n2")
    await cluster.calm()


def broken_in(finished: Finished) -> list[str]:
    return [check.name for check in judged(finished).checks if check.status == "broken"]


def suspicious(finished: Finished) -> set[str]:
    return {r.node for r in finished.records if isinstance(r.event, Suspected) and r.event.why == Why.NO_HEARTBEAT}


def test_one_node_alone_can_have_a_member_of_ones_own() -> None:
    finished = run_simulated(one_deaf_member, Options())
    assert broken_in(finished) == ["detection"]
    assert suspicious(finished) == {"n3"}


def test_a_member_of_ones_own_runs_in_a_real_process(tmp_path: Path) -> None:
    finished = run_real(one_deaf_member, Options("real"), folder=tmp_path)
    assert broken_in(finished) == ["detection"]
    assert suspicious(finished) == {"n3"}


def test_a_group_takes_one_of_its_own_kind() -> None:
    assert "one master" in broken_in(run_simulated(all_are_deaf, Options()))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"own_member": f"{OWN}:Nobody"}, "cannot be made (AttributeError"),
        ({"own_member": f"{OWN}:Calls"}, "is no class that is made of ClusterMember"),
        ({"own_member": f"{OWN}:DeafInAGroup"}, "is no class that is made of ClusterMember"),
        ({"own_member": f"{OWN}:Deaf", "family": "gms"}, "is no class that is made of GroupMember"),
        ({"own_member": f"{OWN}:Deaf", "legacy_fault": "missed removal"}, "a node has one member; give one"),
    ],
)
def test_a_member_that_cannot_be_made_is_told_in_a_sentence(values: dict[str, object], why: str) -> None:
    with pytest.raises(SettingError) as told:
        check_plugged(FAST.with_values(values))
    assert why in str(told.value)
    assert "\n" not in str(told.value)


def test_a_policy_that_raises_is_told_with_its_line() -> None:
    options = Options(values={"merge_policies": f"data={OWN}:FailingPolicy"})
    verdict = judged(run_simulated(clients_work_on_through_a_merge, options))
    (merged,) = [check for check in verdict.checks if check.name == "merged data"]
    assert f"{OWN}:FailingPolicy has failed: Gone: no idea (plugged_example.py:" in str(merged)


@script
async def one_starts(cluster: Cluster) -> None:
    await cluster.start("n1")
    await cluster.until(cluster.that.ended("n1"), within=10)


FAULTY = {
    "FailsInInit": "ValueError: boom in init",
    "GroupFailsInInit": "SystemExit: 0",
    "Exits": "SystemExit: 0",
    "Vanishes": "Gone: of no kind",
    "ReportsNonsense": "TypeError: report() takes an event of shaketable.events, and not 'nonsense'",
    "ReportsWrongFields": "TypeError: report() got a Failed that cannot be recorded: Encoding objects of type object",
    "SendsNonsense": "TypeError: send() takes a message of shaketable.messages, and not 'nonsense'",
}


def test_a_member_that_raises_has_failed_and_its_line_is_named_alike_in_both_worlds(tmp_path: Path) -> None:
    for name, why in FAULTY.items():
        values = {"own_member": f"{OWN}:{name}", "family": "gms" if "Group" in name else "cluster"}
        simulated = judged(run_simulated(one_starts, Options(values=values)))
        real = judged(run_real(one_starts, Options("real", values=values), folder=tmp_path))
        for verdict in (simulated, real):
            assert verdict.outcome == "failed"
            assert verdict.reasons[0].about == "node"
            assert verdict.reasons[0].text.startswith(f"n1 failed: {why}")
            assert "(plugged_example.py:" in verdict.reasons[0].text
        assert simulated.reasons[0].text == real.reasons[0].text
