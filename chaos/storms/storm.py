"""A storm of random overlapping faults, then calm: whatever came apart, each part must agree with itself again."""

from itertools import combinations
from typing import Final

from shaketable import Cluster, endings, script
from shaketable.chaos import LISTS, MERGING_OFF, RESOLVING
from shaketable.chaos.helpers.one_decision import told
from shaketable.chaos.helpers.weather import NODES, BetweenFollowers, Weather, rage

MANY: Final = 20
"""members: of fewer, rules that look at some of them decide who stays, without a search"""
DOZEN: Final = 12
FORTY: Final = 40


@script(
    about=[*LISTS, "detection"],
    settings=MERGING_OFF,
)
async def storm(cluster: Cluster) -> None:
    """Twelve random faults overlap on six nodes; then all links heal, all who sleep wake, and the dead return.

    Nothing merges the parts yet that a split leaves, so `settled` is asked of each."""
    await cluster.form(*NODES)
    await rage(cluster, Weather(cluster))
    await endings.each_part_settles(cluster)


@script(
    about=[*LISTS, "detection"],
    settings=RESOLVING,
)
async def storm_between_followers(cluster: Cluster) -> None:
    """Twelve random faults, most of them breaks between followers that the master alone can mend; then calm.

    Some heal before they are decided, some long after, some never."""
    await cluster.form(*NODES)
    await rage(cluster, BetweenFollowers(cluster))
    # Things that are still broken are judged by then.
    await cluster.calm()
    await cluster.expect(cluster.that.settled(), within=cluster.bounds.settle())


@script(
    about=[*LISTS, "best clique"],
    settings=RESOLVING,
)
async def storm_of_broken_pairs(cluster: Cluster) -> None:
    """Twenty members, of whose pairs many break at once: so many that the master has to search for the best answer.

    Between a third and two thirds of all pairs of followers, some one way. Then they heal, and each part agrees."""
    await pairs_break(cluster, MANY, 1 / 3 + cluster.rng.random() / 3)


@script(
    about=[*LISTS, "best clique"],
    settings=RESOLVING,
    worlds=["sim"],
)
async def storm_of_pairs_among_forty(cluster: Cluster) -> None:
    """Forty members, of whose pairs many break at once, but so few that most members stay: the longest search.

    Between a seventh and a third of all pairs of followers, some one way. Then they heal, and each part agrees."""
    await pairs_break(cluster, FORTY, 0.15 + cluster.rng.random() / 6)


@script(
    about=[*LISTS, "best clique"],
    settings=RESOLVING,
)
async def storm_of_few_broken_pairs(cluster: Cluster) -> None:
    """Twelve members, of whose pairs some break at once, mostly so few that rules decide it without a search.

    Between a tenth and four tenths of all pairs of followers, some one way. Then they heal, and each part agrees."""
    await pairs_break(cluster, DOZEN, 0.1 + cluster.rng.random() * 0.3)


async def pairs_break(cluster: Cluster, size: int, share: float) -> None:
    """So many of all pairs of followers; then they heal."""
    members = [f"n{i}" for i in range(1, size + 1)]
    await cluster.form(*members)
    pairs = list(combinations(members[1:], 2))
    broken = [cluster.rng.sample(pair, 2) for pair in cluster.rng.sample(pairs, int(share * len(pairs)))]
    breaks = await cluster.together(*[cluster.cut(a, b, one_way=cluster.rng.random() < 0.2) for a, b in broken])
    await cluster.until(cluster.that.has_resolved("n1"), within=cluster.bounds.crash + cluster.bounds.resolution)
    await cluster.sleep(told(cluster))
    await cluster.together(*[cluster.heal(each) for each in breaks])
    await endings.each_part_settles(cluster)
