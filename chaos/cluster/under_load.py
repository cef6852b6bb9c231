"""Twenty nodes start at once on a machine that is busy with something else.

The real system founded two clusters in one of six such starts, and stayed so for minutes."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF

TWENTY = tuple(f"n{i}" for i in range(1, 21))


@script(about=LISTS, settings=MERGING_OFF)
async def twenty_start_under_load(cluster: Cluster) -> None:
    """Twenty nodes start at once while the CPU is busy with something else: they found one cluster.

    Nothing could make one cluster of two afterwards."""
    load = await cluster.load()
    await cluster.start(*TWENTY)
    # Everything takes its time under load; that there is one cluster at last is not a matter of time.
    await cluster.until(cluster.that.agree(*TWENTY), within=3 * cluster.bounds.forming)
    cluster.always(cluster.that.agree(*TWENTY))
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.heal(load)
    await cluster.sleep(2 * cluster.settings.heartbeat_timeout)
    await cluster.expect(cluster.that.agree(*TWENTY), within=cluster.bounds.crash)
