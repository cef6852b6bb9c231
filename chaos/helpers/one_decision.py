"""What stories of partial member disconnection have in common: one decision, by one list, and the members that leave
are told."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import combinations
from operator import and_, or_

from shaketable import Cluster, Condition, Micros


def in_one_list(cluster: Cluster, names: Sequence[str], leaving: Sequence[str], *, version: int = 0) -> Condition:
    """Each member that stays, the master first, holds the list of all or the list without those that leave, no other.

    One decision makes one new list, whose version rises by the number of members that leave. The version before it,
    unless given, is that of a list to which members were added one at a time. Where they leave one by one, those
    between are allowed as well."""
    before = version or len(names)
    staying = [name for name in names if name not in leaving]
    sizes = range(len(leaving) + 1) if cluster.under_test.one_by_one else (0, len(leaving))
    ways = [gone for size in sizes for gone in combinations(leaving, size)]

    def one_of_them(name: str) -> Condition:
        lists = [[each for each in names if each not in gone] for gone in ways]
        holds = [
            cluster.that.has_list(name, version=before + len(gone), members=members)
            for gone, members in zip(ways, lists, strict=True)
        ]
        return reduce(or_, holds)

    all_of_them = reduce(and_, map(one_of_them, staying))
    if len(ways) == 2:
        return all_of_them
    return Condition(f"nobody but {', '.join(leaving)} leaves, a version each", all_of_them.ask)


async def they_part(cluster: Cluster, staying: Sequence[str], leaving: Sequence[str], *, noticed: Micros) -> None:
    """The break is noticed in so much time, and then the master decides. Members that leave go on together.

    Then nothing more happens, except that the two parts drop their connections: what was reported of those that left is
    no reason for another decision."""
    await cluster.until(cluster.that.agree(*staying), within=noticed + cluster.bounds.resolution)
    ends = cluster.that.agree(*staying)
    if not cluster.under_test.one_by_one:  # else they may part as well
        ends &= cluster.that.agree(*leaving)
    await cluster.until(ends, within=told(cluster))
    await they_hang_up(cluster, staying, leaving)
    await cluster.sleep(cluster.bounds.resolution)
    await cluster.expect(ends, within=noticed + cluster.bounds.resolution + told(cluster))


async def they_hang_up(cluster: Cluster, *parts: Sequence[str]) -> None:
    """Nobody keeps a link to a member of another part, when both know of it for so long."""
    if cluster.under_test.keeps_links:
        await cluster.sleep(cluster.bounds.hanging_up)
        return
    both_ways = [(one, other) for one in parts for other in parts if one is not other]
    down = [cluster.that.link_is_down(who, whom) for one, other in both_ways for who in one for whom in other]
    all_down = Condition("nobody has a link to a member of another part", reduce(and_, down).ask)
    await cluster.until(all_down, within=cluster.bounds.hanging_up)


async def it_stays_so(cluster: Cluster, *parts: Sequence[str]) -> None:
    """While nothing else happens, for as long as it takes until the checks judge it."""
    await cluster.calm()
    judged = parts[:1] if cluster.under_test.one_by_one else parts
    await cluster.until(reduce(and_, [cluster.that.agree(*part) for part in judged]), within=0)


def told(cluster: Cluster) -> Micros:
    """From the decision until those who were removed know it, by their next heartbeats, and have answered a claim."""
    return 2 * cluster.settings.heartbeat_interval + cluster.settings.mastership_claim_longest_retry
