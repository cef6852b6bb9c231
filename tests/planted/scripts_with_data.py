"""Short scripts in which partitions migrate, for the planted bugs of the partition service."""

from __future__ import annotations

from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script

SETTINGS = {"partition_count": 12, "maps": "data=1"}


@script(about=["table order", "replica count", "commit order", "completed list"], settings=SETTINGS)
async def a_member_joins(cluster: Cluster) -> None:
    """Three members share the partitions, and a fourth takes its part."""
    await cluster.form("n1", "n2", "n3")
    await cluster.put("n3", "k", "v")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.join("n4")
    await cluster.sleep(2 * cluster.bounds.safe())


@script(about=["replica count"], settings=SETTINGS)
async def a_second_member_joins(cluster: Cluster) -> None:
    """One member has all partitions, and half of them get another owner, of whom it becomes the backup."""
    await cluster.form("n1")
    await cluster.put("n1", "k", "v")
    await cluster.join("n2")
    await cluster.sleep(2 * cluster.bounds.safe())


@script(about=["table order"], settings=SETTINGS)
async def a_destination_dies(cluster: Cluster) -> None:
    """A member takes its part, and dies when it has committed a migration, before its master knows."""
    await cluster.form("n1", "n2", "n3")
    await cluster.put("n3", "k", "v")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    planning = await cluster.hold("n1", "PartitionsPlanned")
    await cluster.join("n4")
    await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.safe())
    hold = await cluster.hold("n4", "MigrationFinished", where={"role": "destination"})
    await cluster.heal(planning)
    await cluster.until_held("n4", "MigrationFinished", within=cluster.bounds.safe())
    await cluster.kill("n4")
    await cluster.heal(hold)
    await cluster.sleep(2 * cluster.bounds.safe())


@script(about=["table order"], settings=SETTINGS)
async def the_next_master_missed_a_table(cluster: Cluster) -> None:
    """n4 dies, n2 does not get the table without it, n3 does; then the master dies."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.put("n3", "k", "v")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    before = cluster.seen.table_version("n3")
    await cluster.drop("publishtable", sender="n1", to=["n2"])
    await cluster.kill("n4")
    await cluster.until(cluster.that.has_table("n3", before + 1), within=cluster.bounds.crash)
    await cluster.kill("n1")
    await cluster.sleep(cluster.bounds.settle() + cluster.bounds.safe())


@script(about=["table order"], settings=SETTINGS)
async def the_old_master_wakes_with_a_newer_table(cluster: Cluster) -> None:
    """The master changes its table, and those that hold no data do not hear of it. It sleeps until they follow another
    one, wakes, and sends them what it has."""
    await cluster.form("n1", "n2")
    await cluster.join("n3", "n4", settings={"lite_member": True})
    await cluster.put("n2", "k", "v")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    unheard = await cluster.drop("publishtable", sender="n1")
    await cluster.join("n5")
    await cluster.sleep(cluster.bounds.safe())
    await cluster.kill("n2")
    await cluster.sleep(cluster.bounds.crash + cluster.bounds.safe())
    pause = await cluster.pause("n1")
    await cluster.heal(unheard)
    await cluster.sleep(cluster.bounds.silence + cluster.bounds.settle())
    await cluster.heal(pause)
    await cluster.sleep(cluster.bounds.settle())


@script(about=["commit order"], settings=SETTINGS)
async def the_master_dies_over_a_commit(cluster: Cluster) -> None:
    """n4 has got the commit of a partition that n2 owns, and nobody else knows of it when the master dies."""
    await cluster.form("n1", "n2", "n3")
    await cluster.put("n3", "k", "v")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    planning = await cluster.hold("n1", "PartitionsPlanned")
    before = {partition: cluster.seen.owner(partition) for partition in range(12)}
    await cluster.join("n4")
    await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.safe())
    moves = [
        partition for partition, row in cluster.seen.plan().items() if row[0] == "n4" and before[partition] == "n2"
    ]
    hold = await cluster.hold("n1", "CommitSent", after=1, where={"partition": moves[0]})
    await cluster.heal(planning)
    await cluster.until_held("n1", "CommitSent", within=cluster.bounds.safe())
    await cluster.kill("n1")
    await cluster.heal(hold)
    await cluster.sleep(cluster.bounds.settle() + cluster.bounds.safe())


@script(about=["commit order"], settings=SETTINGS)
async def one_remembers_what_others_have_forgotten(cluster: Cluster) -> None:
    """n3 gives a backup up, all know it, and the master drops it; n2 gets no table any more, and leads next."""
    await cluster.form("n1", "n2", "n3")
    await cluster.put("n3", "k", "v")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    planning = await cluster.hold("n1", "PartitionsPlanned")
    before = {partition: cluster.seen.row(partition) for partition in range(12)}
    await cluster.join("n4")
    await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.safe())
    places = {partition: row.index("n4") for partition, row in cluster.seen.plan().items()}
    from_n3 = [p for p, index in places.items() if index > 0 and before[p][index : index + 1] == ("n3",)]
    queue = cluster.seen.view("n1").partitions.queue
    given_up = next(name for name, partition in queue.items() if partition in from_n3)
    giving = await cluster.hold("n1", "MigrationFinished", where={"role": "master", "migration": given_up})
    await cluster.heal(planning)
    await cluster.until_held("n1", "MigrationFinished", within=cluster.bounds.safe())
    next_commit = await cluster.hold("n1", "CommitSent")
    await cluster.heal(giving)
    await cluster.until_held("n1", "CommitSent", within=cluster.bounds.safe())
    with_it = cluster.seen.table_version("n3")
    await cluster.drop("publishtable", sender="n1", to=["n2"])
    await cluster.heal(next_commit)
    await cluster.until(cluster.that.has_table("n3", with_it + 1), within=cluster.bounds.safe())
    await cluster.kill("n1")
    await cluster.sleep(cluster.bounds.settle() + cluster.bounds.safe())


@script(about=["replica count"], settings=SETTINGS)
async def a_member_dies(cluster: Cluster) -> None:
    """Four members share the partitions, and one dies."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.put("n3", "k", "v")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.kill("n4")
    await cluster.sleep(cluster.bounds.crash + 2 * cluster.bounds.safe())
    await cluster.join("n5")
    await cluster.sleep(2 * cluster.bounds.safe())
