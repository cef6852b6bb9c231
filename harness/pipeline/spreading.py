"""Simulates the cases of a wave as Spark tasks, and writes what came of them into a store.

A task has a few cases, so that a lost executor costs seconds: Spark gives the task to another one, which comes to the
same rows. What a task hands back is a row for each run, and the events of those whose histories may be kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from shaketable.harness.pipeline.cases import Case
from shaketable.harness.pipeline.rows import KEPT_FAILED, KEPT_SAMPLE, RunRow
from shaketable.harness.pipeline.schema import (
    history_batch,
    history_schema,
    run_batch,
    run_rows,
    runs_schema,
    spark_schema,
)
from shaketable.harness.pipeline.simulating import Simulated, simulated
from shaketable.harness.pipeline.travel import arrived, is_local
from shaketable.harness.run import collect_garbage_rarely
from shaketable.harness.verdict import PASSED

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import DataFrame, SparkSession

TASK: Final = 12
"""runs: a second or two"""
_EVENTS: Final = "events_of_run"
_SCHEMA: Final = pa.schema([*runs_schema(), (_EVENTS, pa.binary())])


class Counts:
    """How far a wave is, as its tasks come to their ends. A task that is repeated counts again: for eyes alone."""

    def __init__(self, spark: SparkSession) -> None:
        self.runs: Accumulator[int] = spark.sparkContext.accumulator(0)
        self.not_passed: Accumulator[int] = spark.sparkContext.accumulator(0)


def spread(spark: SparkSession, cases: Sequence[Case], counts: Counts) -> DataFrame:
    """The rows of these cases and the packed events, to be computed when they are asked for."""
    tasks = [cases[start : start + TASK] for start in range(0, len(cases), TASK)]
    local = is_local(spark.sparkContext.master)
    of_one = partial(_simulate, tasks=tasks, where=str if local else arrived, runs=counts.runs, bad=counts.not_passed)
    return spark.range(0, len(tasks), 1, len(tasks)).mapInArrow(_each(of_one), spark_schema(_SCHEMA))


def _each(of_one: Callable[[int], pa.RecordBatch]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        collect_garbage_rarely()
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield of_one(number)

    return run


def _simulate(
    number: int,
    tasks: Sequence[Sequence[Case]],
    where: Callable[[str], str],
    runs: Accumulator[int],
    bad: Accumulator[int],
) -> pa.RecordBatch:
    done = [(case, simulated(case, where)) for case in tasks[number]]
    runs.add(len(done))
    bad.add(sum(each.row.outcome != PASSED for _, each in done))
    events = [packed(each) if case.sample or each.row.outcome != PASSED else None for case, each in done]
    rows = run_batch([each.row for _, each in done])
    return pa.RecordBatch.from_arrays([*rows.columns, pa.array(events, pa.binary())], schema=_SCHEMA)


def packed(done: Simulated) -> bytes:
    sink = pa.BufferOutputStream()
    batch = history_batch(done.row.run, done.records)
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_batch(batch)
    return bytes(sink.getvalue())


def unpacked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for events in batch.column(0).to_pylist():
            with pa.ipc.open_stream(events) as stream:
                yield from stream


def rows_of(df: DataFrame) -> list[RunRow]:
    """For planning and telling: without what is large, which stays where it was computed."""
    from pyspark.sql.functions import lit

    return run_rows(df.drop(_EVENTS).withColumns({"verdict": lit(""), "settings": lit("{}")}).toArrow())


def with_kept(df: DataFrame, failures: Sequence[str], sample: Sequence[str]) -> tuple[DataFrame, DataFrame]:
    """The rows, which say whose histories are kept and why; and those histories."""
    from pyspark.sql.functions import col, lit, when

    run = col("run")
    kept = when(run.isin(*failures), lit(KEPT_FAILED)).when(run.isin(*sample), lit(KEPT_SAMPLE)).otherwise(lit(""))
    rows = df.withColumn("kept", kept)
    histories = rows.where(col("kept") != "").select(_EVENTS).mapInArrow(unpacked, spark_schema(history_schema()))
    return rows.drop(_EVENTS), histories
