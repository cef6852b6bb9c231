"""The owner of partitions crashes while clients write, and with it or right after it the first backup.

With as many backups as crashes nothing may be lost. With one less it is, and each of these stories has a twin that
shows it: else the checks would prove nothing."""

from __future__ import annotations

from shaketable import Cluster, script
from shaketable.chaos.helpers.keeping import (
    ABOUT,
    BUSY,
    LARGE,
    ONE_MAP,
    PARTITIONS,
    SETTINGS,
    all_is_kept,
    fill,
    has_kept,
)


@script(about=ABOUT, settings=SETTINGS)
async def the_owner_crashes(cluster: Cluster) -> None:
    """n4, an owner and no master, crashes: the first backup of each of its partitions owns it by the next table."""
    await an_owner_crashes(cluster, "n4")


@script(about=ABOUT, settings=SETTINGS)
async def the_owner_crashes_that_is_the_master(cluster: Cluster) -> None:
    """n1, an owner and the master, crashes: the next master looks for the newest table, and then promotes."""
    await an_owner_crashes(cluster, "n1")


async def an_owner_crashes(cluster: Cluster, victim: str) -> None:
    nodes = ["n1", "n2", "n3", "n4"]
    await cluster.form(*nodes)
    await fill(cluster, "n2", "data", "precious", size=LARGE)
    work = await cluster.work(nodes, keys=4, pause=BUSY)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    rows = {partition: cluster.seen.row(partition) for partition in range(PARTITIONS)}
    await cluster.kill(victim)
    left = [name for name in nodes if name != victim]
    await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.crash)
    for partition, row in rows.items():
        if row[0] == victim:
            assert await has_kept(cluster, "n2", "data", partition)
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.settle())
    await all_is_kept(cluster, work)


@script(about=ABOUT, settings=SETTINGS)
async def the_owner_and_then_the_first_backup(cluster: Cluster) -> None:
    """While a partition migrates its owner crashes, then the first backup when it is promoted: the second has all."""
    partition = await two_in_a_row(cluster, "data", "precious")
    assert await has_kept(cluster, "n1", "precious", partition)
    await all_is_kept(cluster)


@script(about=ABOUT, settings=ONE_MAP)
async def the_owner_and_then_the_only_backup(cluster: Cluster) -> None:
    """The owner and the only backup of a map crash in turn: its data are lost, though a colder replica owns then."""
    partition = await two_in_a_row(cluster, "data")
    assert not await has_kept(cluster, "n1", "data", partition)
    await cluster.put("n1", cluster.seen.key_in(partition), "new")
    await all_is_kept(cluster)


async def two_in_a_row(cluster: Cluster, *maps: str) -> int:
    """Which partition it is: one that n5 is to hold, and of which n1 is neither owner nor first backup."""
    await cluster.form("n1", "n2", "n3", "n4")
    await fill(cluster, "n1", *maps, size=LARGE)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    work = await cluster.work(["n1"], map=maps[-1], keys=4, pause=BUSY)
    planned = await cluster.hold("n1", "PartitionsPlanned")
    await cluster.start("n5")
    await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.forming)
    partition, owner, backup = next(
        (partition, row[0], row[1])
        for partition in cluster.seen.plan()
        if (row := cluster.seen.row(partition)) and row[0] not in (None, "n1") and row[1] not in (None, "n1")
    )
    assert owner is not None
    assert backup is not None
    # It holds with the copy that is to make up for the first crash, so that the second surely comes before that.
    await cluster.hold(owner, "ChunkSent", after=1)
    await cluster.heal(planned)
    await cluster.until_held(owner, "ChunkSent", within=cluster.bounds.safe())
    await cluster.hold(backup, "ReplicaPromoted", where={"partition": partition})
    await cluster.kill(owner)
    await cluster.until_held(backup, "ReplicaPromoted", within=cluster.bounds.crash)
    await cluster.kill(backup)
    left = [name for name in ("n1", "n2", "n3", "n4", "n5") if name not in (owner, backup)]
    await cluster.until(cluster.that.agree(*left), within=cluster.bounds.crash)
    await cluster.stop_work(work)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    return partition
