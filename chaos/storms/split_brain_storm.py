"""A storm of random overlapping faults with split-brain recovery on, then calm: all parts become one cluster.

Parts that have come apart find each other while the storm still rages, and lose each other on their way."""

from __future__ import annotations

from shaketable import Cluster, endings, script
from shaketable.chaos import LISTS, merging_soon, resolving_and_merging
from shaketable.chaos.helpers.merging import ON_THE_WAY
from shaketable.chaos.helpers.weather import NODES, Weather, rage

ABOUT = tuple(name for name in ON_THE_WAY if name in (*LISTS, "converged"))
"""Not each storm brings a merge."""


@script(about=ABOUT, settings=merging_soon)
async def storm_that_ends_in_one_cluster(cluster: Cluster) -> None:
    """Twelve random faults overlap on six nodes; then all links heal, all who sleep wake, and the dead return."""
    await it_ends_in_one_cluster(cluster)


@script(about=ABOUT, settings=resolving_and_merging)
async def storm_with_decisions_that_ends_in_one_cluster(cluster: Cluster) -> None:
    """Twelve random faults overlap on six nodes, and the master decides who stays; then all heals, and all are one."""
    await it_ends_in_one_cluster(cluster)


async def it_ends_in_one_cluster(cluster: Cluster) -> None:
    await cluster.form(*NODES)
    await rage(cluster, Changeable(cluster))
    await endings.all_become_one(cluster)


class Changeable(Weather):
    """Now and then it pauses for so long that masters look for each other."""

    def pause(self) -> int:
        if self._draw.random() < 0.3:
            settings = self._cluster.settings
            return self._draw.randrange(settings.heartbeat_timeout + 2 * settings.merge_next_run_delay)
        return super().pause()
