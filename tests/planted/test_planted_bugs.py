"""Each check is red under a planted bug of its own, and green on the same script and seeds without it."""

from __future__ import annotations

from functools import cache
from typing import Final

import pytest
from tests.lengths import seeds
from tests.planted.planted import (
    AcceptsAnyClaim,
    AppliesAnyVersion,
    AppliesListWithoutMe,
    BearsLostConnections,
    DeafToTheSecond,
    DeclinesForGood,
    FollowerPublishes,
    FollowsNextInLine,
    ForgetsOneFollower,
    IgnoresNewMaster,
    LooksAroundOnce,
    OverwritesWithStaleList,
    RemovesBySelf,
    ReusesVersion,
    SuspectsNoSilence,
    SuspectsTooEarly,
    TellsSuspects,
    TellsTheListToNobody,
)
from tests.planted.planted_data import DATA_CASES
from tests.planted.planted_decisions import (
    BelievesSlander,
    CountsWhatHasJustBroken,
    DecidesAtOnce,
    DecidesOnWithdrawnReports,
    IgnoresAReporter,
    KeepsItsLinks,
    MissesReports,
    NeverDecides,
    RemovesOneByOne,
    RemovesOneTooMany,
    RemovesTheDataMember,
    RemovesTheOlder,
)
from tests.planted.planted_groups import GROUP_CASES
from tests.planted.planted_merging import MERGING_CASES
from tests.planted.planted_tables import (
    ClearsFirst,
    CommitsByItself,
    DoesItAgain,
    FindsLess,
    ForgetsAtTheFirstAnswer,
    KeepsOldOnes,
    LooksNowhere,
    RaisesByOne,
    RepairsTooMuch,
    ShiftsDownByHalves,
    ShiftsOut,
    SourceCommitsAtOnce,
    TakesAnybodysTable,
    UndoesWhatIsCompleted,
)
from tests.planted.scripts_with_data import (
    a_destination_dies,
    a_member_dies,
    a_member_joins,
    a_second_member_joins,
    one_remembers_what_others_have_forgotten,
    the_master_dies_over_a_commit,
    the_next_master_missed_a_table,
    the_old_master_wakes_with_a_newer_table,
)

from shaketable.chaos import RESOLVING
from shaketable.harness.checks.registry import CHECK_NAMES
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script, script
from shaketable.harness.verdicts.verdict import RunVerdict
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.gms import GroupMember


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


@script(about=["view agreement", "one list a key", "consequences", "settled", "nothing waits", "detection"])
async def a_follower_dies(cluster: Cluster) -> None:
    """A follower is killed, and there is time enough for all to agree."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.kill("n4")
    await cluster.sleep(cluster.bounds.settle() + cluster.settings.heartbeat_timeout)


@script(about=["joined"])
async def nobody_is_heard(cluster: Cluster) -> None:
    """n3 hears nothing of the others when it starts."""
    await cluster.form("n1", "n2")
    await cluster.together(*[cluster.drop("masterresponse", sender=name) for name in ("n1", "n2")])
    await cluster.start("n3")
    await cluster.sleep(cluster.bounds.forming + cluster.settings.heartbeat_interval)


@script(about=["view integrity", "detection"])
async def a_follower_sleeps(cluster: Cluster) -> None:
    """A follower sleeps until it is removed, and wakes."""
    await cluster.form("n1", "n2", "n3", "n4")
    pause = await cluster.pause("n4")
    await cluster.sleep(cluster.bounds.silence + cluster.settings.heartbeat_interval)
    await cluster.heal(pause)
    await cluster.sleep(cluster.bounds.settle())


@script(about=["single authority", "settled", "following", "claims"])
async def the_master_dies(cluster: Cluster) -> None:
    """The master is killed, and there is time enough for all to agree."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.kill("n1")
    await cluster.sleep(cluster.bounds.settle() + cluster.settings.heartbeat_interval)


@script(about=["following"])
async def a_follower_is_not_heard(cluster: Cluster) -> None:
    """A follower falls silent towards another one, while the master hears both."""
    await cluster.form("n1", "n2", "n3", "n4")
    silence = await cluster.blackhole("n2", "n3", one_way=True)
    await cluster.until(cluster.that.suspects("n3", "n2"), within=cluster.bounds.silence)
    await cluster.heal(silence)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)


@script(about=["claims", "settled"])
async def a_claim_after_a_missed_list(cluster: Cluster) -> None:
    """The next in line has missed the list with n5 in it, and learns of n5 by the answers to its claim."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.drop("membersupdate", sender="n1", to=["n2"])
    await cluster.start("n5")
    names = ["n1", "n2", "n3", "n4", "n5"]
    for name in ("n3", "n4", "n5"):
        await cluster.until(cluster.that.has_list(name, version=5, members=names), within=cluster.bounds.forming)
    await cluster.kill("n1")
    await cluster.sleep(cluster.bounds.settle())


@script(about=["claims", "true reasons"])
async def a_claim_in_vain(cluster: Cluster) -> None:
    """n2 loses sight of the master, whom all others hear well: nobody accepts its claim."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.blackhole("n1", "n2", one_way=True)
    await cluster.until(cluster.that.claims("n2"), within=cluster.bounds.silence)
    await cluster.sleep(cluster.settings.mastership_claim_timeout + cluster.settings.heartbeat_interval)


@script(about=["true reasons"])
async def they_do_not_hear_each_other(cluster: Cluster) -> None:
    """n2 and n3 suspect each other, and what n3 sends comes through again."""
    await cluster.form("n1", "n2", "n3")
    await cluster.blackhole("n2", "n3", one_way=True)
    silence = await cluster.blackhole("n3", "n2", one_way=True)
    await cluster.until(cluster.that.suspects("n2", "n3"), within=cluster.bounds.silence)
    await cluster.until(cluster.that.suspects("n3", "n2"), within=cluster.bounds.silence)
    await cluster.heal(silence)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)


@script(about=["best clique", "fully connected"], settings=RESOLVING)
async def figure_5(cluster: Cluster) -> None:
    """n2 cannot talk to n3 and n4, and the master sees all three."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.blackhole("n2", "n3")
    await cluster.blackhole("n2", "n4")
    await cluster.sleep(cluster.bounds.settle() + cluster.settings.heartbeat_interval)


@script(about=["best clique", "fully connected"], settings=RESOLVING)
async def racks(cluster: Cluster) -> None:
    """Two racks of two cannot talk to each other: the younger one goes."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.split(["n2", "n3"], ["n4", "n5"], how="cut")
    await cluster.sleep(cluster.bounds.settle() + cluster.settings.heartbeat_interval)


@script(about=["best clique"], settings=RESOLVING)
async def a_lite_member_and_another(cluster: Cluster) -> None:
    """n2 is a lite member, and cannot talk to n3: it goes, though it is older."""
    await cluster.form("n1")
    await cluster.join("n2", settings={"lite_member": True})
    await cluster.join("n3", "n4")
    await cluster.cut("n2", "n3")
    await cluster.sleep(cluster.bounds.settle())


@script(about=["best clique"], settings=RESOLVING)
async def one_of_two_heals(cluster: Cluster) -> None:
    """n2 and n3 can talk again while the master collects, n4 and n5 cannot: one of these goes, and nobody else."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    cut = await cluster.cut("n2", "n3", one_way=True)
    await cluster.cut("n4", "n5")
    await cluster.sleep(cluster.bounds.crash + 2 * cluster.settings.heartbeat_interval)
    await cluster.heal(cut)
    await cluster.sleep(cluster.bounds.settle())


@script(about=["best clique", "fully connected"], settings=RESOLVING)
async def two_silences(cluster: Cluster) -> None:
    """n3 does not hear n2, n5 does not hear n4, and each alone can tell: both go, and all links to them."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.blackhole("n2", "n3", one_way=True)
    await cluster.blackhole("n4", "n5", one_way=True)
    await cluster.sleep(2 * cluster.bounds.settle())


@script(about=["best clique"], settings=RESOLVING)
async def a_link_flaps_beside_a_cut(cluster: Cluster) -> None:
    """n2 and n3 are cut off from each other for good; what n4 sends to n5 comes and goes, and is gone when n3 goes."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    wait, interval = cluster.settings.partial_disconnection_wait, cluster.settings.heartbeat_interval
    await cluster.cut("n2", "n3")
    for _ in range(2):
        await cluster.sleep(wait - 2 * interval)
        cut = await cluster.cut("n4", "n5", one_way=True)
        await cluster.sleep(2 * interval)
        await cluster.heal(cut)
    await cluster.sleep(wait - 2 * interval)
    cut = await cluster.cut("n4", "n5", one_way=True)
    await cluster.until(cluster.that.has_resolved("n1"), within=cluster.bounds.resolution)
    await cluster.heal(cut)
    await cluster.sleep(cluster.bounds.settle())


CASES = [
    ("view order", late_list, AppliesAnyVersion),
    ("view agreement", a_follower_dies, ForgetsOneFollower),
    ("view integrity", a_follower_sleeps, AppliesListWithoutMe),
    ("one list a key", a_follower_dies, ReusesVersion),
    ("single authority", the_master_dies, FollowerPublishes),
    ("following", the_master_dies, FollowsNextInLine),
    ("following", a_follower_is_not_heard, RemovesBySelf),
    ("claims", a_claim_after_a_missed_list, OverwritesWithStaleList),
    ("claims", a_claim_in_vain, AcceptsAnyClaim),
    ("consequences", a_follower_dies, TellsTheListToNobody),
    ("true reasons", a_claim_in_vain, DeclinesForGood),
    ("true reasons", they_do_not_hear_each_other, TellsSuspects),
    ("joined", nobody_is_heard, LooksAroundOnce),
    ("nothing waits", a_follower_dies, ForgetsOneFollower),
    ("fully connected", figure_5, NeverDecides),
    ("best clique", figure_5, RemovesOneTooMany),
    ("best clique", racks, RemovesTheOlder),
    ("best clique", racks, RemovesOneByOne),
    ("best clique", figure_5, IgnoresAReporter),
    ("best clique", a_lite_member_and_another, RemovesTheDataMember),
    ("best clique", one_of_two_heals, DecidesOnWithdrawnReports),
    ("best clique", one_of_two_heals, BelievesSlander),
    ("best clique", figure_5, DecidesAtOnce),
    ("best clique", a_link_flaps_beside_a_cut, CountsWhatHasJustBroken),
    ("best clique", two_silences, MissesReports),
    ("best clique", two_silences, KeepsItsLinks),
    ("table order", the_next_master_missed_a_table, LooksNowhere),
    ("table order", a_destination_dies, RaisesByOne),
    ("table order", the_next_master_missed_a_table, FindsLess),
    ("table order", the_old_master_wakes_with_a_newer_table, TakesAnybodysTable),
    ("replica count", a_member_dies, RepairsTooMuch),
    ("replica count", a_member_joins, ClearsFirst),
    ("replica count", a_second_member_joins, ShiftsDownByHalves),
    ("commit order", a_member_joins, CommitsByItself),
    ("commit order", a_member_joins, SourceCommitsAtOnce),
    ("commit order", the_master_dies_over_a_commit, UndoesWhatIsCompleted),
    ("commit order", one_remembers_what_others_have_forgotten, DoesItAgain),
    ("commit order", a_member_joins, ShiftsOut),
    ("completed list", a_member_joins, ForgetsAtTheFirstAnswer),
    ("completed list", a_member_joins, KeepsOldOnes),
    ("settled", the_master_dies, IgnoresNewMaster),
    ("detection", a_follower_dies, BearsLostConnections),
    ("detection", a_follower_sleeps, SuspectsTooEarly),
    ("detection", a_follower_sleeps, SuspectsNoSilence),
    ("detection", a_follower_sleeps, DeafToTheSecond),
    *DATA_CASES,
    *MERGING_CASES,
    *GROUP_CASES,
]


def test_no_check_is_without_a_planted_bug() -> None:
    assert set(CHECK_NAMES) == {check for check, _, _ in CASES}


SUBJECTS: Final = [subject for _, subject, _ in CASES]
EACH: Final = [
    pytest.param(
        check, subject, bug, id=f"{check}: {bug.__name__}", marks=pytest.mark.xdist_group(f"planted in {subject.name}")
    )
    for check, subject, bug in CASES
]
"""All bugs of one story are for one process."""


@cache
def without_a_bug(place: int, seed: int) -> RunVerdict:
    """Of the story with this place, which is played so once for all its bugs."""
    return judged(run_simulated(SUBJECTS[place], Options("sim", seed=seed)), story=False)


@seeds(1, 2, first=1)
@pytest.mark.parametrize(("check", "subject", "bug"), EACH)
def test_the_check_catches_its_planted_bug(
    check: str, subject: Script, bug: type[ClusterMember | GroupMember], seeds: range
) -> None:
    for seed in seeds:
        without = without_a_bug(SUBJECTS.index(subject), seed)
        assert without.outcome == "passed", without.reasons
        planted = judged(run_simulated(subject, Options("sim", seed=seed), make_member=bug))
        assert planted.outcome == "failed", planted.reasons
        status = {result.name: result.status for result in planted.checks}
        assert status[check] == "broken", status
        broken = next(result for result in planted.checks if result.name == check)
        assert all(violation.proof for violation in broken.violations)
