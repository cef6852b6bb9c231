"""A recorded run of as many events as are asked for: 50 nodes with data, clients at work, and something broken each
few seconds, in virtual time. Its verdict names a violation at its very end, which is the worst place to open it at."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.checks.result import BROKEN, CheckResult, Violation, proof_of
from shaketable.harness.history.history import History
from shaketable.harness.records import RunBegan, ScriptEnded, ScriptOutcome
from shaketable.harness.runs.directory import RunInfo, RunWriter
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.driver import Driver
from shaketable.harness.verdicts.verdict import ScriptSubject, judge
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.config import FAST
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.legacy import make_member

NODES: Final = tuple(f"n{i}" for i in range(1, 51))
CALM: Final = 3 * SECOND
"""between two faults"""


async def _story(cluster: Cluster) -> None:
    await cluster.form_at_once(*NODES)
    await cluster.work(NODES[:10], clients=2, pause=20 * MILLISECOND, keys=500)
    turn = 0
    while True:
        turn += 1
        one, other = NODES[10 + turn % 40], NODES[10 + (turn * 7 + 3) % 40]
        match turn % 3:
            case 0:
                await cluster.kill(one)
                await cluster.sleep(CALM)
                await cluster.restart(one)
            case 1 if one != other:
                await cluster.cut(one, other)
                await cluster.sleep(CALM)
                await cluster.heal_all()
            case _:
                await cluster.pause(one)
                await cluster.sleep(CALM)
                await cluster.resume(one)
        await cluster.sleep(CALM)


def record(directory: Path, events: int) -> None:
    world = SimWorld(1, FAST, make_member)
    driver = Driver(world)
    world.record(RunBegan("a long run", world.name, world.fabric, 1, "fast", FAST.outside()))
    driver.start(_story(Cluster(world, driver, FAST, 1)))
    world.run(lambda: driver.outcome is not None or len(world.records) >= events - 1)
    assert driver.outcome is None, driver.outcome
    world.record(ScriptEnded(ScriptOutcome.DONE, ""))
    info = RunInfo(script="a long run", seed=1, world="sim", preset="fast", settings=FAST.outside())
    writer = RunWriter(directory, info)
    writer.extend(world.records)
    nothing = judge([], ScriptSubject("a long run", "A long run", "tests/bench/long_run.py"), FAST, 0, story=False)
    history = History(world.records[-1:])
    proof = (proof_of(history, max(world.records)),)
    broken = CheckResult("settled", "", BROKEN, "", 1, (Violation("planted, at the very end", proof),))
    writer.finish(msgspec.structs.replace(nothing, checks=(broken,), outcome="failed"))
