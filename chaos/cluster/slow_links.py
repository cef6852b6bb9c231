"""Slow links: at most a quarter of the heartbeat timeout is no break; above half of it and half an interval is one.

A heartbeat that looks older than that counts for nothing. A member that hears its master late has a clock that lags by
as much; so a quarter there and a quarter back is what is borne by all. Between these it depends on whose clock lags
(node/cluster/service/heartbeat.py). Four nodes; n1 is the master."""

from collections.abc import Iterable

from shaketable import MILLISECOND, Cluster, Micros, script
from shaketable.chaos import LISTS, RESOLVING
from shaketable.chaos.helpers.breaks import both_suspect
from shaketable.chaos.helpers.equal_lists import one_list_stays
from shaketable.chaos.helpers.one_decision import they_hang_up

ABOUT = (*LISTS, "detection")
DECIDED = (*ABOUT, "best clique")
ALL = ("n1", "n2", "n3", "n4")


@script(about=LISTS, settings=RESOLVING)
async def a_slow_link_between_followers(cluster: Cluster) -> None:
    """Messages between n2 and n3 take a quarter of the timeout: neither suspects the other, and nobody has to go."""
    await it_is_borne(cluster, [("n2", "n3")])


@script(about=LISTS, settings=RESOLVING)
async def a_slow_link_to_the_master(cluster: Cluster) -> None:
    """All messages between n3 and the master take a quarter of the timeout: n3's clock lags; all is well."""
    await it_is_borne(cluster, [("n1", "n3")])


@script(about=LISTS, settings=RESOLVING)
async def all_links_of_a_follower_are_slow(cluster: Cluster) -> None:
    """All that n3 sends and gets takes a quarter of the timeout: nobody suspects it, and it suspects nobody."""
    await it_is_borne(cluster, [(name, "n3") for name in ALL if name != "n3"])


@script(about=LISTS, settings=RESOLVING)
async def all_links_of_the_master_are_slow(cluster: Cluster) -> None:
    """All that the master sends and gets takes a quarter of the timeout: all clocks lag by as much, and all is well."""
    await it_is_borne(cluster, [(name, "n1") for name in ALL if name != "n1"])


async def it_is_borne(cluster: Cluster, pairs: Iterable[tuple[str, str]]) -> None:
    """For three timeouts, and when the links are quick again."""
    timeout = cluster.settings.heartbeat_timeout
    await cluster.form(*ALL)
    cluster.always(cluster.that.agree(*ALL) & cluster.that.has_resolved("n1", times=0))
    for a in ALL:
        for b in ALL:
            if a != b:
                cluster.always(cluster.that.trusts(a, b))
    await cluster.together(*[cluster.slow(a, b, milliseconds(timeout // 4)) for a, b in pairs])
    await cluster.sleep(3 * timeout)
    await cluster.heal_all()
    await cluster.sleep(timeout)
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.crash)


@script(about=DECIDED, settings=RESOLVING)
async def a_link_too_slow_between_followers(cluster: Cluster) -> None:
    """Messages between n2 and n3 take three quarters of the timeout: each heartbeat comes, and counts for nothing.

    Both suspect a timeout after the last one that was in time, and tell the master, which removes n3."""
    await a_pair_is_decided(cluster, one_way=False)


@script(about=DECIDED, settings=RESOLVING)
async def a_link_too_slow_one_way(cluster: Cluster) -> None:
    """Messages from n2 to n3 take three quarters of the timeout, those back no time: n3 has to go all the same."""
    await a_pair_is_decided(cluster, one_way=True)


async def a_pair_is_decided(cluster: Cluster, *, one_way: bool) -> None:
    await cluster.form(*ALL)
    await cluster.slow("n2", "n3", too_long(cluster), one_way=one_way)
    suspected = cluster.that.suspects("n3", "n2") if one_way else both_suspect(cluster, "n3", "n2")
    await cluster.until(suspected, within=cluster.bounds.silence)
    await cluster.until(cluster.that.agree(*ALL), within=0)
    staying, leaving = await one_list_stays(cluster, ALL, ["n3"], ["n2"], within=cluster.bounds.resolution)
    ends = cluster.that.has_resolved("n1") & cluster.that.agree(*leaving)
    await cluster.expect(ends, within=2 * cluster.bounds.silence)
    await cluster.sleep(too_long(cluster))  # what is still on its way is answered, and that opens a link again
    await they_hang_up(cluster, staying, leaving)


@script(about=ABOUT, settings=RESOLVING, unless="asks_others")
async def a_link_too_slow_to_the_master(cluster: Cluster) -> None:
    """Messages from n3 to the master take three quarters of the timeout: it removes n3 by itself, after a timeout.

    There is nothing to decide between followers: all of them hear each other."""
    await cluster.form(*ALL)
    cluster.always(cluster.that.has_resolved("n1", times=0))
    await cluster.slow("n3", "n1", too_long(cluster), one_way=True)
    await cluster.until(cluster.that.agree("n1", "n2", "n4"), within=cluster.bounds.silence)
    await cluster.expect(cluster.that.agree("n3"), within=3 * cluster.bounds.silence)


def too_long(cluster: Cluster) -> Micros:
    return milliseconds(cluster.settings.heartbeat_timeout * 3 // 4)


def milliseconds(time: Micros) -> Micros:
    """Whole ones: the real proxy knows no others."""
    return time // MILLISECOND * MILLISECOND
