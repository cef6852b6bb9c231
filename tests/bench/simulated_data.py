"""How fast the simulator is with data: a member that joins 271 partitions, and clients at work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from tests.bench.clusters import events_a_second, simulated
from tests.bench.figure import Figure

from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.core.env import MILLISECOND, SECOND

KEYS: Final = 200
JOIN_AIM: Final = 1.0
"""seconds"""
EVENTS_AIM: Final = 60_000
"""a second"""


def figures() -> Iterator[Figure]:
    collect_garbage_rarely()
    what = "a fourth member joins 271 partitions with data, until all is safe: CPU time"
    yield Figure(what, min(_join() for _ in range(3)), "s", at_most=JOIN_AIM)
    what = "heap events a second and core, 3 nodes, 9 clients at work, recorder on"
    yield Figure(what, max(events_a_second(_working) for _ in range(3)), "/s", at_least=EVENTS_AIM)


def _join() -> float:
    took: list[float] = []

    async def body(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        work = await cluster.work("n1", keys=KEYS, size=100, operations=KEYS, pause=0)
        await cluster.until_worked(work, within=60 * SECOND)
        await cluster.until(cluster.that.is_safe(), within=60 * SECOND)
        began = time.process_time()
        await cluster.join("n4")
        await cluster.until(cluster.that.migrates(), within=60 * SECOND)
        await cluster.until(cluster.that.is_safe(), within=600 * SECOND)
        took.append(time.process_time() - began)

    simulated("join", body)
    return took[0]


async def _working(cluster: Cluster) -> None:
    await cluster.form("n1", "n2", "n3")
    await cluster.work(("n1", "n2", "n3"), clients=3, pause=10 * MILLISECOND)
    await cluster.sleep(10 * SECOND)
