"""A backup misses writes: they are acknowledged without it, anti-entropy mends it, and then it is the only one left.

From rulings 3.9 and 3.10: a backup that does not answer in time is left off the list of who holds a write; a promoted
member does not take its old data for the newest."""

from __future__ import annotations

from shaketable import SECOND, Cluster, Injected, script
from shaketable.chaos.helpers.keeping import ABOUT, IN_RACKS, ONE_MAP, PARTITIONS, all_is_kept, fill

NODES = ("n1", "n2", "n3")
SIZE = 40_000
"""bytes: what is mended goes in a few chunks"""
BIG = 12_000
"""bytes of a value that goes in one message"""
THIN = 4_000
"""bytes a second"""
IN_MANY_PARTITIONS = {
    **ONE_MAP, "partition_count": 299, "heartbeat_interval_seconds": 5, "heartbeat_timeout_seconds": 10,
    "backup_timeout_millis": 500,
}  # fmt: skip
"""So many that a heartbeat would come too late behind as much as they are all together."""


@script(about=ABOUT, settings=ONE_MAP)
async def a_backup_misses_writes(cluster: Cluster) -> None:
    """A backup misses its owner's writes and is mended, and the owner crashes: the backup has every write."""
    partition, owner, backup, lost = await a_write_is_missed(cluster)
    await cluster.heal(lost)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.kill(owner)
    left = [name for name in NODES if name != owner]
    await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.crash)
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.settle())
    found = await cluster.get(backup, cluster.seen.key_in(partition))
    assert found.value == "missed", found
    await all_is_kept(cluster)


@script(about=ABOUT, settings=ONE_MAP)
async def a_backup_is_mended_while_it_misses_writes(cluster: Cluster) -> None:
    """A backup goes on missing its owner's writes: anti-entropy brings each one all the same, a while later."""
    partition, owner, backup, _ = await a_write_is_missed(cluster)
    await cluster.sleep(2 * cluster.settings.backup_sync_interval + cluster.settings.heartbeat_interval)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.kill(owner)
    left = [name for name in NODES if name != owner]
    await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.crash)
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.settle())
    found = await cluster.get(backup, cluster.seen.key_in(partition))
    assert found.value == "missed", found
    await all_is_kept(cluster)


@script(about=["no lost data", "in place", "true reasons"], settings=ONE_MAP)
async def a_write_while_a_backup_is_mended(cluster: Cluster) -> None:
    """A backup gets one more write while its data are on their way: it adds that write to them, and is mended by them.

    Else a backup whose owner is always written to would never be mended."""
    partition, owner, backup = await two_hold_it(cluster)
    data = await cluster.hold_back("chunk", sender=owner, to=[backup])
    lost = await it_misses_one(cluster, partition, owner, backup)
    await cluster.until(cluster.that.caught(data), within=2 * cluster.bounds.safe())
    await cluster.heal(lost)
    result = await cluster.put("n1", cluster.seen.key_in(partition, 1), "meanwhile")
    assert result.holders == (owner, backup), result
    await cluster.heal(data)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await all_is_kept(cluster)


@script(about=ABOUT, settings=ONE_MAP)
async def the_owner_crashes_before_its_backup_is_mended(cluster: Cluster) -> None:
    """The owner crashes before its backup is mended: the write that it missed is lost, the write before is there.

    The backup naps meanwhile, so that nobody can mend it."""
    partition, owner, backup, _ = await a_write_is_missed(cluster, nap=True)
    await cluster.kill(owner)
    await cluster.resume(backup)
    left = [name for name in NODES if name != owner]
    await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.crash)
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.settle())
    found = await cluster.get(backup, cluster.seen.key_in(partition))
    assert found.value == f"data{partition}", found
    await all_is_kept(cluster)


@script(about=["no lost data", "in place"], settings=IN_MANY_PARTITIONS, worlds=["sim"])
async def a_backup_is_mended_over_a_thin_link(cluster: Cluster) -> None:
    """A backup has missed a little in many partitions and much in one, and its link is thin: nobody misses heartbeats.

    So little comes through at once that it says nothing of how much the link carries. In virtual time alone: two
    intervals are all the time that a heartbeat has, and a busy machine may need them."""
    await cluster.form("n1", "n2")
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    own = [each for each in range(cluster.settings.partition_count) if cluster.seen.owner(each) == "n1"]
    lost = await cluster.drop("backup", sender="n1", to=["n2"])
    little = [cluster.put("n1", cluster.seen.key_in(each), "missed") for each in own[:-1]]
    much = [cluster.put("n1", cluster.seen.key_in(own[-1], number), "x" * BIG) for number in range(8)]
    written = await cluster.together(*little, *much)
    assert {(each.outcome, each.holders) for each in written} == {("ok", ("n1",))}, written
    cluster.always(cluster.that.trusts("n1", "n2") & cluster.that.trusts("n2", "n1"))
    await cluster.thin("n1", "n2", THIN)
    await cluster.heal(lost)
    crawls = 8 * BIG * SECOND // THIN
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe() + 4 * crawls)
    await cluster.heal_all()
    await all_is_kept(cluster)


@script(about=ABOUT, settings={**IN_RACKS, "partition_count": 3 * PARTITIONS})
async def a_backup_moves_while_it_waits_to_be_mended(cluster: Cluster) -> None:
    """n1 has missed n2's writes to all its partitions, and n4 comes: of some n4 is the backup before n1 has its turn.

    n1 is mended in one partition after the other, and the data of the first are late."""
    await cluster.form(*NODES)
    await fill(cluster, "n2", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    lost = await cluster.drop("backup", sender="n2", to=["n1"])
    late = await cluster.hold_back("chunk", sender="n2", to=["n1"])
    own = [each for each in range(cluster.settings.partition_count) if cluster.seen.owner(each) == "n2"]
    await cluster.together(*[cluster.put("n2", cluster.seen.key_in(each), "missed", map="precious") for each in own])
    await cluster.until(cluster.that.caught(late), within=cluster.bounds.safe())
    await cluster.heal(lost)
    await cluster.join("n4")
    await cluster.sleep(cluster.settings.migration_pause)
    moved = [each for each in own if "n1" not in cluster.seen.row(each)]
    assert len(moved) > 1, "one may be that whose data are late"
    await cluster.heal(late)
    await all_is_kept(cluster)


async def a_write_is_missed(cluster: Cluster, *, nap: bool = False) -> tuple[int, str, str, Injected]:
    """In which partition, who owns it, who missed it; and the fault, which lasts."""
    partition, owner, backup = await two_hold_it(cluster)
    return partition, owner, backup, await it_misses_one(cluster, partition, owner, backup, nap=nap)


async def two_hold_it(cluster: Cluster) -> tuple[int, str, str]:
    """A partition, its owner and its backup."""
    await cluster.form(*NODES)
    await fill(cluster, "n1", "data", size=SIZE)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    partition = next(partition for partition in range(PARTITIONS) if "n1" not in cluster.seen.row(partition)[:2])
    owner, backup = cluster.seen.row(partition)[:2]
    assert owner is not None
    assert backup is not None
    return partition, owner, backup


async def it_misses_one(cluster: Cluster, partition: int, owner: str, backup: str, *, nap: bool = False) -> Injected:
    lost = await cluster.drop("backup", sender=owner, to=[backup])
    if nap:
        await cluster.pause(backup)
    result = await cluster.put("n1", cluster.seen.key_in(partition), "missed")
    assert (result.outcome, result.holders) == ("ok", (owner,)), result
    return lost
