"""Clusters come to be: one node after the other, all at once, and by late joiners."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF


@script(about=LISTS, settings=MERGING_OFF)
async def form(cluster: Cluster) -> None:
    """Five nodes start one after the other: the names are in the order of their ages."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.expect(cluster.that.agree("n1", "n2", "n3", "n4", "n5"), within=cluster.bounds.crash)


@script(about=LISTS, settings=MERGING_OFF)
async def form_at_once(cluster: Cluster) -> None:
    """Five nodes start at once and agree by the start-up vote which of them founds the cluster."""
    names = ("n1", "n2", "n3", "n4", "n5")
    await cluster.form_at_once(*names)
    await cluster.expect(cluster.that.agree(*cluster.seen.members()), within=cluster.bounds.crash)


@script(about=LISTS, settings=MERGING_OFF)
async def late_joiners(cluster: Cluster) -> None:
    """Two nodes that the first three have never heard of join a cluster that runs."""
    await cluster.form("n1", "n2", "n3")
    await cluster.sleep(3 * cluster.settings.heartbeat_interval)
    await cluster.join("n4", "n5")
    await cluster.expect(cluster.that.agree("n1", "n2", "n3", "n4", "n5"), within=cluster.bounds.crash)
