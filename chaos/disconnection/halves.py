"""Three against three with partial member disconnection on: each half stays whole, however long it lasts.

A silent proxy is not a cut cable: in the real system halves that were parted by one for fifteen seconds or more broke
further apart, each time. If the master of a half sees a break by itself, there is nothing left to decide."""

from shaketable import Cluster, Condition, script
from shaketable.chaos import LISTS, RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, all_trust_but, begin_all

ABOUT = (*LISTS, "claims", "detection", "fully connected")
LEFT, RIGHT = ("n1", "n2", "n3"), ("n4", "n5", "n6")
TO_THE_RIGHT = tuple((a, b) for a in LEFT for b in RIGHT)
TO_THE_LEFT = tuple((b, a) for a, b in TO_THE_RIGHT)


@script(about=ABOUT, settings=RESOLVING)
async def halves_that_are_silent(cluster: Cluster) -> None:
    """The master and two are silent to the three others, for eight timeouts: two clusters of three, to the end.

    In both halves the followers suspect the same three as their master, and report them to it in vain."""
    await the_halves_stay_whole(cluster, BLACK_HOLE, TO_THE_RIGHT + TO_THE_LEFT, cluster.bounds.take_over)


@script(about=ABOUT, settings=RESOLVING)
async def halves_that_are_cut(cluster: Cluster) -> None:
    """The master and two are cut off from the three others, for eight timeouts: two clusters of three at once."""
    await the_halves_stay_whole(cluster, CUT, TO_THE_RIGHT + TO_THE_LEFT, 2 * cluster.bounds.crash)


@script(about=ABOUT, settings=RESOLVING)
async def halves_of_which_the_younger_hears_nothing(cluster: Cluster) -> None:
    """The three younger stop hearing the master's three: they go on by themselves, and then are missed in turn."""
    await the_halves_stay_whole(cluster, BLACK_HOLE, TO_THE_RIGHT, 2 * cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def halves_of_which_the_master_s_hears_nothing(cluster: Cluster) -> None:
    """The master's three stop hearing the three younger: the master removes these, and tells them so.

    It misses them in one round or in two, as their last heartbeats came. Then its first list parts the younger: those
    who are still on it give up the one who is not."""
    await cluster.form(*LEFT, *RIGHT)
    all_trust_but(cluster, LEFT)
    await begin_all(cluster, BLACK_HOLE, *TO_THE_LEFT, one_way=True)
    parted = cluster.that.agree(*LEFT) & the_younger_among_themselves(cluster)
    await cluster.until(parted, within=3 * cluster.bounds.silence)
    cluster.always(parted)
    await they_stay_so(cluster, parted)


@script(about=ABOUT, settings=RESOLVING)
async def halves_of_which_the_master_s_cannot_send(cluster: Cluster) -> None:
    """The master and two cannot reach the three others: it removes them at once; they miss it a timeout later."""
    await the_halves_stay_whole(cluster, CUT, TO_THE_RIGHT, 2 * cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def halves_of_which_the_younger_cannot_send(cluster: Cluster) -> None:
    """The three younger cannot reach the three others: they go on by themselves at once, and are missed later."""
    await the_halves_stay_whole(cluster, CUT, TO_THE_LEFT, 2 * cluster.bounds.silence)


async def the_halves_stay_whole(cluster: Cluster, how: str, links: tuple[tuple[str, str], ...], within: int) -> None:
    await cluster.form(*LEFT, *RIGHT)
    for half in (LEFT, RIGHT):
        all_trust_but(cluster, half)
        for name in half:
            cluster.always(cluster.that.has_resolved(name, times=0))
    await begin_all(cluster, how, *links, one_way=True)
    halves = cluster.that.agree(*LEFT) & cluster.that.agree(*RIGHT)
    await cluster.until(halves, within=within)
    cluster.always(halves)
    await they_stay_so(cluster, halves)


async def they_stay_so(cluster: Cluster, parted: Condition) -> None:
    await cluster.sleep(8 * cluster.settings.heartbeat_timeout)
    await cluster.heal_all()
    await cluster.sleep(3 * cluster.settings.heartbeat_interval)
    await cluster.expect(parted, within=cluster.bounds.crash)


def the_younger_among_themselves(cluster: Cluster) -> Condition:
    """Whole, or in two or three parts."""
    a, b, c = RIGHT
    ways = cluster.that.agree(a, b, c) | (cluster.that.agree(a) & cluster.that.agree(b) & cluster.that.agree(c))
    for alone, *two in ((a, b, c), (b, a, c), (c, a, b)):
        ways |= cluster.that.agree(alone) & cluster.that.agree(*two)
    return ways
