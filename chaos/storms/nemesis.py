"""Random faults of all kinds, drawn anew by each seed: first which kinds it uses at all, then a plan of them.

In the safety phase they overlap as they like, and no check may turn red; then all that lasts ends, the dead return, and
within the bounds everything has to be well again. Any of these runs can be made smaller: `shaketable shrink`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable import Climate, Cluster, Settings, draw, play, script
from shaketable.chaos import LISTS, MERGING_OFF, RESOLVING, answering, forgetting_soon, merging_soon
from shaketable.chaos.helpers.weather import ANYTHING

DATA: Final = {"partition_count": 9, "maps": "data=1 precious=2"}
MERGING_DATA: Final = {
    "partition_count": 9,
    "maps": "data=1 precious=2 through=1",
    "merge_policies": "precious=latest-update through=pass-through",
}
WITH_DATA: Final = ("table order", "no lost data", "in place")

PARTS: Final = Climate(weights=ANYTHING, ending="each part settles")
WHOLE: Final = Climate(weights={**ANYTHING, "hide": 1}, ending="all become one")
PARTS_WITH_DATA: Final = Climate(
    weights={**ANYTHING, "work": 2}, ending="each part is safe", always=("work", "work"), deeds=(4, 30)
)
WHOLE_WITH_DATA: Final = Climate(
    weights={**ANYTHING, "hide": 1, "work": 2}, ending="all become one and safe", always=("work", "work"), deeds=(4, 30)
)


def merging(run: Settings) -> Mapping[str, object]:
    """Requests are answered, so that addresses can be hidden."""
    return {**merging_soon(run), **answering(run)}


def merging_and_forgetting(run: Settings) -> Mapping[str, object]:
    return {**forgetting_soon(run), **answering(run)}


def merging_with_data(run: Settings) -> Mapping[str, object]:
    return {**merging(run), **MERGING_DATA}


def deciding_and_merging(run: Settings) -> Mapping[str, object]:
    return {**RESOLVING, **merging(run), "merging": True}


@script(about=LISTS, settings=MERGING_OFF)
async def nemesis(cluster: Cluster) -> None:
    """Random faults of all kinds; what splits stays split, and each part agrees with itself in the end."""
    await play(cluster, draw(PARTS, cluster.settings, cluster.seed))


@script(about=LISTS, settings=RESOLVING)
async def nemesis_while_the_master_decides(cluster: Cluster) -> None:
    """Random faults of all kinds; the master decides who stays where some cannot hear each other, and parts agree."""
    await play(cluster, draw(PARTS, cluster.settings, cluster.seed))


@script(about=LISTS, settings=merging)
async def nemesis_that_merges(cluster: Cluster) -> None:
    """Random faults of all kinds; what comes apart merges again, and all are one cluster in the end."""
    await play(cluster, draw(WHOLE, cluster.settings, cluster.seed))


@script(about=LISTS, settings=merging_and_forgetting)
async def nemesis_that_merges_and_forgets(cluster: Cluster) -> None:
    """Random faults of all kinds, and the gone are forgotten soon: parts merge if a configuration names the others."""
    await play(cluster, draw(WHOLE, cluster.settings, cluster.seed))


@script(about=LISTS, settings=deciding_and_merging)
async def nemesis_that_decides_and_merges(cluster: Cluster) -> None:
    """Random faults of all kinds; the master decides who stays, those who had to go come back, and all are one."""
    await play(cluster, draw(WHOLE, cluster.settings, cluster.seed))


@script(about=WITH_DATA, settings={**MERGING_OFF, **DATA})
async def nemesis_with_data(cluster: Cluster) -> None:
    """Random faults of all kinds fall on members that hold data: each part is safe in the end."""
    await play(cluster, draw(PARTS_WITH_DATA, cluster.settings, cluster.seed))


@script(about=[*WITH_DATA, "settled"], settings=merging_with_data)
async def nemesis_that_merges_data(cluster: Cluster) -> None:
    """Random faults fall on members that hold data, and parts merge under each map's policy: all are one in the end."""
    await play(cluster, draw(WHOLE_WITH_DATA, cluster.settings, cluster.seed))
