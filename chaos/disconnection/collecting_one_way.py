"""Links break in one direction while the master collects suspicions.

The same stories as in collecting.py and while_collecting.py. Only one side tells of each break, and the other side,
which has noticed nothing, may have to go. n1 is the master. It waits for ten rounds after the last news."""

from shaketable import Cluster, script
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT
from shaketable.chaos.helpers.collecting import (
    ABOUT,
    DECIDED,
    PATIENT,
    a_break_is_decided_beside_a_flapping_link,
    the_master_loses_n3,
    the_master_misses_n3,
    the_next_master_decides,
    three_breaks_are_one_decision,
)


@script(about=DECIDED, settings=PATIENT)
async def a_flapping_link_beside_a_silent_one(cluster: Cluster) -> None:
    """n2 and n3 are silent to each other; the link from n4 to n3 comes and goes: n3 has to go all the same."""
    await a_break_is_decided_beside_a_flapping_link(cluster, BLACK_HOLE)


@script(about=DECIDED, settings=PATIENT)
async def a_flapping_link_beside_one_that_is_cut_one_way(cluster: Cluster) -> None:
    """n2 cannot send to n3, and the link from n4 to n3 comes and goes: both complain of n3, which has to go."""
    await a_break_is_decided_beside_a_flapping_link(cluster, CUT, one_way=True)


@script(about=DECIDED, settings=PATIENT)
async def more_one_way_cuts_while_the_master_collects(cluster: Cluster) -> None:
    """n2 cannot send to n3, then not to n4, then n3 not to n4: all know it at once: one decision for all three."""
    await three_breaks_are_one_decision(cluster, CUT, one_way=True)


@script(about=DECIDED, settings=PATIENT)
async def more_one_way_black_holes_while_the_master_collects(cluster: Cluster) -> None:
    """n3 does not hear n2, then n4 does not, then n4 does not hear n3: a timeout later one decision for all three."""
    await three_breaks_are_one_decision(cluster, BLACK_HOLE, one_way=True)


@script(about=ABOUT, settings=PATIENT)
async def the_master_cannot_reach_the_reported_member(cluster: Cluster) -> None:
    """n2 cannot send to n3; while the master waits it cannot either: it removes n3 at once, and that is enough.

    n3 hears of it from n4 alone; n2 and the master it has to miss."""
    await the_master_loses_n3(cluster, one_way=True)


@script(about=ABOUT, settings=PATIENT)
async def the_master_does_not_hear_the_reported_member(cluster: Cluster) -> None:
    """n2 stops hearing n3, the master four rounds later: the master hears of it from n2, then misses n3 itself."""
    await the_master_misses_n3(cluster, one_way=True)


@script(about=[*DECIDED, "claims"], settings=PATIENT)
async def the_master_crashes_while_it_collects_one_way_cuts(cluster: Cluster) -> None:
    """n3 cannot send to n5, and the master dies with n3's report: n3 reports to the next master n2, which decides."""
    await the_next_master_decides(cluster, CUT, one_way=True)


@script(about=[*DECIDED, "claims"], settings=PATIENT)
async def the_master_crashes_while_it_collects_one_way_silences(cluster: Cluster) -> None:
    """n3 does not hear n5, and the master dies with n3's report: n3 reports to the next master n2, which decides."""
    await the_next_master_decides(cluster, BLACK_HOLE, one_way=True)
