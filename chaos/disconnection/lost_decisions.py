"""The master dies when it has decided who stays, and before anybody knows: the decision is lost with it.

Figure 5 of the text on partial member disconnection with a fifth member. The next in line is n2, which is itself in
the broken pairs: it claims the mastership, as the text has it, of those that it does not suspect. Each of the others
accepts the oldest that it does not suspect, so n2 keeps n5, and n3 and n4 are left to themselves, though [n3, n4, n5]
was the larger list. No master is above the parts any more to decide between them. Behaviour of the text."""

from shaketable import Cluster, Micros, script
from shaketable.chaos import LISTS, RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin_all, noticed
from shaketable.chaos.helpers.one_decision import it_stays_so, they_hang_up

ABOUT = (*LISTS, "claims", "detection")
FIVE = ("n1", "n2", "n3", "n4", "n5")


@script(about=[*ABOUT, "best clique", "fully connected"], settings=RESOLVING)
async def the_master_dies_on_deciding_about_cuts(cluster: Cluster) -> None:
    """n2 is cut off from n3 and n4; the master decides that n2 leaves, and dies: [n2, n5] and [n3, n4].

    n2 and n3 claim at once. n5 does not suspect n2, accepts its claim, and so refuses n3's. Behaviour of the text."""
    await the_decision_is_lost(cluster, CUT)
    await n2_keeps_n5(cluster, cluster.bounds.crash)
    await it_stays_so(cluster, ("n2", "n5"), ("n3", "n4"))


@script(about=ABOUT, settings=RESOLVING)
async def the_master_dies_on_deciding_about_silences(cluster: Cluster) -> None:
    """n2 and n3, n4 are silent to each other; the master decides that n2 leaves, and dies: [n2, n5] and [n3, n4]."""
    await the_decision_is_lost(cluster, BLACK_HOLE)
    await n2_keeps_n5(cluster, cluster.bounds.crash)


@script(about=ABOUT, settings=RESOLVING)
async def the_master_dies_on_deciding_one_way(cluster: Cluster) -> None:
    """n2 cannot reach n3 and n4; the master decides that n2 leaves, and dies: in the end [n2, n5] and [n3, n4].

    n3 and n4 do not suspect n2, and wait for its list: they have to miss its heartbeats before n3 claims."""
    await the_decision_is_lost(cluster, CUT, one_way=True)
    await cluster.until(cluster.that.agree("n2", "n5"), within=cluster.bounds.crash)
    await cluster.until(cluster.that.trusts("n3", "n2") & cluster.that.trusts("n4", "n2"), within=0)
    await n2_keeps_n5(cluster, cluster.bounds.take_over)


async def the_decision_is_lost(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    await cluster.form(*FIVE)
    await cluster.hold("n1", "DisconnectionResolved")
    await begin_all(cluster, how, ("n2", "n3"), ("n2", "n4"), one_way=one_way)
    decided = noticed(cluster, how) + cluster.bounds.resolution
    await cluster.until_held("n1", "DisconnectionResolved", within=decided)
    for name in FIVE[1:]:
        await cluster.until(cluster.that.has_list(name, version=5, members=FIVE), within=0)
    await cluster.kill("n1")


async def n2_keeps_n5(cluster: Cluster, within: Micros) -> None:
    ends = cluster.that.agree("n2", "n5") & cluster.that.agree("n3", "n4")
    await cluster.expect(ends, within=within)
    await they_hang_up(cluster, ("n2", "n5"), ("n3", "n4"))
    cluster.always(ends)
    for name in FIVE[1:]:
        await cluster.until(cluster.that.has_resolved(name, times=0), within=0)
