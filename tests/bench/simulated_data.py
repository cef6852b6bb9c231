"""How fast the simulator is with data: a member that joins 271 partitions, and clients at work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from tests.bench.clusters import simulated
from tests.bench.figure import Figure

from shaketable.harness.cluster import Cluster
from shaketable.harness.run import collect_garbage_rarely
from shaketable.harness.scripting.driver import Driver
from shaketable.harness.sim.world import SimWorld
from shaketable.node.config import FAST
from shaketable.node.env import MILLISECOND, SECOND

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
    yield Figure(what, max(_working() for _ in range(3)), "/s", at_least=EVENTS_AIM)


def _join() -> float:
    took: list[float] = []

    async def body(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        load = await cluster.work("n1", keys=KEYS, size=100, operations=KEYS, pause=0)
        await cluster.until_worked(load, within=60 * SECOND)
        await cluster.until(cluster.is_safe(), within=60 * SECOND)
        began = time.process_time()
        await cluster.join("n4")
        await cluster.until(cluster.migrates(), within=60 * SECOND)
        await cluster.until(cluster.is_safe(), within=600 * SECOND)
        took.append(time.process_time() - began)

    simulated("join", body)
    return took[0]


def _working() -> float:
    async def body(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        await cluster.work(("n1", "n2", "n3"), clients=3, pause=10 * MILLISECOND)
        await cluster.sleep(10 * SECOND)

    world = SimWorld(1, FAST)
    driver = Driver(world)
    driver.start(body(Cluster(world, driver, FAST, 1)))
    began = time.process_time()
    world.run(lambda: driver.outcome is not None)
    assert driver.outcome is not None
    assert driver.outcome.kind == "done", driver.outcome
    return world.events / (time.process_time() - began)
