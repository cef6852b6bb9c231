"""How fast the real world is: forming, what a node costs, how soon failures are known, and what a link adds."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor

import psutil
from tests.bench import clusters, partial
from tests.bench.failures import BLACK_HOLE, CRASH, MASTER, PAUSE, WHOM, Case, figures_of, in_real_world
from tests.bench.figure import Figure, median_of
from tests.bench.link_latency import added_latency

from shaketable.harness.records import StepBegan
from shaketable.harness.runs.run import Finished, Options
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Body
from shaketable.node.core.env import SECOND
from shaketable.node.events import ViewInstalled

ROUNDS = {5: 5, 20: 3}
"""by the number of members"""
SHORT_TIMEOUT = 2
"""seconds; of the silences among 20, whose processes would have to wait for long"""
SIDE_BY_SIDE = 3
"""clusters of 5 that wait for a silence at the same time: they have next to nothing to do meanwhile"""
IDLE = 4
"""seconds"""


def figures() -> Iterator[Figure]:
    yield from _forming(5, aim=1.5)
    yield from _forming(20, aim=4.0)
    yield from _cost_of_a_node()
    for count, rounds in ROUNDS.items():
        for whom in WHOM:
            case = Case(CRASH, whom, count)
            yield from figures_of("real", case, [in_real_world(case, seed) for seed in range(1, rounds + 1)])
    yield from _silences_of_five()
    for whom in WHOM:
        case = Case(PAUSE, whom, 20, SHORT_TIMEOUT)
        yield from figures_of("real", case, [in_real_world(case, seed) for seed in range(1, ROUNDS[20] + 1)])
    yield added_latency()


def _silences_of_five() -> Iterator[Figure]:
    cases = [*(Case(PAUSE, whom, 5) for whom in WHOM), Case(BLACK_HOLE, MASTER, 5)]
    seeds = range(1, ROUNDS[5] + 1)
    # Processes of their own, as a real world needs the main thread.
    with ProcessPoolExecutor(SIDE_BY_SIDE, mp_context=multiprocessing.get_context("spawn")) as side_by_side:
        known = {case: [side_by_side.submit(in_real_world, case, seed) for seed in seeds] for case in cases}
        settled = [side_by_side.submit(partial.in_real_world, seed) for seed in seeds]
        for case in cases:
            yield from figures_of("real", case, [each.result() for each in known[case]])
        yield from partial.figures_of("real", [each.result() for each in settled])


def _forming(count: int, *, aim: float) -> Iterator[Figure]:
    async def body(cluster: Cluster) -> None:
        await cluster.form(*names(count))

    seconds = [formed_after(run_of(body)) for _ in range(3)]
    yield median_of(f"launch to a formed cluster of {count}", seconds, "s", at_most=aim)


def _cost_of_a_node(count: int = 20) -> Iterator[Figure]:
    cpu: list[float] = []

    async def body(cluster: Cluster) -> None:
        await cluster.form(*names(count))
        await cluster.sleep(SECOND)
        began, before = time.monotonic(), _cpu_of_nodes()
        await cluster.sleep(IDLE * SECOND)
        passed = time.monotonic() - began
        cpu.extend((after - before[pid]) / passed for pid, after in _cpu_of_nodes().items())

    run = run_of(body)
    assert len(cpu) == count, f"{len(cpu)} processes looked like nodes"
    yield Figure("memory of a node, RSS, the largest of 20", largest(run), "MiB", at_most=35)
    what = "CPU of an idle node among 20, heartbeats each 0.25 s (`fast`), of one core"
    yield median_of(what, [100 * each for each in cpu], "%", at_most=4)


def _cpu_of_nodes() -> Mapping[int, float]:
    """Seconds so far. Nodes are forked by a child of ours."""
    me = psutil.Process()
    nodes = [process for process in me.children(recursive=True) if process.ppid() != me.pid]
    return {process.pid: sum(process.cpu_times()[:2]) for process in nodes}


def names(count: int) -> Sequence[str]:
    return [f"n{i}" for i in range(1, count + 1)]


def run_of(body: Body, options: Options | None = None) -> Finished:
    return clusters.in_real_world("bench", body, options=options)


def largest(run: Finished) -> float:
    """MiB of memory."""
    return max(run.memory.values()) / 2**20


def formed_after(finished: Finished) -> float:
    began = next(r.time for r in finished.records if isinstance(r.event, StepBegan))
    return (max(r.time for r in finished.records if isinstance(r.event, ViewInstalled)) - began) / SECOND
