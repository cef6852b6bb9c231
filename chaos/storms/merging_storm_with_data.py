"""A storm of broken links, splits, sleeps and crashes over members that hold data; what comes apart merges again.

Clients write and read on all the while, at whichever identity their node has. In the end there is one cluster with all
partitions in place, and of every key that anybody wrote it holds what the policy of its map says."""

from __future__ import annotations

from collections.abc import Mapping

from shaketable import Cluster, Settings, endings, script
from shaketable.chaos import merging_soon
from shaketable.chaos.helpers.weather import NODES, Weather, rage

ABOUT = ("no lost data", "balanced", "in place", "settled")
"""Not each storm brings a merge: where one does, "merged data" is asked, too."""
POLICIES = "precious=latest-update through=pass-through"


def settings(run: Settings) -> Mapping[str, object]:
    return {
        **merging_soon(run), "partition_count": 9, "maps": "data=1 precious=2 through=1", "merge_policies": POLICIES,
    }  # fmt: skip


@script(about=ABOUT, settings=settings)
async def storm_that_merges_data(cluster: Cluster) -> None:
    """Twelve random faults of links and nodes overlap on six members with three maps, each with another policy."""
    *first, last = NODES
    await cluster.form(*first)
    pause = cluster.settings.heartbeat_interval // 5
    works = [await cluster.work(["n1", "n4", "n5"], keys=6, size=100, pause=pause)]
    await cluster.get("n2", "k")
    await cluster.join(last)
    for name, size in (("precious", 2000), ("through", 200)):
        works.append(await cluster.work(["n2", "n3", last], map=name, keys=6, size=size, pause=pause))
    await rage(cluster, Weather(cluster))
    await cluster.heal_all()
    await endings.all_become_one_and_safe(cluster, works)
