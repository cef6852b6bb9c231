"""A member has missed tables when it needs the last one: to lead, to tell an owner what it has, to take a copy.

From text 3.1.2 and 3.2.1: a new master looks for the newest table even if it has none itself, an owner that is promoted
does not wait for ever for a backup that does not know that yet, and nobody takes a second copy of a partition before it
knows how the first one ended."""

from __future__ import annotations

from shaketable import Cluster, script
from shaketable.chaos.helpers.keeping import ABOUT, PARTITIONS, SETTINGS, all_is_kept, fill, kept
from shaketable.chaos.helpers.migrating_on import UNDER_A_LITE_MASTER, under_a_lite_master

THREE = ("n1", "n2", "n3")
TWO_BACKUPS = {**SETTINGS, "maps": "data=2"}


@script(about=ABOUT, settings=TWO_BACKUPS)
async def a_new_master_has_never_had_a_table(cluster: Cluster) -> None:
    """No table has ever reached n2 when the master crashes: n3, which accepts its claim, has one, and all data.

    Nothing is written to the partitions that n2 owns, for it does not know that."""
    await cluster.form(*THREE)
    lost = await cluster.drop("publishtable", sender="n1", to=["n2"])
    every = range(PARTITIONS)
    written = await cluster.together(
        *[cluster.put("n3", cluster.seen.key_in(each), kept("data", each)) for each in every]
    )
    full = [each for each, result in zip(every, written, strict=True) if result.outcome == "ok"]
    assert full, written
    await cluster.until(cluster.that.has_table("n3"), within=0)
    assert cluster.seen.table_version("n2") == 0
    await cluster.kill("n1")
    await cluster.heal(lost)
    await cluster.expect(cluster.that.agree("n2", "n3"), within=cluster.bounds.crash)
    await all_is_kept(cluster)
    for each in full:
        found = await cluster.get("n2", cluster.seen.key_in(each))
        assert found.value == kept("data", each), found


@script(about=ABOUT, settings=TWO_BACKUPS)
async def a_backup_never_learns_who_is_promoted(cluster: Cluster) -> None:
    """The owner crashes, and one of its backups gets no table any more: the other one, which is promoted, serves.

    It waits for that one as long as a table may be late, and no longer."""
    await cluster.form(*THREE, "n4")
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    partition = next(each for each in range(PARTITIONS) if "n1" not in cluster.seen.row(each)[:3])
    owner, _, colder = map(str, cluster.seen.row(partition)[:3])
    await cluster.drop("publishtable", sender="n1", to=[colder])
    await cluster.kill(owner)
    await cluster.until(cluster.that.agree(*[n for n in (*THREE, "n4") if n != owner]), within=2 * cluster.bounds.crash)
    waits = cluster.settings.partition_table_send_interval + cluster.settings.backup_timeout
    await cluster.sleep(waits + cluster.settings.backup_timeout)
    found = await cluster.get("n1", cluster.seen.key_in(partition))
    assert found.value == kept("data", partition), found
    await cluster.heal_all()
    await all_is_kept(cluster)


@script(about=ABOUT, settings=UNDER_A_LITE_MASTER)
async def a_copy_before_the_last_one_has_ended(cluster: Cluster) -> None:
    """n2 crashes while its data are on their way to n4, and n4 gets no table that says so; n3 is to send them now.

    It asks n4 too early, and n4 takes the copy when it has that table."""
    await under_a_lite_master(cluster, "n2", "n3")
    data = await cluster.hold_back("chunk", sender="n2")
    await cluster.start("n4")
    await cluster.until(cluster.that.caught(data), within=cluster.bounds.forming + cluster.bounds.silence)
    lost = await cluster.drop("publishtable", sender="n1", to=["n4"])
    await cluster.kill("n2")
    await cluster.until(cluster.that.agree("n1", "n3", "n4"), within=2 * cluster.bounds.crash)
    await cluster.sleep(cluster.settings.migration_pause + cluster.settings.heartbeat_interval)
    await cluster.heal(lost)
    await all_is_kept(cluster)
