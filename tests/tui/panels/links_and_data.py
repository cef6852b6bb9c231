"""Chaos scripts of the tests' own: links that are bad in every way at once, and many partitions that move."""

from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.node.core.env import MILLISECOND, SECOND

ALONE = {"merging": False}
MANY = {**ALONE, "partition_count": 64, "maps": "data=1"}


@script(about=("view order",), settings=ALONE)
async def every_fault(cluster: Cluster) -> None:
    """Each fault of a link on a pair of its own, two on one of them, a pause, and a node that is cut off."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    cut = await cluster.cut("n1", "n2")
    await cluster.slow("n1", "n2", 20 * MILLISECOND)
    hole = await cluster.blackhole("n1", "n3", one_way=True)
    await cluster.slow("n2", "n3", 80 * MILLISECOND, jitter=10 * MILLISECOND)
    await cluster.thin("n3", "n4", 40_000)
    await cluster.slice("n4", "n5", one_way=True)
    dropped = await cluster.drop("heartbeat", sender="n5", to=["n4"])
    await cluster.sleep(SECOND)
    await cluster.heal(cut)
    await cluster.heal(hole)
    await cluster.heal(dropped)
    await cluster.pause("n5")
    await cluster.isolate("n4", how="blackhole")
    await cluster.sleep(SECOND)
    await cluster.kill("n5")
    await cluster.sleep(SECOND)


@script(about=("view order",), settings=MANY)
async def many_partitions(cluster: Cluster) -> None:
    """Four have the data, a fifth joins; then the master and its successor crash, and there are too few for a while."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.put("n1", "k", "v")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.join("n5")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.kill("n1")
    await cluster.sleep(2 * SECOND)
    await cluster.split(["n2", "n3"], ["n4", "n5"])
    await cluster.sleep(5 * SECOND)
