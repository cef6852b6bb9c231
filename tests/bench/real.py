"""How fast the real world is: forming, memory, detection of crashes and of silence, and what a link adds."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench.figure import Figure
from tests.bench.link_latency import added_latency

from shaketable.harness.cluster import Cluster
from shaketable.harness.records import FaultTook, Record, StepBegan
from shaketable.harness.run import Finished, Options, run_real
from shaketable.harness.scripts import Script, script
from shaketable.node.config import FAST
from shaketable.node.env import SECOND, Micros
from shaketable.node.events import ViewInstalled

ROUNDS = 5
FIVE = ("n1", "n2", "n3", "n4", "n5")
TWENTY = tuple(f"n{i}" for i in range(1, 21))


@script(about=["settled"])
async def five(cluster: Cluster) -> None:
    """Five nodes form a cluster."""
    await cluster.form(*FIVE)


@script(about=["settled"])
async def twenty(cluster: Cluster) -> None:
    """Twenty nodes form a cluster."""
    await cluster.form(*TWENTY)


@script(about=["settled"])
async def kill_a_follower(cluster: Cluster) -> None:
    """A follower of five is killed."""
    await cluster.form(*FIVE)
    await cluster.kill("n3")
    await cluster.expect(cluster.agree("n1", "n2", "n4", "n5"), within=cluster.bounds.crash)


@script(about=["settled"])
async def kill_the_master(cluster: Cluster) -> None:
    """The master of five is killed."""
    await cluster.form(*FIVE)
    await cluster.kill("n1")
    await cluster.expect(cluster.agree("n2", "n3", "n4", "n5"), within=cluster.bounds.crash)


@script(about=["settled"])
async def silence_a_follower(cluster: Cluster) -> None:
    """A follower of five is paused until it has been taken off."""
    await cluster.form(*FIVE)
    await cluster.pause("n3")
    await cluster.expect(cluster.agree("n1", "n2", "n4", "n5"), within=cluster.bounds.silence)


def figures() -> Iterator[Figure]:
    for subject, aim, hazelcast in ((five, 1.5, "5.69 s"), (twenty, 4.0, "24.4 s")):
        runs = [_run(subject) for _ in range(3)]
        count = len(FIVE if subject is five else TWENTY)
        yield _of(f"launch to a formed cluster of {count}", [_forming(run) for run in runs], aim, hazelcast)
        if subject is twenty:
            rss = max(rss for run in runs for rss in run.memory.values()) / 2**20
            yield Figure("memory of a node, RSS, the largest of 20", rss, "MiB", at_most=35, hazelcast="95 to 108 MiB")
    follower = [_since_fault(_run(kill_a_follower)) for _ in range(ROUNDS)]
    yield _of("kill of a follower of 5 to all survivors converged", follower, 0.38, "0.38 s")
    master = [_since_fault(_run(kill_the_master)) for _ in range(ROUNDS)]
    yield _of("kill of the master of 5 to all survivors converged", master, 0.48, "0.48 s")
    timeout, interval = FAST.heartbeat_timeout / SECOND, FAST.heartbeat_interval / SECOND
    silence = [_since_fault(_run(silence_a_follower)) - timeout for _ in range(ROUNDS)]
    yield Figure(
        "silence of a follower of 5 to all converged, less the timeout, in heartbeat intervals",
        statistics.median(silence) / interval,
        "H",
        at_least=-1.0,
        at_most=1.0 + 0.1 / interval,
        hazelcast="0.40 H",
        spread=f"{min(silence) / interval:.2f} to {max(silence) / interval:.2f}",
    )
    yield added_latency()


def _run(subject: Script) -> Finished:
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        finished = run_real(subject, Options("real"), folder=Path(folder))
    assert finished.outcome.kind == "done", finished.outcome
    return finished


def _of(what: str, seconds: Sequence[float], aim: float, hazelcast: str) -> Figure:
    spread = f"{min(seconds):.2f} to {max(seconds):.2f}"
    return Figure(what, statistics.median(seconds), "s", at_most=aim, hazelcast=hazelcast, spread=spread)


def _forming(finished: Finished) -> float:
    began = next(r.time for r in finished.records if isinstance(r.event, StepBegan))
    return (_last_install(finished.records) - began) / SECOND


def _since_fault(finished: Finished) -> float:
    took = max(r.time for r in finished.records if isinstance(r.event, FaultTook))
    return (_last_install(finished.records) - took) / SECOND


def _last_install(records: Sequence[Record]) -> Micros:
    return max(r.time for r in records if isinstance(r.event, ViewInstalled))
