"""The first backup misses a write that a colder one has, and the owner crashes: the promoted one asks the colder one.

From rulings 3.9, a promoted backup raises or syncs its replica versions: else anti-entropy would overwrite the colder
backup, the only one who has the write, with older data."""

from __future__ import annotations

from collections.abc import Mapping

from shaketable import MILLISECOND, Cluster, Injected, Settings, script
from shaketable.chaos.helpers.keeping import ABOUT, PARTITIONS, SETTINGS, all_is_kept, fill

NODES = ("n1", "n2", "n3", "n4")
TWO_BACKUPS = {**SETTINGS, "maps": "data=2"}
SIZE = 40_000
"""bytes: what is fetched goes in a few chunks"""


def long_asked(run: Settings) -> Mapping[str, object]:
    """One partition, and a backup that does not answer is waited for until the master has taken somebody for dead."""
    patience = 6 * run.heartbeat_timeout // MILLISECOND
    return {**TWO_BACKUPS, "partition_count": 1, "backup_timeout_millis": patience}


@script(about=ABOUT, settings=TWO_BACKUPS)
async def a_colder_backup_has_what_the_first_missed(cluster: Cluster) -> None:
    """The promoted first backup takes the missed write from the second, and has it when the second is gone too."""
    await cluster.form(*NODES)
    partition, owner, first, second = await the_first_backup_misses_a_write(cluster)
    await cluster.kill(owner)
    left = [name for name in NODES if name != owner]
    await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.crash)
    await finds(cluster, first, partition, "missed")
    await cluster.expect(cluster.that.is_safe(), within=cluster.bounds.settle())
    if second != "n1":
        await cluster.kill(second)
        left.remove(second)
        await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.crash)
        await finds(cluster, first, partition, "missed")
    await all_is_kept(cluster)


@script(about=ABOUT, settings=TWO_BACKUPS)
async def each_backup_has_what_the_other_one_missed(cluster: Cluster) -> None:
    """The first backup misses a write, and the second a later one: the promoted first has both in the end."""
    await cluster.form(*NODES)
    partition, owner, first, second = await three_hold_it(cluster)
    one, other = (cluster.seen.key_in(partition, number) for number in (0, 1))
    await cluster.drop("startsync", sender=owner, to=[first, second])  # the next write tells who has missed one
    await cluster.heal(await misses_a_write(cluster, partition, first, one))
    await cluster.heal(await misses_a_write(cluster, partition, second, other))
    await cluster.kill(owner)
    await cluster.until(cluster.that.agree(*[name for name in NODES if name != owner]), within=2 * cluster.bounds.crash)
    for key in (one, other):
        found = await cluster.get(first, key)
        assert found.value == "missed", found
    await all_is_kept(cluster)


@script(about=ABOUT, settings=TWO_BACKUPS)
async def the_promoted_one_crashes_while_it_asks(cluster: Cluster) -> None:
    """The promoted backup does not hear the second, and crashes too: the second then owns the partition, with all."""
    await cluster.form(*NODES)
    partition, owner, first, second = await the_first_backup_misses_a_write(cluster)
    unheard = await cluster.drop("moreheld", sender=second, to=[first])
    await cluster.kill(owner)
    await cluster.until(cluster.that.caught(unheard), within=2 * cluster.bounds.crash)
    await cluster.kill(first)
    left = [name for name in NODES if name not in (owner, first)]
    await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.crash)
    await finds(cluster, second, partition, "missed")
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.settle())
    await all_is_kept(cluster)


@script(about=ABOUT, settings=TWO_BACKUPS)
async def the_promoted_one_crashes_when_it_has_taken_it(cluster: Cluster) -> None:
    """The promoted backup takes the missed write and crashes at once: the second still has it, and becomes owner."""
    await cluster.form(*NODES)
    partition, owner, first, second = await the_first_backup_misses_a_write(cluster)
    await cluster.hold(first, "BackupHadMore")
    await cluster.kill(owner)
    await cluster.until_held(first, "BackupHadMore", within=2 * cluster.bounds.crash)
    await cluster.kill(first)
    left = [name for name in NODES if name not in (owner, first)]
    await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.crash)
    await finds(cluster, second, partition, "missed")
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.settle())
    await all_is_kept(cluster)


@script(about=ABOUT, settings=TWO_BACKUPS)
async def the_promoted_one_does_not_hear_the_colder_one(cluster: Cluster) -> None:
    """The second backup's answer gets lost: the first waits for it as for a backup of a write, and then serves.

    It serves with the data that it has, and tells that it did without the other."""
    await the_first_serves_without_the_second(cluster, "moreheld")


@script(about=ABOUT, settings=TWO_BACKUPS)
async def the_colder_one_does_not_say_that_its_data_come(cluster: Cluster) -> None:
    """The second backup has more, and says no word when it is asked for that: the first waits, and then serves."""
    await the_first_serves_without_the_second(cluster, "replicacomes", "chunk")


async def the_first_serves_without_the_second(cluster: Cluster, *lost: str) -> None:
    await cluster.form(*NODES)
    partition, owner, first, second = await the_first_backup_misses_a_write(cluster)
    unheard = await cluster.together(*[cluster.drop(kind, sender=second, to=[first]) for kind in lost])
    await cluster.kill(owner)
    left = [name for name in NODES if name != owner]
    await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.crash)
    await finds(cluster, first, partition, f"data{partition}")
    await cluster.together(*map(cluster.heal, unheard))
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.settle())
    await all_is_kept(cluster)


@script(about=ABOUT, settings=TWO_BACKUPS)
async def the_colder_one_crashes_while_it_is_asked(cluster: Cluster) -> None:
    """The second backup crashes too, with the missed write: the write before it is there, and nobody waits for it."""
    await cluster.form(*NODES)
    partition, owner, first, second = await the_first_backup_misses_a_write(cluster, master_is_no_backup=True)
    unheard = await cluster.drop("moreheld", sender=second, to=[first])
    await cluster.kill(owner)
    await cluster.until(cluster.that.caught(unheard), within=2 * cluster.bounds.crash)
    await cluster.kill(second)
    left = [name for name in NODES if name not in (owner, second)]
    await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.crash)
    await finds(cluster, first, partition, f"data{partition}")
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.settle())
    await all_is_kept(cluster)


@script(about=ABOUT, settings=TWO_BACKUPS)
async def the_colder_one_leaves_while_it_is_asked(cluster: Cluster) -> None:
    """The second backup leaves as the owner dies, and clears its copy only when the new owner has the missed write.

    It clears that one only when the promoted owner has what it lacked, and serves."""
    await cluster.form("n1", "n2", settings={"lite_member": True})
    await cluster.join("n3", "n4", "n5")
    partition, owner, first, second = await the_first_backup_misses_a_write(cluster)
    searching = await cluster.hold_back("fetchedtable", sender=first, to=["n2"])
    await cluster.together(cluster.kill("n1"), cluster.kill(owner))
    await cluster.until(cluster.that.caught(searching), within=4 * cluster.bounds.crash)
    await cluster.together(cluster.leave(second), found(cluster, searching))
    await finds(cluster, first, partition, "missed")
    await all_is_kept(cluster)


@script(about=ABOUT, settings={**TWO_BACKUPS, "partition_count": 1})
async def a_copy_is_all_that_is_left_to_clear(cluster: Cluster) -> None:
    """The owner has crashed, and the second backup leaves: its copy is cleared as soon as the promoted owner serves.

    Nothing else is planned that could make the master look again."""
    await cluster.form("n1", settings={"lite_member": True})
    await cluster.join("n2", "n3", "n4")
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    owner, first, second = three_holders(cluster, 0)
    late = await cluster.hold_back("tableacknowledged", sender=first, to=["n1"])
    await cluster.kill(owner)
    await cluster.until(cluster.that.caught(late), within=2 * cluster.bounds.crash)
    await cluster.together(cluster.leave(second), found(cluster, late))
    await cluster.expect(cluster.that.agree("n1", first), within=cluster.bounds.crash)
    await all_is_kept(cluster)


@script(about=ABOUT, settings=long_asked)
async def the_promoted_one_is_no_owner_any_more(cluster: Cluster) -> None:
    """The promoted owner still asks when the master takes it for dead, and dies: the next one has the table without it.

    The list that lacks it had reached nobody, so it is a member all the time, and owns nothing by the next table."""
    await cluster.form("n1", "n2", settings={"lite_member": True})
    await cluster.join("n3", "n4", "n5")
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    owner, first, second = three_holders(cluster, 0)
    unheard = await cluster.drop("moreheld", sender=second, to=[first])
    await cluster.kill(owner)
    left = [name for name in ("n1", "n2", "n3", "n4", "n5") if name != owner]
    await cluster.until(cluster.that.agree(*left) & cluster.that.caught(unheard), within=2 * cluster.bounds.crash)
    lists = await cluster.drop("membersupdate", sender="n1")
    tables = await cluster.drop("publishtable", sender="n1", to=["n2"])
    apart = await cluster.cut("n1", first)
    await cluster.until(cluster.that.caught(tables) & cluster.that.caught(lists), within=2 * cluster.bounds.crash)
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await cluster.kill("n1")
    left.remove("n1")
    await cluster.heal(apart)
    await cluster.until(cluster.that.agree(*left), within=2 * cluster.bounds.take_over)
    await cluster.heal_all()
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.settle())
    await cluster.sleep(cluster.bounds.safe() + 3 * cluster.settings.backup_sync_interval)
    await cluster.take_stock()
    await all_is_kept(cluster)


@script(about=ABOUT, settings=TWO_BACKUPS)
async def a_former_owner_still_writes_to_the_colder_one(cluster: Cluster) -> None:
    """The promoted backup asks the second one, which knows of no new owner yet, and takes a write of the former owner.

    The second one says what it has when it has the new table, and takes no more such writes from then on."""
    await cluster.form(*NODES)
    partition, owner, first, second = await three_hold_it(cluster, master_is_no_backup=True)
    key = cluster.seen.key_in(partition)
    lists = await cluster.hold_back("membersupdate", sender="n1", to=[second])
    tables = await cluster.hold_back("publishtable", sender="n1", to=[second])
    await cluster.cut(["n1", first], owner, one_way=True)  # so it learns nothing, and does without the first at a write
    asked = cluster.that.owns(first, partition) & cluster.that.caught(tables)
    await cluster.until(asked, within=2 * cluster.bounds.crash)
    await cluster.sleep(cluster.settings.operation_retry)
    result = await cluster.put(owner, key, "late")
    assert result.holders == (owner, second), result
    await cluster.kill(owner)
    await cluster.heal(lists)
    await cluster.heal(tables)
    await finds(cluster, first, partition, "late")
    await all_is_kept(cluster)


def three_holders(cluster: Cluster, partition: int) -> tuple[str, str, str]:
    """Its owner, its first and its second backup. It must have all three."""
    owner, first, second = cluster.seen.row(partition)[:3]
    assert owner is not None
    assert first is not None
    assert second is not None
    return owner, first, second


async def the_first_backup_misses_a_write(
    cluster: Cluster, *, master_is_no_backup: bool = False
) -> tuple[int, str, str, str]:
    """In which partition, and its owner, its first and its second backup."""
    partition, owner, first, second = await three_hold_it(cluster, master_is_no_backup=master_is_no_backup)
    await misses_a_write(cluster, partition, first, cluster.seen.key_in(partition))
    return partition, owner, first, second


async def three_hold_it(cluster: Cluster, *, master_is_no_backup: bool = False) -> tuple[int, str, str, str]:
    """A partition, and its owner, its first and its second backup."""
    await fill(cluster, "n1", "data", size=SIZE)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    heads = 3 if master_is_no_backup else 2
    partition = next(each for each in range(PARTITIONS) if "n1" not in cluster.seen.row(each)[:heads])
    return partition, *three_holders(cluster, partition)


async def misses_a_write(cluster: Cluster, partition: int, backup: str, key: str) -> Injected:
    """And nobody mends it."""
    holders = three_holders(cluster, partition)
    lost = await cluster.drop("backup", sender=holders[0], to=[backup])
    unmended = await cluster.drop("replicaversions", sender=holders[0], to=[backup])
    result = await cluster.put("n1", key, "missed")
    assert result.outcome == "ok", result
    assert result.holders == tuple(each for each in holders if each != backup), result
    await cluster.until(cluster.that.caught(unmended), within=3 * cluster.settings.heartbeat_interval)
    return lost


async def found(cluster: Cluster, searching: Injected) -> None:
    """The new master has heard meanwhile who leaves; if not, the plan has a place for the copy, which is well too."""
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await cluster.heal(searching)


async def finds(cluster: Cluster, owner: str, partition: int, value: str) -> None:
    found = await cluster.get(owner, cluster.seen.key_in(partition))
    assert found.value == value, found


@script(about=ABOUT, settings={**SETTINGS, "maps": "data=2"})
async def a_backup_that_knows_of_no_table_is_promoted(cluster: Cluster) -> None:
    """No table has reached n4 when the owner crashes, and n4 is the next: it asks the colder one, who has the write."""
    await cluster.form(*NODES)
    lost = await cluster.drop("publishtable", sender="n1", to=["n4"])
    every = range(PARTITIONS)
    await cluster.together(*[cluster.put("n1", cluster.seen.key_in(each), "written") for each in every])
    partition, owner = next(
        (each, owner)
        for each in every
        if cluster.seen.row(each)[1] == "n4" and (owner := str(cluster.seen.owner(each))) != "n1"
    )
    await cluster.heal(lost)
    await cluster.kill(owner)
    await cluster.until(cluster.that.agree(*[name for name in NODES if name != owner]), within=2 * cluster.bounds.crash)
    await finds(cluster, "n4", partition, "written")
    await all_is_kept(cluster)
