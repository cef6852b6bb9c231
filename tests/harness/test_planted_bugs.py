"""Each check is red under a planted bug of its own, and green on the same script and seeds without it."""

from __future__ import annotations

import pytest
from tests.harness.planted import (
    AppliesAnyVersion,
    AppliesListWithoutMe,
    FollowerPublishes,
    ForgetsOneFollower,
    IgnoresNewMaster,
    ReusesVersion,
)

from shaketable.harness.cluster import Cluster
from shaketable.harness.judging import judged
from shaketable.harness.run import Options, run_simulated
from shaketable.harness.scripts import Script, script
from shaketable.node.member import ClusterMember


@script(about=["view order"])
async def late_list(cluster: Cluster) -> None:
    """The list without n5 reaches n3 after the list without n4."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    held = await cluster.hold_back("membersupdate", sender="n1", to=["n3"], count=1)
    await cluster.kill("n5")
    await cluster.sleep(cluster.bounds.crash)
    await cluster.kill("n4")
    await cluster.sleep(cluster.bounds.crash)
    await cluster.heal(held)
    await cluster.sleep(cluster.settings.heartbeat_interval)


@script(about=["view agreement", "one list a key", "settled"])
async def a_follower_dies(cluster: Cluster) -> None:
    """A follower is killed, and there is time enough for all to agree."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.kill("n4")
    await cluster.sleep(cluster.bounds.settle() + cluster.settings.heartbeat_timeout)


@script(about=["view integrity"])
async def a_follower_sleeps(cluster: Cluster) -> None:
    """A follower sleeps until it is removed, and wakes."""
    await cluster.form("n1", "n2", "n3", "n4")
    pause = await cluster.pause("n4")
    await cluster.sleep(cluster.bounds.silence + cluster.settings.heartbeat_interval)
    await cluster.heal(pause)
    await cluster.sleep(cluster.bounds.settle())


@script(about=["single authority", "settled"])
async def the_master_dies(cluster: Cluster) -> None:
    """The master is killed, and there is time enough for all to agree."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.kill("n1")
    await cluster.sleep(cluster.bounds.settle() + cluster.settings.heartbeat_interval)


CASES = [
    ("view order", late_list, AppliesAnyVersion),
    ("view agreement", a_follower_dies, ForgetsOneFollower),
    ("view integrity", a_follower_sleeps, AppliesListWithoutMe),
    ("one list a key", a_follower_dies, ReusesVersion),
    ("single authority", the_master_dies, FollowerPublishes),
    ("settled", the_master_dies, IgnoresNewMaster),
]


@pytest.mark.parametrize(("check", "subject", "bug"), CASES, ids=[case[0] for case in CASES])
def test_the_check_catches_its_planted_bug(check: str, subject: Script, bug: type[ClusterMember]) -> None:
    for seed in range(1, 6):
        without = judged(run_simulated(subject, Options("sim", seed=seed)))
        assert without.outcome == "passed", without.reasons
        planted = judged(run_simulated(subject, Options("sim", seed=seed), make_member=bug))
        assert planted.outcome == "failed", planted.reasons
        status = {result.name: result.status for result in planted.checks}
        assert status[check] == "broken", status
        broken = next(result for result in planted.checks if result.name == check)
        assert all(violation.proof for violation in broken.violations)
