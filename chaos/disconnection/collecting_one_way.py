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
    """n2 and n3 are silent to each other; what n4 sends to n3 comes and goes, from before they notice it."""
    await a_break_is_decided_beside_a_flapping_link(cluster, BLACK_HOLE)


@script(about=DECIDED, settings=PATIENT)
async def a_flapping_link_beside_one_that_is_cut_one_way(cluster: Cluster) -> None:
    """n2 cannot send to n3, and what n4 sends to n3 comes and goes: n3, of whom both complain, has to go."""
    await a_break_is_decided_beside_a_flapping_link(cluster, CUT, one_way=True)


@script(about=DECIDED, settings=PATIENT)
async def more_one_way_cuts_while_the_master_collects(cluster: Cluster) -> None:
    """n2 cannot send to n3, then not to n4, then n3 not to n4, and all know it at once: one decision for all three."""
    await three_breaks_are_one_decision(cluster, CUT, one_way=True)


@script(about=DECIDED, settings=PATIENT)
async def more_one_way_black_holes_while_the_master_collects(cluster: Cluster) -> None:
    """What n2 sends to n3 vanishes, then what it sends to n4, then what n3 sends to n4: the same a timeout later."""
    await three_breaks_are_one_decision(cluster, BLACK_HOLE, one_way=True)


@script(about=ABOUT, settings=PATIENT)
async def the_master_cannot_reach_whom_it_is_told_of(cluster: Cluster) -> None:
    """n2 cannot send to n3, and while the master waits it cannot either: that removes n3 at once, and it is enough.

    n3 hears of it from n4 alone; n2 and the master it has to miss."""
    await the_master_loses_n3(cluster, one_way=True)


@script(about=ABOUT, settings=PATIENT)
async def the_master_does_not_hear_whom_it_is_told_of(cluster: Cluster) -> None:
    """n2 does not hear n3, and four rounds later the master does not: it learns of it from n2, and then by itself."""
    await the_master_misses_n3(cluster, one_way=True)


@script(about=[*DECIDED, "claims"], settings=PATIENT)
async def the_master_crashes_while_it_collects_one_way_cuts(cluster: Cluster) -> None:
    """n3 cannot send to n5, the master dies with what n3 told it: n2 is told anew, and decides."""
    await the_next_master_decides(cluster, CUT, one_way=True)


@script(about=[*DECIDED, "claims"], settings=PATIENT)
async def the_master_crashes_while_it_collects_one_way_silences(cluster: Cluster) -> None:
    """n3 does not hear n5, the master dies with what n3 told it: n2 is told anew, and decides."""
    await the_next_master_decides(cluster, BLACK_HOLE, one_way=True)
