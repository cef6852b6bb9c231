"""A cluster that was split finds itself again: whatever its parts are, the smaller one goes over to the larger.

From the text on split-brain recovery."""

from __future__ import annotations

from shaketable.harness.cluster import Cluster
from shaketable.harness.scripts import script

ABOUT = ("settled",)


@script(about=ABOUT)
async def two_of_five_come_back(cluster: Cluster) -> None:
    """Three and two: the two go over to the three under new identities."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    apart = await cluster.split(["n1", "n2", "n3"], ["n4", "n5"])
    await cluster.until(cluster.agree("n1", "n2", "n3") & cluster.agree("n4", "n5"), within=cluster.bounds.settle())
    await cluster.heal(apart)
    await cluster.until(
        cluster.agree("n1", "n2", "n3", "n4", "n5"),
        within=cluster.settings.merge_first_run_delay + 3 * cluster.settings.merge_next_run_delay,
    )
