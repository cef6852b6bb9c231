"""How fast the simulated world is (heap events and seeds a second, a hundred nodes), and what virtual time shows.

Rates are by CPU time, which on an idle machine is the wall's: the simulator has one thread and waits for nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.bench import partial, traffic
from tests.bench.clusters import events_a_second
from tests.bench.failures import CRASH, PAUSE, WHOM, Case, figures_of, simulated
from tests.bench.figure import Figure

from shaketable.chaos.cluster.crashes import kill_the_master
from shaketable.chaos.cluster.mastership_fight import mastership_fight
from shaketable.chaos.storms.storm import storm
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, collect_garbage_rarely, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script, script
from shaketable.node.core.env import SECOND

NAMES = tuple(f"n{i}" for i in range(1, 101))


async def _idle(cluster: Cluster) -> None:
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.sleep(600 * SECOND)


@script(about=["settled"])
async def _a_hundred_nodes(cluster: Cluster) -> None:
    """A hundred nodes start at once, the master crashes, all others agree."""
    await cluster.form_at_once(*NAMES)
    first, *rest = cluster.seen.members()
    await cluster.kill(first)
    await cluster.expect(cluster.that.agree(*rest), within=2 * cluster.bounds.crash)


SEEDS = {5: 40, 20: 20, 100: 3}
"""by the number of members"""


def figures() -> Iterator[Figure]:
    collect_garbage_rarely()
    yield _heap_events()
    yield _seeds("a master crash: seeds a second, checks and hash included", kill_the_master, 500, 0.4)
    yield _seeds("a storm of 12 faults on 6 nodes: seeds a second, likewise", storm, 80, 1.0)
    yield _hundred()
    yield _fight()
    for count in SEEDS:
        yield _traffic(count)
    for how in (CRASH, PAUSE):
        for whom in WHOM:
            for count, seeds in SEEDS.items():
                case = Case(how, whom, count)
                yield from figures_of("sim", case, [simulated(case, seed) for seed in range(1, seeds + 1)])
    yield from partial.figures_of("sim", [partial.simulated(seed) for seed in range(1, SEEDS[5] + 1)])


def _heap_events() -> Figure:
    best = max(events_a_second(_idle) for _ in range(5))
    return Figure(
        "heap events a second and core, 5 idle nodes, 600 s, `fast`, recorder on", best, "/s", at_least=400_000
    )


def _seeds(what: str, subject: Script, aim: float, seconds: float) -> Figure:
    """The best of many short rounds: another process on the machine only ever takes away."""

    def once() -> float:
        began, seed = time.process_time(), 0
        while time.process_time() - began < seconds:
            seed += 1
            _passed(run_simulated(subject, Options("sim", seed=seed)))
        return seed / (time.process_time() - began)

    return Figure(what, max(once() for _ in range(12)), "/s", at_least=aim)


def _hundred() -> Figure:
    def once() -> float:
        began = time.perf_counter()
        finished = run_simulated(_a_hundred_nodes, Options("sim"))
        assert finished.outcome.kind == "done", finished.outcome
        return time.perf_counter() - began

    return Figure(
        "100 nodes join, the master crashes, all agree: wall time", min(once() for _ in range(3)), "s", at_most=1.0
    )


def _fight() -> Figure:
    def once() -> float:
        began = time.perf_counter()
        _passed(run_simulated(mastership_fight, Options("sim")))
        return time.perf_counter() - began

    what = "the mastership fight of 100 members, checks and hash included: wall time"
    return Figure(what, min(once() for _ in range(2)), "s")


def _traffic(count: int) -> Figure:
    arrived, expected = traffic.counted(count)
    what = f"messages a node and second in steady state, {count} members, `default` settings"
    return Figure(what, arrived, "/s", at_most=1.01 * expected, at_least=0.99 * expected, spread=f"due {expected:.3g}")


def _passed(finished: Finished) -> None:
    verdict = judged(finished, story=False)
    assert verdict.outcome == "passed", (verdict.again, verdict.reasons)
