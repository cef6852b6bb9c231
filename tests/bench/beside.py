"""Ours beside the real Hazelcast: the same stories with the same settings, in turns, in one run.

It needs what `shaketable systems` says of Hazelcast. Both go through Toxiproxy, and both write down all they do."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from tests.bench import bulk, decisions, failures, healing, operations, partial, real
from tests.bench.failures import CRASH, FOLLOWER, MASTER, PAUSE
from tests.bench.figure import Figure, median_of, number

from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.systems.hazelcast.system import HAZELCAST, SETTINGS
from shaketable.harness.systems.ours import SHAKETABLE

ROUNDS: Final = 3
FIVE, TEN, TWENTY = 5, 10, 20
"""members"""
ENTRIES: Final = 4_800
"""of 10 kB, that a fourth member takes its share of: a JVM of ours has no room for more"""


class What(NamedTuple):
    said: str
    unit: str


def figures() -> Iterator[Figure]:
    yield from decisions.figures(HAZELCAST.under_test.version)
    for measure in (
        *(_formed(FIVE), _formed(TWENTY)),
        *(_crash(FOLLOWER, FIVE), _crash(MASTER, FIVE), _crash(MASTER, TEN), _silence),
        *(_broken_pair, _halves, _operations, _bulk),
    ):
        ours: dict[What, list[float]] = {}
        theirs: dict[What, list[float]] = {}
        for seed in range(1, ROUNDS + 1):
            for system, found in ((SHAKETABLE, ours), (HAZELCAST, theirs)):
                options = Options("real", seed=seed, preset="default", values=SETTINGS, system=system.name)
                for what, value in _measured(measure, options):
                    found.setdefault(what, []).append(value)
        for what, values in ours.items():
            yield median_of(what.said, values, what.unit, hazelcast=_said(theirs.get(what, []), what.unit))


Measured = Mapping[What, float]
Measure = Callable[[Options], Measured]


def _measured(measure: Measure, options: Options) -> Iterable[tuple[What, float]]:
    """Nothing, if it went otherwise than the story tells: it happens to Hazelcast (docs/found.md)."""
    try:
        return measure(options).items()
    except AssertionError:
        return ()


def _said(values: Sequence[float], unit: str) -> str:
    if not values:
        return f"went otherwise, {ROUNDS} times"
    spread = f"{number(min(values))} to {number(max(values))} of {len(values)}"
    return f"{number(statistics.median(values))} {unit} ({spread})"


def _formed(count: int) -> Measure:
    async def body(cluster: Cluster) -> None:
        await cluster.form(*real.names(count))

    def measure(options: Options) -> Measured:
        run = real.run_of(body, options)
        return {
            What(f"from launch to a formed cluster of {count}", "s"): real.formed_after(run),
            What(f"memory of a member of {count}, the largest", "MiB"): real.largest(run),
        }

    return measure


def _crash(whom: str, count: int) -> Measure:
    def measure(options: Options) -> Measured:
        known = failures.in_real_world(failures.Case(CRASH, whom, count), options.seed, options)
        return {What(f"{whom} of {count} crashes, until the last survivor has the new list", "s"): known.since_fault}

    return measure


def _silence(options: Options) -> Measured:
    known = failures.in_real_world(failures.Case(PAUSE, MASTER, FIVE), options.seed, options)
    return {What("the master of 5 falls silent, likewise, beyond the timeout of 5 s", "s"): known.since_fault}


def _broken_pair(options: Options) -> Measured:
    settled = partial.in_real_world(options.seed, _and(options, partial.VALUES))
    return {What("a broken pair among 5 is resolved, beyond the wait of 10 s", "s"): settled}


def _halves(options: Options) -> Measured:
    case = healing.Case(6, healing.HALVES)
    healed = healing.in_real_world(case, options.seed, _and(options, healing.VALUES))
    return {What("halves of 6 heal, in intervals of the search", ""): healed.took}


def _operations(options: Options) -> Measured:
    return {
        What(f"{does}s a second: 3 members, 1 backup, 1 caller, 100 bytes", "/s"): statistics.median(rates)
        for does, counted in operations.rounds(options).items()
        if (rates := operations.rates(counted))
    }


def _bulk(options: Options) -> Measured:
    _, took = bulk.joined(ENTRIES, _and(options, {"max_parallel_migrations": 10}))
    size = bulk.mebibytes(ENTRIES)
    return {What(f"a fourth member joins three with {size} MiB and a backup of each, until all is safe", "s"): took}


def _and(options: Options, values: Mapping[str, object]) -> Options:
    return replace(options, values={**options.values, **values})
