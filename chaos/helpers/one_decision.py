"""What stories of partial member disconnection have in common: one decision, by one list, and the members that leave
are told."""

from __future__ import annotations

from functools import reduce
from operator import and_

from shaketable import Cluster, Condition, Micros, Observed
from shaketable.chaos.helpers.equal_lists import Names, Parts, allowed, one_list_stays


def in_one_list(cluster: Cluster, names: Names, *leaving: Names, version: int = 0) -> Condition:
    """Each member that stays, the master first, holds the list of all or the list without those that leave, no other.

    One decision makes one new list, whose version rises by the number of members that leave. The version before it,
    unless given, is that of a list to which members were added one at a time. Where they leave one by one, those
    between are allowed as well."""
    before = version or len(names)
    ways = allowed(cluster, names, leaving)

    def wrong_with(seen: Observed, way: Parts) -> tuple[int, str] | None:
        for place, name in enumerate(way.staying):
            held = seen.names_of(seen.nodes[name].members)
            gone = [each for each in way.leaving if each not in held]
            if not cluster.under_test.one_by_one and len(gone) < len(way.leaving):
                gone = []
            rest = [each for each in names if each not in gone]
            if why := cluster.that.has_list(name, version=before + len(gone), members=rest).ask(seen):
                return place, why
        return None

    def why_not(seen: Observed) -> str | None:
        wrong = (-1, "")  # the way that the most of them, from the oldest on, have gone says it best
        for way in ways:
            this = wrong_with(seen, way)
            if this is None:
                return None
            wrong = max(wrong, this)
        return wrong[1]

    they = f"{', '.join(leaving[0])}{', or as many in their place,' if len(ways) > 1 else ''}"
    return Condition(f"nobody but {they} leaves", why_not)


async def they_part(cluster: Cluster, names: Names, *leaving: Names, noticed: Micros) -> Parts:
    """The break is noticed in so much time, and then the master decides. Members that leave go on together.

    Then nothing more happens, except that the two parts drop their connections: what was reported of those that left is
    no reason for another decision."""
    parts = await one_list_stays(cluster, names, *leaving, within=noticed + cluster.bounds.resolution)
    ends = have_parted(cluster, parts)
    await cluster.until(ends, within=told(cluster))
    await they_hang_up(cluster, *parts)
    await cluster.sleep(cluster.bounds.resolution)
    await cluster.expect(ends, within=noticed + cluster.bounds.resolution + told(cluster))
    return parts


def have_parted(cluster: Cluster, parts: Parts) -> Condition:
    """Those who leave one by one may part as well."""
    staying = cluster.that.agree(*parts.staying)
    return staying if cluster.under_test.one_by_one else staying & cluster.that.agree(*parts.leaving)


async def they_hang_up(cluster: Cluster, *parts: Names) -> None:
    """Nobody keeps a link to a member of another part, when both know of it for so long."""
    if cluster.under_test.keeps_links:
        await cluster.sleep(cluster.bounds.hanging_up)
        return
    both_ways = [(one, other) for one in parts for other in parts if one is not other]
    down = [cluster.that.link_is_down(who, whom) for one, other in both_ways for who in one for whom in other]
    all_down = Condition("nobody has a link to a member of another part", reduce(and_, down).ask)
    await cluster.until(all_down, within=cluster.bounds.hanging_up)


async def it_stays_so(cluster: Cluster, *parts: Names) -> None:
    """While nothing else happens, for as long as it takes until the checks judge it."""
    await cluster.calm()
    judged = parts[:1] if cluster.under_test.one_by_one else parts
    await cluster.until(reduce(and_, [cluster.that.agree(*part) for part in judged]), within=0)


def told(cluster: Cluster) -> Micros:
    """From the decision until those who were removed know it, by their next heartbeats, and have answered a claim."""
    return 2 * cluster.settings.heartbeat_interval + cluster.settings.mastership_claim_longest_retry
