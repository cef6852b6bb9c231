"""The first backup notices the owner's end before the master does, as in the text on avoiding data loss on migration:
it waits for the master's table, clears nothing, and nothing is lost."""

from shaketable import Cluster, script
from shaketable.chaos.helpers.keeping import ABOUT, BUSY, PARTITIONS, SETTINGS, all_is_kept, fill, has_kept


@script(about=ABOUT, settings=SETTINGS)
async def the_first_backup_hears_no_owner(cluster: Cluster) -> None:
    """The first backup hears nothing of the owner and suspects it, and the master knows of nothing.

    Then the owner crashes. Writes in between are acknowledged without that backup, and survive with the other one."""
    owner, backup = await they_hold_data(cluster)
    await cluster.blackhole(owner, backup, one_way=True)
    await it_is_promoted_by_the_master_alone(cluster, owner, backup)


@script(about=ABOUT, settings=SETTINGS)
async def the_first_backup_hears_no_heartbeats(cluster: Cluster) -> None:
    """The first backup gets all but heartbeats from the owner: it suspects the owner, which then crashes.

    The backup suspects an owner that still sends it each write."""
    owner, backup = await they_hold_data(cluster)
    await cluster.drop("heartbeat", sender=owner, to=[backup])
    await it_is_promoted_by_the_master_alone(cluster, owner, backup)


@script(about=ABOUT, settings=SETTINGS)
async def the_first_backup_is_cut_off_from_the_owner(cluster: Cluster) -> None:
    """The first backup's link with the owner is cut, and the master knows of nothing. Then the owner crashes."""
    owner, backup = await they_hold_data(cluster)
    await cluster.cut(owner, backup)
    await it_is_promoted_by_the_master_alone(cluster, owner, backup)


async def they_hold_data(cluster: Cluster) -> tuple[str, str]:
    """An owner, n4 if it can be, and the first backup of one of its partitions. Neither is the master."""
    await cluster.form("n1", "n2", "n3", "n4")
    await fill(cluster, "n1", "data", "precious")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    pairs = [cluster.seen.row(partition)[:2] for partition in range(PARTITIONS)]
    pairs.sort(key=lambda pair: pair[0] != "n4")
    return next((owner, backup) for owner, backup in pairs if owner and backup and "n1" not in (owner, backup))


async def it_is_promoted_by_the_master_alone(cluster: Cluster, owner: str, backup: str) -> None:
    theirs = [p for p in range(PARTITIONS) if cluster.seen.row(p)[:2] == (owner, backup)]
    work = await cluster.work(["n1", backup], map="precious", keys=4, pause=BUSY)
    await cluster.until(cluster.that.suspects(backup, owner), within=cluster.bounds.silence)
    # Until the master, who knows of nothing, has sent its table once more.
    await cluster.sleep(cluster.settings.partition_table_send_interval + cluster.settings.heartbeat_interval)
    for partition in theirs:
        await cluster.until(cluster.that.owns(owner, partition), within=0)
    await cluster.until(cluster.that.suspects(backup, owner) & cluster.that.trusts("n1", owner), within=0)
    await cluster.kill(owner)
    left = [name for name in ("n1", "n2", "n3", "n4") if name != owner]
    await cluster.until(cluster.that.agree(*left), within=cluster.bounds.crash)
    for partition in theirs:
        await cluster.until(cluster.that.owns(backup, partition), within=cluster.bounds.crash)
        assert await has_kept(cluster, backup, "data", partition)
    await all_is_kept(cluster, work)
