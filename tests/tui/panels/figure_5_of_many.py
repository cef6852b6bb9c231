"""Figure 5 of the text on partial member disconnection in clusters of 5, 12 and 30 nodes, while the last of them gets
its share of the data."""

from __future__ import annotations

from shaketable.chaos import RESOLVING
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script, script
from shaketable.node.core.env import MILLISECOND, SECOND

SETTINGS = {**RESOLVING, "partition_count": 64, "maps": "data=1"}


def figure_5_of(size: int) -> Script:
    async def body(cluster: Cluster) -> None:
        """n2 loses n3 and n4 while the youngest gets its share of the data."""
        names = [f"n{number}" for number in range(1, size + 1)]
        await cluster.form(*names[:-1])
        await cluster.put("n1", "k", "v")
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
        await cluster.start(names[-1])
        await cluster.slow("n1", names[1:], 20 * MILLISECOND)
        await cluster.until(cluster.that.migrates(), within=cluster.bounds.safe())
        await cluster.cut("n2", ["n3", "n4"])
        await cluster.sleep(SECOND)

    return script(about=("view order",), settings=SETTINGS, name=f"figure 5 of {size}")(body)


SCRIPTS = [figure_5_of(size) for size in (5, 12, 30)]
