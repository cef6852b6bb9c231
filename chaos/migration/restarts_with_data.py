"""Members that hold data restart one after the other, each when all is safe again.

No write may be lost by that, and as many copies as before are there in the end."""

from __future__ import annotations

from shaketable import Cluster, script
from shaketable.chaos.helpers.keeping import ABOUT, BUSY, LARGE, PARTITIONS, SETTINGS, all_is_kept, fill, has_kept

NODES = ("n1", "n2", "n3", "n4")


@script(about=ABOUT, settings=SETTINGS)
async def rolling_restart_by_leaving(cluster: Cluster) -> None:
    """Each of four members leaves, the master first, when it has given away its data, and comes back."""
    await each_restarts(cluster, crash=False)


@script(about=ABOUT, settings=SETTINGS)
async def rolling_restart_by_crashes(cluster: Cluster) -> None:
    """Each of four members is killed, the master first, and comes back; its backups have its data."""
    await each_restarts(cluster, crash=True)


async def each_restarts(cluster: Cluster, *, crash: bool) -> None:
    await cluster.form(*NODES)
    await fill(cluster, "n1", "data", "precious", size=LARGE)
    for name in NODES:
        others = [other for other in NODES if other != name]
        work = await cluster.work(others, keys=4, pause=BUSY)
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
        await (cluster.kill(name) if crash else cluster.leave(name))
        await cluster.until(cluster.that.agree(*others), within=2 * cluster.bounds.crash)
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
        await cluster.restart(name)
        await cluster.until(cluster.that.agree(*NODES), within=cluster.bounds.forming)
        await cluster.stop_work(work)
    await cluster.expect(cluster.that.agree(*NODES), within=cluster.bounds.forming)
    await all_is_kept(cluster)
    for partition in range(PARTITIONS):
        assert await has_kept(cluster, "n2", "data", partition)
