"""How many runs a second a campaign simulates, judges and keeps: on Spark, beside one process and a pool of processes.

All take the same cases, do the same with each and come to the same rows. The campaign cuts them as it does, and writes
its store; the others have parcels of one size, and write nothing. The time that a session and a pool take to start
stands apart."""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, TypeVar

import pyarrow as pa
from tests.bench.figure import Figure
from tests.harness.pipeline.campaigns.campaigns import asked, cases_of

from shaketable.harness.pipeline.campaigns.by_tasks import work_for
from shaketable.harness.pipeline.campaigns.campaign import Campaign
from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.keeping import MOST_KEPT
from shaketable.harness.pipeline.campaigns.spreading import Played, play, unpacked
from shaketable.harness.pipeline.campaigns.waves import Asked
from shaketable.harness.pipeline.spark.session import spark_session, stop_spark
from shaketable.harness.pipeline.stores.store import open_store
from shaketable.harness.runs.interrupts import Interrupts
from shaketable.harness.runs.run import collect_garbage_rarely

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

RUNS: Final = 2000
ALONE: Final = 400
"""for one process"""
CORES: Final = 2
PARCEL: Final = 20
"""runs"""
SMALL: Final = 100
"""runs of a campaign that somebody waits for"""
SCRIPTS: Final = (
    "kill-the-master", "storm", "issue-18661", "a-partial-disconnection-heals", "a-backup-misses-writes",
    "group-watchdog-tells", "no-confirmations", "form",
)  # fmt: skip


def figures() -> Iterator[Figure]:
    runs = int(os.environ.get("BENCH_RUNS", RUNS))
    cases = cases_of(*SCRIPTS, runs=runs)
    some = cases[:ALONE]
    alone, _ = _taken(lambda: [*map(_play, _parcels(some))])
    yield Figure(f"runs a second, one process, {len(some):,} runs", len(some) / alone, "/s")

    context = multiprocessing.get_context("spawn")  # a campaign's own process could not be forked: it has threads
    started = time.perf_counter()
    with context.Pool(CORES, collect_garbage_rarely) as pool:
        pool.map(_play, _parcels(cases[: 4 * PARCEL]), 1)
        yield Figure(f"a pool of {CORES} processes starts and has loaded all", time.perf_counter() - started, "s")
        in_pool, of_pool = _taken(lambda: [*pool.imap_unordered(_play, _parcels(cases))])
    yield Figure(f"runs a second, a pool of {CORES} processes, {len(cases):,} runs", len(cases) / in_pool, "/s")

    started = time.perf_counter()
    spark = spark_session(cores=CORES, short=True)  # as a campaign does
    session = time.perf_counter() - started
    with TemporaryDirectory() as folder:
        _campaign(spark, f"{folder}/first", asked(*SCRIPTS, runs=4 * PARCEL)).run()
        loaded = time.perf_counter() - started
        yield Figure("a Spark session starts", session, "s", spread=f"{loaded:.3g} with all loaded")
        running = _campaign(spark, f"{folder}/all", asked(*SCRIPTS, runs=runs, wave=runs))
        on_spark, _ = _taken(running.run)
        rows = open_store(spark, f"{folder}/all").runs.select("run", "history_hash").toArrow()
    stop_spark()
    yield from _small("by processes", "--cores", str(CORES), within=(12, 25))
    yield from _small("on Spark", "--spark-master", f"local[{CORES}]")
    assert _hashes([rows]) == _hashes(unpacked(each.rows) for each in of_pool)
    yield Figure(f"runs a second, Spark on {CORES} cores, {len(cases):,} runs", len(cases) / on_spark, "/s")
    what = "seconds on Spark for each on the pool"
    yield Figure(what, on_spark / in_pool, "", at_most=1.15)


def _campaign(spark: SparkSession, path: str, what: Asked) -> Campaign:
    return Campaign(work_for(spark, path), path, what, interrupts=Interrupts())


def _small(how: str, *options: str, within: tuple[float | None, float | None] = (None, None)) -> Iterator[Figure]:
    """The command, from when it is typed. `within`: seconds until the first runs are done, and until all is."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with TemporaryDirectory() as folder:
        command = ["campaign", "--runs", str(SMALL), *options, "--out", f"{folder}/out"]
        began, first, verdict = time.perf_counter(), 0.0, 0.0
        with subprocess.Popen(
            [sys.executable, "-m", "shaketable", *command],
            env={**os.environ, "PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            for line in process.stdout:
                if not first and re.match(rf"\d+/{SMALL} runs, ", line):
                    first = time.perf_counter() - began
                if line.startswith("PASSED"):
                    verdict = time.perf_counter() - began
        took = time.perf_counter() - began
    assert process.returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    what = f"campaign --runs {SMALL}, {how}"
    yield Figure(f"{what}: until the first runs are done", first, "s", at_most=within[0])
    spread = f"{verdict:.3g} s until the verdict, {cpu:.3g} s of a core"
    yield Figure(f"{what}: until all reports are there", took, "s", at_most=within[1], spread=spread)


def _taken(call: Callable[[], T]) -> tuple[float, T]:
    began = time.perf_counter()
    found = call()
    return time.perf_counter() - began, found


def _parcels(cases: Sequence[Case]) -> list[Sequence[Case]]:
    return [cases[start : start + PARCEL] for start in range(0, len(cases), PARCEL)]


def _play(cases: Sequence[Case]) -> Played:
    """What a task of Spark does."""
    return play(cases, MOST_KEPT)


def _hashes(tables: Iterable[pa.Table]) -> dict[str, str]:
    return {row["run"]: row["history_hash"] for rows in tables for row in rows.to_pylist()}
