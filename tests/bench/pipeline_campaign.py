"""How many runs a second a campaign simulates and judges: on Spark, beside one process and a pool of processes.

All take the same cases in the same parcels, do the same with each and hand back the same rows. The time that a session
and a pool take to start stands apart."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from typing import Final

from tests.bench.figure import Figure
from tests.harness.pipeline.campaigns.campaigns import cases_of

from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.simulating import simulated
from shaketable.harness.pipeline.campaigns.spreading import TASK, Counts, packed, rows_of, spread
from shaketable.harness.pipeline.spark.session import spark_session, stop_spark
from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.harness.verdicts.rows import RunRow
from shaketable.harness.verdicts.verdict import PASSED

RUNS: Final = 2000
ALONE: Final = 400
"""for one process"""
CORES: Final = 2
SCRIPTS: Final = (
    "kill-the-master", "storm", "issue-18661", "a-partial-disconnection-heals", "a-backup-misses-writes",
    "group-watchdog-tells", "no-confirmations", "form",
)  # fmt: skip


def figures() -> Iterator[Figure]:
    cases = cases_of(*SCRIPTS, runs=int(os.environ.get("BENCH_RUNS", RUNS)))
    some = cases[:ALONE]
    alone, _ = _taken(lambda: [row for parcel in _parcels(some) for row in _play(parcel)])
    yield Figure(f"runs a second, one process, {len(some):,} runs", len(some) / alone, "/s")

    context = multiprocessing.get_context("spawn")  # a campaign's own process could not be forked: it has threads
    started = time.perf_counter()
    with context.Pool(CORES, collect_garbage_rarely) as pool:
        pool.map(_play, _parcels(cases[: 4 * TASK]), 1)
        yield Figure(f"a pool of {CORES} processes starts and has loaded all", time.perf_counter() - started, "s")
        in_pool, of_pool = _taken(lambda: [row for rows in pool.imap_unordered(_play, _parcels(cases)) for row in rows])
    yield Figure(f"runs a second, a pool of {CORES} processes, {len(cases):,} runs", len(cases) / in_pool, "/s")

    started = time.perf_counter()
    spark = spark_session(cores=CORES, short=True)  # as a campaign does
    session = time.perf_counter() - started
    rows_of(spread(spark, cases[: 4 * TASK], Counts(spark)))
    yield Figure("a Spark session starts", session, "s", spread=f"{time.perf_counter() - started:.3g} with all loaded")
    on_spark, of_spark = _taken(lambda: rows_of(spread(spark, cases, Counts(spark))))
    stop_spark()
    assert _hashes(of_spark) == _hashes(of_pool)
    yield Figure(f"runs a second, Spark on {CORES} cores, {len(cases):,} runs", len(cases) / on_spark, "/s")
    what = "seconds on Spark for each on the pool"
    yield Figure(what, on_spark / in_pool, "", at_most=1.15)


def _taken(call: object) -> tuple[float, list[RunRow]]:
    assert callable(call)
    began = time.perf_counter()
    rows: list[RunRow] = call()
    return time.perf_counter() - began, rows


def _parcels(cases: Sequence[Case]) -> list[Sequence[Case]]:
    return [cases[start : start + TASK] for start in range(0, len(cases), TASK)]


def _play(cases: Sequence[Case]) -> list[RunRow]:
    """What a task of Spark does."""
    rows = []
    for case in cases:
        done = simulated(case)
        if case.sample or done.row.outcome != PASSED:
            packed(done)
        rows.append(done.row)
    return rows


def _hashes(rows: Sequence[RunRow]) -> dict[str, str]:
    return {row.run: row.history_hash for row in rows}
