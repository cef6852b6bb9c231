"""How soon a split cluster is one again: from when the harness asks for the links until all hold the one list.

The same story in both worlds: two halves, or one against all the others, by cut links; the youngest go over. It is told
as a multiple of the interval at which masters look for each other, measured with 5 s as the real Hazelcast was. The
rest of an interval at the time when the links heal is chance, and drawn: one run of a master is due in it, and either
side's will do. Two may be needed, where the first only teaches an address; that and what else may come between is
promised."""

from __future__ import annotations

import multiprocessing
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.failures import INTERVAL, TIMEOUT, form_at_all_hours
from tests.bench.figure import Figure, median_of, number

from shaketable.chaos.helpers.merging import come_apart
from shaketable.harness.records import FaultEndAsked
from shaketable.harness.runs.run import Finished, Options, run_real, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script
from shaketable.node.core.env import SECOND
from shaketable.node.events import MergeBegan, SplitBrainSearchBegan, ViewInstalled

NEXT_RUN: Final = 5
"""seconds"""
VALUES: Final = {
    "heartbeat_interval_seconds": INTERVAL,
    "heartbeat_timeout_seconds": TIMEOUT,
    "merge_first_run_delay_seconds": NEXT_RUN,
    "merge_next_run_delay_seconds": NEXT_RUN,
}
HALVES, ONE = "halves", "one against the rest"
SIMULATED: Final = {4: 40, 6: 40, 10: 40, 20: 20, 100: 3}
"""seeds, by the number of members"""
ROUNDS: Final = {4: 6, 6: 6, 10: 4, 20: 3}
SIDE_BY_SIDE: Final = {4: 3, 6: 3, 10: 2, 20: 1}
"""real clusters that wait for a run of their masters at the same time: they have next to nothing to do meanwhile"""
AIM: Final = 1.0
"""interval: the median of the real one's after a short split is 1.01"""
MERGE: Final = 0.5
"""seconds that a merge may take: a search, the word to go, and a join like any other"""


@dataclass(frozen=True, slots=True)
class Case:
    count: int
    shape: str

    @property
    def parts(self) -> tuple[Sequence[str], Sequence[str]]:
        names = [f"n{i}" for i in range(1, self.count + 1)]
        first = self.count // 2 if self.shape == HALVES else self.count - 1
        return names[:first], names[first:]


@dataclass(frozen=True, slots=True)
class Healed:
    took: float
    """in intervals"""
    promised: float
    """likewise"""
    merge: float
    """seconds of it since the search began that led to the last merge: what is not waited for"""


def figures() -> Iterator[Figure]:
    for count, seeds in SIMULATED.items():
        for shape in (HALVES, ONE):
            case = Case(count, shape)
            yield from figures_of("sim", case, [simulated(case, seed) for seed in range(1, seeds + 1)])
    for count, rounds in ROUNDS.items():
        # Processes of their own, as a real world needs the main thread.
        with ProcessPoolExecutor(SIDE_BY_SIDE[count], mp_context=multiprocessing.get_context("spawn")) as side_by_side:
            cases = [Case(count, shape) for shape in (HALVES, ONE)]
            healed = [[side_by_side.submit(in_real_world, case, seed + 1) for seed in range(rounds)] for case in cases]
            for case, runs in zip(cases, healed, strict=True):
                yield from figures_of("real", case, [run.result() for run in runs])


def figures_of(world: str, case: Case, healed: Sequence[Healed]) -> Iterator[Figure]:
    took = [each.took for each in healed]
    promised = min(each.promised for each in healed)
    spread = f"{number(min(took))} to {number(max(took))} of {len(took)}; promised {number(promised)}"
    what = f"{world}, {case.count} members, {case.shape}"
    yield Figure(
        f"{what}: from heal to one cluster, over the interval of the searches",
        statistics.median(took), "", at_most=AIM, spread=spread,
    )  # fmt: skip
    yield median_of(f"{what}: since the search began", [each.merge for each in healed], "s", at_most=MERGE)


def in_real_world(case: Case, seed: int, options: Options | None = None) -> Healed:
    promised: list[float] = []
    options = options or _options("real", seed)
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        return _healed(promised, run_real(_story(case, promised), options, folder=Path(folder)))


def simulated(case: Case, seed: int) -> Healed:
    promised: list[float] = []
    return _healed(promised, run_simulated(_story(case, promised), _options("sim", seed)))


def _options(world: str, seed: int) -> Options:
    return Options(world, seed=seed, preset="fast", values=VALUES)


def _story(case: Case, promised: list[float]) -> Script:
    """It writes down how long it may take at the most."""

    async def body(cluster: Cluster) -> None:
        staying, going = case.parts
        if cluster.world == "real":
            # So that they are as old as their names say: who goes over is the same in both worlds.
            await cluster.form(staying[0])
            await cluster.join(*staying[1:], *going)
        else:
            await form_at_all_hours(cluster, [*staying, *going], NEXT_RUN * SECOND)
        apart = await come_apart(cluster, staying, going)
        await cluster.sleep(NEXT_RUN * SECOND + cluster.rng.randrange(NEXT_RUN * SECOND))
        # The first run is due by now.
        within = cluster.bounds.converge(up_for=NEXT_RUN * SECOND)
        promised.append(within / SECOND / NEXT_RUN)
        await cluster.heal(apart)
        await cluster.expect(cluster.that.agree(*staying, *going), within=within)

    name = f"{case.shape} of {case.count}"
    return Script(name, name, __file__, body, about=("settled",))


def _healed(promised: Sequence[float], finished: Finished) -> Healed:
    assert finished.outcome.kind == "done", finished.outcome
    records = finished.records
    asked = min(r.time for r in records if isinstance(r.event, FaultEndAsked))
    one = max(r.time for r in records if isinstance(r.event, ViewInstalled))
    went = [r for r in records if isinstance(r.event, MergeBegan)][-1]
    looked = [r.time for r in records if r.node == went.node and isinstance(r.event, SplitBrainSearchBegan)]
    searched = max(time for time in looked if time <= went.time)
    return Healed((one - asked) / SECOND / NEXT_RUN, promised[0], (one - searched) / SECOND)
