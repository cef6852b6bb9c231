"""A cluster that holds data is split for good: each side goes on with what it has, and says what it has lost.

From text 3.2.1: a network split is what the version is raised by 2 for. Each side repairs its own table, promotes the
backups that it has, and gives new owners to partitions that it has lost. No write is lost on a side with one who holds
it. Nothing merges the sides here; each is judged by its own master."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from operator import and_

from shaketable import Cluster, Condition, Injected, Micros, Script, script
from shaketable.chaos import MERGING_OFF
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, noticed
from shaketable.chaos.helpers.migrating import (
    ABOUT,
    BACKUP_MOVE,
    DESTINATION,
    MASTER,
    NEXT,
    OLD_BACKUP,
    OWNER,
    Migrating,
    all_is_well,
    while_migrating,
)
from shaketable.chaos.helpers.migrating_on import (
    AFTERWARDS,
    BEFORE,
    fill,
    held_at_the_commit,
    held_at_the_first_chunk,
    story,
)

SETTINGS = {**MERGING_OFF, "partition_count": 11, "maps": "data=1 precious=2"}
PAIRS = {**SETTINGS, "partition_groups": "127.0.0.1:5701 127.0.0.1:5702; 127.0.0.1:5703 127.0.0.1:5704"}
"""n1 and n2, n3 and n4: two replicas of each partition, one in each group"""
Sides = Sequence[Sequence[str]]


@script(about=ABOUT, settings=SETTINGS)
async def halves_by_a_cut(cluster: Cluster) -> None:
    """Three and three are cut off from each other while clients write on both sides: each side goes on."""
    await split(cluster, (("n1", "n2", "n3"), ("n4", "n5", "n6")), CUT)


@script(about=ABOUT, settings=SETTINGS)
async def halves_by_a_black_hole(cluster: Cluster) -> None:
    """Three and three fall silent to each other while clients write: a timeout later each side goes on."""
    await split(cluster, (("n1", "n2", "n3"), ("n4", "n5", "n6")), BLACK_HOLE)


@script(about=ABOUT, settings=SETTINGS)
async def the_master_with_one_other(cluster: Cluster) -> None:
    """The master and one follower are cut off from four while clients write: each side goes on."""
    await split(cluster, (("n1", "n6"), ("n2", "n3", "n4", "n5")), CUT)


@script(about=ABOUT, settings=SETTINGS)
async def three_parts(cluster: Cluster) -> None:
    """Two, two and two are cut off from each other: of two maps one has more backups than a side has members."""
    await split(cluster, (("n1", "n4"), ("n2", "n5"), ("n3", "n6")), CUT)


async def split(cluster: Cluster, sides: Sides, how: str) -> None:
    names = sorted(name for side in sides for name in side)
    await cluster.form(*names[:-1])
    await fill(cluster, "n1")
    await cluster.join(names[-1])
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    work = await cluster.work([side[-1] for side in sides], keys=4, pause=cluster.settings.heartbeat_interval // 5)
    rows = [cluster.seen.row(partition) for partition in range(cluster.settings.partition_count)]
    await cluster.split(*sides, how=how)
    await cluster.until(each_agrees(cluster, sides), within=until_parted(cluster, how))
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    for side in sides:
        for name, backups in cluster.settings.backup_counts.items():
            for partition, row in enumerate(rows):
                has = any(member in side for member in row[: 1 + backups])
                await is_there(cluster, side[-1], name, partition, f"{name}{partition}" if has else None)
                put = await cluster.put(
                    side[-1], cluster.seen.key_in(partition, 1), f"of-{side[0]}-{partition}", map=name
                )
                assert put.outcome == "ok", put
    await cluster.heal_all()
    for side in sides:
        for name in cluster.settings.backup_counts:
            for partition in range(cluster.settings.partition_count):
                found = await cluster.get(side[0], cluster.seen.key_in(partition, 1), map=name)
                assert found.value == f"of-{side[0]}-{partition}", found
    await cluster.stop_work(work)
    await all_is_well(cluster, 1, [side[0] for side in sides])


async def is_there(cluster: Cluster, via: str, name: str, partition: int, value: str | None) -> None:
    found = await cluster.get(via, cluster.seen.key_in(partition), map=name)
    assert found.outcome == "ok", found
    assert found.value == value, found


@script(about=ABOUT, settings=PAIRS)
async def whole_partitions_are_lost(cluster: Cluster) -> None:
    """Two groups of two are split across both: a side loses partitions that only the other side held, and tells so."""
    await cluster.form("n1", "n2", "n3")
    await fill(cluster, "n1")
    await cluster.join("n4")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    sides = (("n1", "n3"), ("n2", "n4"))
    rows = [cluster.seen.row(partition) for partition in range(cluster.settings.partition_count)]
    await cluster.split(*sides, how=CUT)
    await cluster.until(each_agrees(cluster, sides), within=until_parted(cluster, CUT))
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    for partition, row in enumerate(rows):
        for side in sides:
            has = any(member in side for member in row)
            await is_there(cluster, side[0], "data", partition, f"data{partition}" if has else None)
            if not has:
                await cluster.until(cluster.that.is_lost(partition), within=0)
    await all_is_well(cluster, 1, [side[0] for side in sides])


OF = "a move of a backup"
FIRST_CHUNK = "at the first chunk"
SPLITS = {
    "the owner with the master": ((MASTER, OWNER), (NEXT, OLD_BACKUP, DESTINATION)),
    "the destination with the master": ((MASTER, DESTINATION), (NEXT, OWNER, OLD_BACKUP)),
    "the old backup with the master": ((MASTER, OLD_BACKUP), (NEXT, OWNER, DESTINATION)),
}


def in_mid_migration(who: str, when: str, how: str) -> Script:
    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        sides = [[it[part] for part in side] for side in SPLITS[who]]
        if when == FIRST_CHUNK:
            held = await held_at_the_first_chunk(cluster, it, planned)
        else:
            held = await held_at_the_commit(cluster, it, planned, when)
        broken = await cluster.split(*sides, how=how)
        await cluster.heal(held)
        await cluster.until(each_agrees(cluster, sides), within=until_parted(cluster, how))
        await cluster.heal(broken)

    async def told(cluster: Cluster) -> None:
        await while_migrating(cluster, BACKUP_MOVE, drama, read_at=["n1", "n2"])

    moment = {BEFORE: "before the commit", AFTERWARDS: "after the commit"}.get(when, when)
    return story(told, OF, f"{who}, {how} {when}", f"a {how} splits the cluster in two {moment}, {who}")


SCRIPTS = [in_mid_migration(*each) for each in product(SPLITS, (FIRST_CHUNK, BEFORE, AFTERWARDS), (CUT, BLACK_HOLE))]


def each_agrees(cluster: Cluster, sides: Sides) -> Condition:
    return reduce(and_, [cluster.that.agree(*side) for side in sides])


def until_parted(cluster: Cluster, how: str) -> Micros:
    """All have noticed, and the side without the master has another one."""
    return noticed(cluster, how) + cluster.bounds.take_over + cluster.bounds.claim
