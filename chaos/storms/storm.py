"""A storm of random overlapping faults, then calm: whatever came apart, each part must agree with itself again."""

from shaketable import Cluster, endings, script
from shaketable.chaos import LISTS, MERGING_OFF, RESOLVING
from shaketable.chaos.helpers.weather import NODES, BetweenFollowers, Weather, rage


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
