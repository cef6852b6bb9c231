"""Lite members hold no data; members of one rack hold no two replicas of a partition, so a rack may be lost whole.

With two racks a partition has two replicas: if both who hold them crash at once it is lost, and told to be, and it gets
an owner. From text 3.1.1."""

from __future__ import annotations

from shaketable import Cluster, script
from shaketable.chaos.helpers.keeping import ABOUT, BUSY, LARGE, ONE_MAP, PARTITIONS, all_is_kept, fill, has_kept

LITE = {"lite_member": True}
RACKS = (("n1", "n2"), ("n3", "n4"), ("n5", "n6"))
TWO_RACKS = (("n2", "n3"), ("n4", "n5"))


def in_groups(*racks: tuple[str, ...]) -> dict[str, object]:
    groups = "; ".join(" ".join(f"127.0.0.1:{5700 + int(name[1:])}" for name in rack) for rack in racks)
    return {**ONE_MAP, "partition_groups": groups}


@script(about=ABOUT, settings=ONE_MAP)
async def lite_members_hold_nothing(cluster: Cluster) -> None:
    """n1, the master, and n2 are lite members: their clients read and write, and they hold no replica of anything.

    Nor do they when n3 crashes, n6 joins and n7, a lite member, does."""
    await cluster.form("n1", "n2", settings=LITE)
    await cluster.join("n3", "n4", "n5")
    await fill(cluster, "n1", "data", size=LARGE)
    work = await cluster.work(["n1", "n2"], keys=4, pause=BUSY)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.kill("n3")
    await cluster.until(cluster.that.agree("n1", "n2", "n4", "n5"), within=cluster.bounds.crash)
    await cluster.join("n6")
    await cluster.join("n7", settings=LITE)
    await cluster.expect(cluster.that.agree("n1", "n2", "n4", "n5", "n6", "n7"), within=cluster.bounds.forming)
    await all_is_kept(cluster, work)
    for partition in range(PARTITIONS):
        assert set(cluster.seen.row(partition)) == {"n4", "n5", "n6"}, cluster.seen.row(partition)
        assert await has_kept(cluster, "n7", "data", partition)


@script(about=ABOUT, settings=ONE_MAP)
async def lite_members_hear_of_the_table(cluster: Cluster) -> None:
    """n5, a lite member, joins in a time of rest, and gets the table; n4, another one, misses those of a repair.

    Nothing else changes then, and the master's next periodic table brings n4 up to date."""
    await cluster.form("n1", "n2", "n3")
    await cluster.join("n4", settings=LITE)
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.join("n5", settings=LITE)
    await cluster.until(cluster.that.has_table("n5"), within=cluster.bounds.crash)
    lost = await cluster.drop("publishtable", sender="n1", to=["n4"])
    await cluster.kill("n3")
    repaired = cluster.that.agree("n1", "n2", "n4", "n5") & cluster.that.caught(lost)
    await cluster.until(repaired, within=cluster.bounds.crash)
    await cluster.until(cluster.that.no_migrations(), within=cluster.bounds.safe())
    await cluster.heal(lost)
    version = cluster.seen.view("n1").partitions.version
    within = cluster.settings.partition_table_send_interval + cluster.bounds.crash
    await cluster.until(cluster.that.has_table("n4", version), within=within)
    await all_is_kept(cluster)


@script(about=ABOUT, settings=in_groups(*RACKS))
async def a_rack_is_lost(cluster: Cluster) -> None:
    """Of three racks of two the master's crashes at once: with one backup nothing is lost."""
    await a_whole_rack_crashes(cluster, RACKS[0])


@script(about=ABOUT, settings=in_groups(*RACKS))
async def the_last_rack_is_lost(cluster: Cluster) -> None:
    """Of three racks of two that of the youngest crashes at once: with one backup nothing is lost."""
    await a_whole_rack_crashes(cluster, RACKS[2])


async def a_whole_rack_crashes(cluster: Cluster, rack: tuple[str, ...]) -> None:
    nodes = [name for each in RACKS for name in each]
    await cluster.form(*nodes)
    left = [name for name in nodes if name not in rack]
    await fill(cluster, left[0], "data", size=LARGE)
    work = await cluster.work(left, keys=4, pause=BUSY)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    for partition in range(PARTITIONS):
        of_racks = [each for name in cluster.seen.row(partition) for each in RACKS if name in each]
        assert len(set(of_racks)) == len(of_racks) == len(RACKS), cluster.seen.row(partition)
    await cluster.together(*[cluster.kill(name) for name in rack])
    await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.crash + cluster.bounds.claim)
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.settle())
    await all_is_kept(cluster, work)
    for partition in range(PARTITIONS):
        assert await has_kept(cluster, left[0], "data", partition)


@script(about=ABOUT, settings=in_groups(*TWO_RACKS))
async def all_replicas_of_a_partition_are_lost(cluster: Cluster) -> None:
    """Both members that hold a partition crash at once: it is told as lost, gets an owner, and is written anew.

    All other partitions have kept what they had."""
    partition = await two_racks(cluster)
    owner, backup = cluster.seen.row(partition)
    assert owner is not None
    assert backup is not None
    lost = [p for p in range(PARTITIONS) if set(cluster.seen.row(p)) == {owner, backup}]
    await cluster.together(cluster.kill(owner), cluster.kill(backup))
    await cluster.until(cluster.that.is_lost(partition), within=cluster.bounds.crash)
    await a_lost_one_is_written_anew(cluster, partition, lost, [owner, backup])


@script(about=ABOUT, settings=in_groups(*TWO_RACKS))
async def the_last_replica_crashes_before_it_is_copied(cluster: Cluster) -> None:
    """The owner crashes, and the promoted backup with the first chunk of its copy on the way: the partition is lost.

    The copy comes to nothing: the partition is lost, and told to be."""
    partition = await two_racks(cluster)
    owner, backup = cluster.seen.row(partition)
    assert owner is not None
    assert backup is not None
    planned = await cluster.hold("n1", "PartitionsPlanned")
    await cluster.kill(owner)
    await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.crash)
    begun = {"partition": partition, "role": "owner"}
    await cluster.hold(backup, "MigrationBegan", where=begun)
    await cluster.heal(planned)
    await cluster.until_held(backup, "MigrationBegan", within=cluster.bounds.safe())
    lost = [p for p in range(PARTITIONS) if set(cluster.seen.row(p)) <= {backup, None}]
    await cluster.kill(backup)
    await cluster.until(cluster.that.is_lost(partition), within=cluster.bounds.crash)
    await a_lost_one_is_written_anew(cluster, partition, lost, [owner, backup])


async def two_racks(cluster: Cluster) -> int:
    """n1 is a lite master, so that it holds none of the two replicas."""
    await cluster.form("n1", settings=LITE)
    await cluster.join("n2", "n3", "n4", "n5")
    await fill(cluster, "n1", "data", size=LARGE)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    return 0


async def a_lost_one_is_written_anew(cluster: Cluster, partition: int, lost: list[int], victims: list[str]) -> None:
    left = [name for name in ("n1", "n2", "n3", "n4", "n5") if name not in victims]
    await cluster.until(cluster.that.agree(*left), within=cluster.bounds.crash)
    for each in range(PARTITIONS):
        assert await has_kept(cluster, "n1", "data", each) == (each not in lost), (each, lost)
    result = await cluster.put("n1", cluster.seen.key_in(partition), "anew")
    assert result.outcome == "ok", result
    await all_is_kept(cluster)
    assert (await cluster.get("n1", cluster.seen.key_in(partition))).value == "anew"
