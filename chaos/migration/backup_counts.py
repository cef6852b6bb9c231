"""Seven members and maps with no backup, one and six: what crashes cost each of them.

The first text's terms: an owner and at most six backups. The check "no lost data" excuses exactly what had lost all who
held it, and these stories say what that is."""

from __future__ import annotations

from shaketable import Cluster, script
from shaketable.chaos.helpers.keeping import ABOUT, BUSY, LARGE, PARTITIONS, SETTINGS, all_is_kept, fill, has_kept

NODES = ("n1", "n2", "n3", "n4", "n5", "n6", "n7")
MAPS = ("none", "one", "six")
THREE_MAPS = {**SETTINGS, "maps": "none=0 one=1 six=6"}

OF_CRASHES = [check for check in ABOUT if check not in ("replica count", "commit order", "completed list")]
"""where nothing may be left to migrate"""


@script(about=ABOUT, settings=THREE_MAPS)
async def two_of_seven_crash_in_turn(cluster: Cluster) -> None:
    """n7 crashes, and n6 when all is safe again: the map without backups loses what they owned, and no other does."""
    await they_hold_three_maps(cluster)
    gone: dict[int, bool] = {}
    for number, victim in ((6, "n7"), (5, "n6")):
        work = await cluster.work(NODES[:number], map="one", keys=2, pause=BUSY)
        gone.update(dict.fromkeys([p for p in range(PARTITIONS) if cluster.seen.row(p)[0] == victim], True))
        await cluster.kill(victim)
        await cluster.until(cluster.that.agree(*NODES[:number]), within=cluster.bounds.crash)
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
        await cluster.stop_work(work)
    await cluster.expect(cluster.that.agree(*NODES[:5]), within=cluster.bounds.settle())
    assert 0 < len(gone) < PARTITIONS, gone
    for partition in range(PARTITIONS):
        assert await has_kept(cluster, "n1", "none", partition) == (partition not in gone), partition
        assert await has_kept(cluster, "n1", "one", partition), partition
        assert await has_kept(cluster, "n1", "six", partition), partition
    await all_is_kept(cluster)


@script(about=ABOUT, settings=THREE_MAPS)
async def the_owner_and_the_first_backup_of_seven_crash(cluster: Cluster) -> None:
    """Both holders of a partition of the map with one backup crash at once: its data are gone from that map alone.

    The third map has its own. No partition is lost: the colder replicas are there, and own it in turn."""
    await they_hold_three_maps(cluster)
    rows = {partition: cluster.seen.row(partition) for partition in range(PARTITIONS)}
    victims = next((row[0], row[1]) for row in rows.values() if "n1" not in row[:2])
    left = [name for name in NODES if name not in victims]
    work = await cluster.work(left, map="six", keys=2, pause=BUSY)
    await cluster.together(*[cluster.kill(name) for name in victims if name is not None])
    await cluster.until(cluster.that.agree(*left), within=cluster.bounds.crash)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.settle())
    await cluster.stop_work(work)
    for partition, row in rows.items():
        assert await has_kept(cluster, "n1", "none", partition) == (row[0] not in victims), row
        assert await has_kept(cluster, "n1", "one", partition) == (set(row[:2]) != set(victims)), row
        assert await has_kept(cluster, "n1", "six", partition), row
    await all_is_kept(cluster)


@script(about=OF_CRASHES, settings=THREE_MAPS)
async def six_of_seven_crash(cluster: Cluster) -> None:
    """Six of seven members crash, one after the other: the last one has all of the map with six backups."""
    await they_hold_three_maps(cluster)
    for number in range(6, 0, -1):
        await cluster.kill(NODES[number])
    await cluster.until(cluster.that.agree("n1"), within=2 * cluster.bounds.crash)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.expect(cluster.that.agree("n1"), within=cluster.bounds.settle())
    for partition in range(PARTITIONS):
        assert await has_kept(cluster, "n1", "six", partition), partition
    await all_is_kept(cluster)


async def they_hold_three_maps(cluster: Cluster) -> None:
    await cluster.form(*NODES)
    await fill(cluster, "n1", *MAPS, size=LARGE // 10)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
