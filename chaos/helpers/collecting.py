"""Stories told alike of breaks in both directions and in one, while the master collects suspicions.

n1 is the master."""

from __future__ import annotations

from typing import Final

from shaketable import Cluster, Condition, Micros
from shaketable.chaos import LISTS, RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin, both_suspect, noticed, reported
from shaketable.chaos.helpers.equal_lists import Names, how_they_parted, one_list_stays
from shaketable.chaos.helpers.one_decision import in_one_list, they_hang_up

ABOUT: Final = (*LISTS, "detection")
DECIDED: Final = (*ABOUT, "best clique")
ALL: Final = ("n1", "n2", "n3", "n4")
FIVE: Final = (*ALL, "n5")
PATIENT: Final = {**RESOLVING, "partial_disconnection_heartbeat_count": 10}


async def a_break_is_decided_beside_a_flapping_link(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    await cluster.form(*ALL)
    await cluster.together(n4_flaps(cluster), a_break_is_decided(cluster, how, one_way=one_way))
    parts = how_they_parted(cluster, ALL, ["n3"], ["n2"])
    ends = cluster.that.agree(*parts.staying) & cluster.that.agree(*parts.leaving)
    await cluster.expect(ends, within=2 * cluster.bounds.silence)
    await they_hang_up(cluster, *parts)


async def n4_flaps(cluster: Cluster) -> None:
    """Until the master has decided n4 suspects n3, and does not, and suspects it again, every five rounds."""
    while not cluster.seen.view("n1").resolved:
        cut = await cluster.cut("n4", "n3", one_way=True)
        await cluster.sleep(3 * cluster.settings.heartbeat_interval)
        await cluster.heal(cut)
        await cluster.sleep(2 * cluster.settings.heartbeat_interval)


def is_known(cluster: Cluster, a: str, b: str, *, master: str = "n1") -> Condition:
    """One of the two has told the master that it suspects the other. That the other says so, too, may be no news."""
    return cluster.that.is_told(master, by=a, of=b) | cluster.that.is_told(master, by=b, of=a)


async def a_break_is_decided(cluster: Cluster, how: str, *, one_way: bool) -> None:
    """One way it is what n2 sends that is cut, or what n3 sends that vanishes: n2 knows it first."""
    wait = cluster.settings.partial_disconnection_wait
    await begin(cluster, how, *(("n2", "n3") if how == CUT else ("n3", "n2")), one_way=one_way)
    await cluster.until(is_known(cluster, "n2", "n3"), within=reported(cluster, how))
    await cluster.sleep(2 * wait)
    await cluster.until(cluster.that.has_resolved("n1", times=0), within=0)
    await cluster.until(cluster.that.has_resolved("n1"), within=cluster.bounds.resolution)


async def three_breaks_are_one_decision(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    await cluster.form(*ALL)
    leaving = [("n3", "n4"), ("n2", "n4"), ("n2", "n3")]
    cluster.always(in_one_list(cluster, ALL, *leaving))
    before_the_wait_is_over = cluster.settings.partial_disconnection_wait * 6 // 10
    await begin(cluster, how, "n2", "n3", one_way=one_way)
    await cluster.sleep(before_the_wait_is_over)
    await begin(cluster, how, "n2", "n4", one_way=one_way)
    await cluster.sleep(before_the_wait_is_over)
    await begin(cluster, how, "n3", "n4", one_way=one_way)
    within = noticed(cluster, how) + cluster.bounds.resolution
    staying, (one, other) = await one_list_stays(cluster, ALL, *leaving, within=within)
    await two_have_left(cluster, staying, [one], [other], decisions=1)


async def two_have_left(cluster: Cluster, staying: Names, one: Names, other: Names, *, decisions: int = 2) -> None:
    alone = cluster.that.agree(*one) & cluster.that.agree(*other)
    resolved = cluster.that.has_resolved("n1", times=decisions)
    await cluster.expect(resolved & alone, within=2 * cluster.bounds.silence)
    await they_hang_up(cluster, staying, one, other)


async def one_of_two_leaves(cluster: Cluster, names: Names, one: str, other: str) -> None:
    """By a decision that is due: of ours it is the first."""
    staying, leaving = await one_list_stays(cluster, names, [one], [other], within=cluster.bounds.resolution)
    ends = cluster.that.has_resolved(names[0]) & cluster.that.agree(*leaving)
    await cluster.expect(ends, within=2 * cluster.bounds.silence)
    await they_hang_up(cluster, staying, leaving)


async def the_master_loses_n3(cluster: Cluster, *, one_way: bool = False) -> None:
    await cluster.form(*ALL)
    await begin(cluster, CUT, "n2", "n3", one_way=one_way)
    known = is_known(cluster, "n2", "n3")
    await cluster.until(known if one_way else known & both_suspect(cluster, "n2", "n3"), within=reported(cluster, CUT))
    await cluster.sleep(cluster.settings.heartbeat_interval)  # n3 has told it as well
    await begin(cluster, CUT, "n1", "n3", one_way=one_way)
    await n3_is_gone_before_a_decision(cluster, cluster.bounds.crash)


async def the_master_misses_n3(cluster: Cluster, *, one_way: bool = False) -> None:
    """One way it is what n3 sends that vanishes."""
    await cluster.form(*ALL)
    await begin(cluster, BLACK_HOLE, "n3", "n2", one_way=one_way)
    await cluster.sleep(4 * cluster.settings.heartbeat_interval)
    await begin(cluster, BLACK_HOLE, "n3", "n1", one_way=one_way)
    await cluster.until(is_known(cluster, "n2", "n3"), within=reported(cluster, BLACK_HOLE))
    await n3_is_gone_before_a_decision(cluster, cluster.bounds.silence)


async def n3_is_gone_before_a_decision(cluster: Cluster, within: Micros) -> None:
    without_n3 = cluster.that.has_list("n1", version=5, members=["n1", "n2", "n4"])
    await cluster.until(without_n3 & cluster.that.is_not_told("n1", by="n2", of="n3"), within=within)
    cluster.always(without_n3)
    await nothing_is_decided(cluster)
    await cluster.expect(
        cluster.that.agree("n1", "n2", "n4") & cluster.that.agree("n3"), within=3 * cluster.bounds.silence
    )


async def nothing_is_decided(cluster: Cluster) -> None:
    """Not even in vain: there is nothing."""
    cluster.always(cluster.that.has_resolved("n1", times=0) & cluster.that.has_not_resolved("n1", times=0))
    await cluster.sleep(cluster.bounds.resolution)


async def the_next_master_decides(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    """One way it is what n5 sends to n3 that vanishes, or what n3 sends to n5 that is cut: n3 knows it."""
    await cluster.form(*FIVE)
    cluster.always(cluster.that.has_resolved("n1", times=0))
    await begin(cluster, how, *(("n3", "n5") if how == CUT else ("n5", "n3")), one_way=one_way)
    await cluster.until(is_known(cluster, "n3", "n5"), within=reported(cluster, how))
    await cluster.kill("n1")
    await cluster.until(cluster.that.agree("n2", "n3", "n4", "n5"), within=cluster.bounds.crash)
    known = is_known(cluster, "n3", "n5", master="n2")
    await cluster.until(
        known & cluster.that.has_resolved("n2", times=0), within=2 * cluster.settings.heartbeat_interval
    )
    await one_of_two_leaves(cluster, FIVE[1:], "n5", "n3")
