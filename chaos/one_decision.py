"""What stories of partial member disconnection have in common: one decision, by one list, and who leaves is told."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.cluster import Cluster
from shaketable.harness.conditions import Condition
from shaketable.node.env import Micros


def in_one_list(cluster: Cluster, names: Sequence[str], leaving: Sequence[str], *, version: int = 0) -> Condition:
    """The master, the first of the names, holds the list of all or the one without those who leave, and none between.

    All of one decision go by one new list, whose version rises by their number. Before it, unless said otherwise, is
    that of a list to which one was added at a time."""
    before = version or len(names)
    staying = [name for name in names if name not in leaving]
    without = cluster.holds(names[0], version=before + len(leaving), members=staying)
    return cluster.holds(names[0], version=before, members=names) | without


async def they_part(cluster: Cluster, staying: Sequence[str], leaving: Sequence[str], *, noticed: Micros) -> None:
    """From the break until it is noticed it takes so long, and then the decision. Who leaves goes on together.

    Then nothing more happens: what was reported of those who left is no reason for another decision."""
    await cluster.until(cluster.agree(*staying), within=noticed + cluster.bounds.resolution)
    ends = cluster.agree(*staying) & cluster.agree(*leaving)
    await cluster.until(ends, within=told(cluster))
    await cluster.sleep(cluster.bounds.resolution)
    await cluster.expect(ends, within=noticed + cluster.bounds.resolution + told(cluster))


def told(cluster: Cluster) -> Micros:
    """From the decision until those who were removed know it, by their next heartbeats, and have answered a claim."""
    return 2 * cluster.settings.heartbeat_interval + cluster.settings.mastership_claim_longest_retry
