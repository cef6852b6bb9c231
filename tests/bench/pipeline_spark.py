"""Spark's side of the bench of stores, in a process of its own: makes the store, or measures it, and prints JSON."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import psutil
import pyarrow as pa
from tests.chaos.shipped import ALL

from shaketable.harness.pipeline.measuring.facts import FACTS
from shaketable.harness.pipeline.measuring.measure import measured
from shaketable.harness.pipeline.spark.session import spark_session, stop_spark
from shaketable.harness.pipeline.stores.checking import judged_anew, judged_row, spare_garbage
from shaketable.harness.pipeline.stores.run_rows import row_of
from shaketable.harness.pipeline.stores.schema import history_batch, run_batch, run_rows
from shaketable.harness.pipeline.stores.store import Store, append, open_store
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, collect_garbage_rarely, run_simulated
from shaketable.harness.verdicts.rows import KEPT_SAMPLE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BASE: Final = 450
"""scripts at most, one seed each: half a million events"""
A_SCRIPT: Final = 1_300
"""events, about"""
MOST: Final = 10_000
"""events of a run: a few scripts of the longest would be most of the store"""
CHECKED: Final = 300_000
"""events: checks take their time"""

FALLS: Final = """
    SELECT count(*) AS falls FROM (
        SELECT version, lag(version) OVER (PARTITION BY run, node, incarnation ORDER BY time, sequence) AS before
        FROM {history} WHERE kind = 'ViewInstalled'
    ) AS installed WHERE version < before"""
"""A question that a check would ask: does a member ever install an older list?"""
OPERATIONS: Final = f"""
    SELECT outcome, count(*) AS n, sum(took) AS took, max(took) AS most FROM (
        SELECT min(CASE WHEN kind = 'OperationReturned' THEN time END)
                - min(CASE WHEN kind = 'OperationCalled' THEN time END) AS took,
            max(CASE WHEN kind = 'OperationReturned' THEN outcome ELSE 0 END) AS outcome
        FROM (
            SELECT run, incarnation, kind, time, CASE WHEN detail LIKE '%"outcome":"ok"%' THEN 1 ELSE 0 END AS outcome,
                CASE kind WHEN 'OperationCalled' THEN {FACTS["OperationCalled"].key}
                    ELSE {FACTS["OperationReturned"].key} END AS key
            FROM {{history}} WHERE kind IN ('OperationCalled', 'OperationReturned')
        ) AS sides GROUP BY run, incarnation, key
    ) AS pairs GROUP BY outcome ORDER BY outcome"""


def make(spark: SparkSession, store: str, events: int) -> dict[str, Any]:
    """Each history many times, under names that tell which."""
    collect_garbage_rarely()
    rows, histories, told = [], [], 0
    for script in ALL[:: max(1, len(ALL) * A_SCRIPT // min(BASE * A_SCRIPT, events))]:
        finished = run_simulated(script, Options())
        if len(finished.records) > MOST:
            continue
        run, s = f"{script.name}/sim/1", finished.settings
        verdict = judged(finished, story=False)
        row = row_of(
            verdict,
            run=run,
            family=s.family,
            settings=s.outside(),
            allowance=finished.allowance,
            marks={},
            kept=KEPT_SAMPLE,
        )
        rows.append(row)
        histories.append(history_batch(run, finished.records))
        told += len(finished.records)
    times = -(-events // told)
    append(spark, store, _repeated(spark, [run_batch(rows)], times), _repeated(spark, histories, times))
    return {"events": told * times, "runs": len(rows) * times}


def _repeated(spark: SparkSession, batches: list[pa.RecordBatch], times: int) -> DataFrame:
    from pyspark.sql.functions import col, concat, lit

    table = spark.createDataFrame(pa.Table.from_batches(batches)).coalesce(1).persist()
    named = [table.withColumn("run", concat(col("run"), lit(f"-{number}"))) for number in range(times)]
    return reduce(lambda one, other: one.unionAll(other), named)


def measure(spark: SparkSession, path: str, *, alone: bool) -> dict[str, Any]:
    """`alone`: the measures, and no other question."""
    store = open_store(spark, path)
    store.history.createOrReplaceTempView("history")

    def asked(text: str) -> Callable[[], list[Any]]:
        return lambda: spark.sql(text.format(history="history")).collect()

    times, rows = timed(lambda: measured(spark, store))
    if alone:
        return {"measure": times, "samples": sum(row.n for row in rows)}
    falls, fallen = timed(asked(FALLS))
    pairs, operations = timed(asked(OPERATIONS))
    return {
        "measure": times,
        "samples": sum(row.n for row in rows),
        "falls": falls,
        "fallen": fallen[0]["falls"],
        "operation_times": pairs,
        "operations": [list(each) for each in operations],
        **_check(spark, store),
    }


def _check(spark: SparkSession, store: Store) -> dict[str, Any]:
    from pyspark.sql.functions import col

    some = run_rows(store.runs.where(col("run").endswith("-0")).orderBy("run").toArrow())
    chosen, events = [], 0
    for row in some:
        if events < CHECKED:
            chosen.append(row)
            events += row.events
    names = [row.run for row in chosen]
    runs, history = (df.where(col("run").isin(names)).cache() for df in (store.runs, store.history))
    whole = history.toArrow()
    part = Store(store.path, runs, history)
    times, on_spark = timed(lambda: run_rows(judged_anew(part, events).toArrow()))
    tables = {name: whole.filter(pa.compute.equal(whole["run"], name)) for name in names}
    spare_garbage()  # as the tasks do
    times_alone, alone = timed(lambda: [judged_row(row, tables[row.run], events) for row in chosen])
    assert sorted(on_spark, key=lambda row: row.run) == alone
    return {"checked": events, "check": times[1], "check_alone": times_alone[1]}


def timed(call: Callable[[], Any]) -> tuple[list[float], Any]:
    """The first time, and the best of three more; and what it told."""
    times = []
    for _ in range(4):
        began = time.perf_counter()
        told = call()
        times.append(time.perf_counter() - began)
    return [times[0], min(times[1:])], told


def keep_to(cores: int) -> None:
    """Java compiles and collects its garbage there too, and not on another core for nothing."""
    if sys.platform == "linux":
        here = psutil.Process()
        here.cpu_affinity((here.cpu_affinity() or [])[:cores])


def printed_by(module: str, *arguments: str) -> dict[str, Any]:
    """In a process of its own: the JSON of its last line."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def main(what: str, store: str, cores: str, events: str) -> None:
    keep_to(int(cores))
    began = time.perf_counter()
    spark = spark_session(cores=int(cores), memory="4g")
    session = time.perf_counter() - began
    told = make(spark, store, int(events)) if what == "make" else measure(spark, store, alone=what == "measure alone")
    stop_spark()
    sys.stdout.write(json.dumps({**told, "session": session}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
