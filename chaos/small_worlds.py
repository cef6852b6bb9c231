"""Small worlds: three or four members and one thing that happens, made to be explored whole.

Each is an ordinary story too. It ends as a random plan does, whatever else breaks on the way: `shaketable explore` may
kill a member at any moment, or drop or cut a link."""

from __future__ import annotations

from typing import Final

from shaketable import Cluster, endings, script
from shaketable.chaos import LISTS, MERGING_OFF, merging_soon
from shaketable.chaos.helpers import keeping, merging

FEW_PARTITIONS: Final = {**MERGING_OFF, "partition_count": 2, "maps": "one=1"}


@script(about=(*LISTS, "claims"), settings=MERGING_OFF)
async def a_small_claim(cluster: Cluster) -> None:
    """The master of three crashes, and the next in line claims the mastership."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n1")
    await endings.each_part_settles(cluster)


@script(about=(*LISTS, "claims"), settings=MERGING_OFF)
async def a_small_claim_during_a_join(cluster: Cluster) -> None:
    """n4 joins, and the master crashes as soon as it has admitted it: the others may know of n4, or not yet."""
    await cluster.form("n1", "n2", "n3")
    await cluster.start("n4")
    admitted = cluster.that.has_list("n1", version=4, members=["n1", "n2", "n3", "n4"])
    gone = cluster.that.ended("n1") | cluster.that.ended("n4")
    await cluster.until(admitted | gone, within=cluster.bounds.forming)
    if not cluster.seen.view("n1").ended:
        await cluster.kill("n1")
    await endings.each_part_settles(cluster)


@script(about=(*LISTS, "joined"), settings=MERGING_OFF)
async def a_small_join(cluster: Cluster) -> None:
    """n3 joins a cluster of two."""
    await cluster.form("n1", "n2")
    await cluster.start("n3")
    await endings.each_part_settles(cluster)


@script(about=LISTS, settings=MERGING_OFF)
async def a_small_removal(cluster: Cluster) -> None:
    """n3 crashes, and the master removes it."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n3")
    await endings.each_part_settles(cluster)


@script(about=LISTS, settings=MERGING_OFF)
async def a_small_leave(cluster: Cluster) -> None:
    """n3 leaves a cluster of three."""
    await cluster.form("n1", "n2", "n3")
    await cluster.leave("n3", wait=False)
    await endings.each_part_settles(cluster)


@script(about=LISTS, settings=MERGING_OFF)
async def a_small_restart(cluster: Cluster) -> None:
    """n3 crashes, and comes back at once as another member."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n3")
    await cluster.restart("n3")
    await endings.each_part_settles(cluster)


@script(about=merging.OF_TWO, settings=merging_soon)
async def a_small_merge(cluster: Cluster) -> None:
    """Two clusters, of two members and of one, become one."""
    await cluster.form("n1", "n2", "n3")
    apart = await merging.come_apart(cluster, ["n1", "n2"], ["n3"])
    await cluster.heal(apart)
    await endings.all_become_one(cluster)


@script(about=keeping.ABOUT, settings=FEW_PARTITIONS)
async def a_small_migration(cluster: Cluster) -> None:
    """n2 joins, and gets an owner's place in one partition, and a backup's in the other."""
    await cluster.form("n1")
    await cluster.put("n1", "key", "value", map="one")
    await cluster.start("n2")
    await endings.each_part_is_safe(cluster)
