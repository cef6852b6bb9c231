"""Simulates the cases of a wave as Spark tasks, and writes the results into a store.

A task has few cases, so a lost executor costs seconds: Spark gives the task to another one, with the same rows. Each
task is sent only its own cases.

A task returns one row of bytes. Spark's own process carries it without reading it, because time that Spark spends on
columns is lost for the cores that simulate. The columns of the store are made where it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec
import pyarrow as pa

from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.simulating import Simulated, simulated
from shaketable.harness.pipeline.spark.travel import arrived, is_local
from shaketable.harness.pipeline.stores.schema import (
    history_batch,
    history_schema,
    run_batch,
    runs_schema,
    spark_schema,
)
from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.harness.verdicts.rows import RunRow
from shaketable.harness.verdicts.verdict import PASSED

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import DataFrame, SparkSession

TASK: Final = 20
"""runs: two seconds or so; of short ones a quarter of one, beside which what Spark does for a task is little"""
_TOLD: Final = "told"
"""the rows for the driver, which plans and tells, without what is large"""
_ROWS: Final = "rows"
_HISTORIES: Final = "histories"
"""by run, packed, of those whose histories may be kept"""
_SCHEMA: Final = pa.schema([(name, pa.binary()) for name in (_TOLD, _ROWS, _HISTORIES)])
_cases: Final = msgspec.msgpack.Decoder(list[Case])
_rows: Final = msgspec.json.Decoder(list[RunRow])
_histories: Final = msgspec.msgpack.Decoder(dict[str, bytes])


class Counts:
    """How far a wave is, as its tasks come to their ends. A task that is repeated counts again: for eyes alone."""

    def __init__(self, spark: SparkSession) -> None:
        self.runs: Accumulator[int] = spark.sparkContext.accumulator(0)
        self.not_passed: Accumulator[int] = spark.sparkContext.accumulator(0)


def spread(spark: SparkSession, cases: Sequence[Case], counts: Counts) -> DataFrame:
    """What comes of these cases, a row for each task, to be computed when it is asked for."""
    where: Callable[[str], str] = str if is_local(spark.sparkContext.master) else arrived
    tasks = [msgspec.msgpack.encode(cases[start : start + TASK]) for start in range(0, len(cases), TASK)]
    play = partial(_play, where=where, runs=counts.runs, bad=counts.not_passed)
    done = spark.sparkContext.parallelize(tasks, len(tasks)).mapPartitions(play)
    return spark.createDataFrame(done, spark_schema(_SCHEMA), verifySchema=False)


def _play(
    tasks: Iterator[bytes], where: Callable[[str], str], runs: Accumulator[int], bad: Accumulator[int]
) -> Iterator[tuple[bytes, bytes, bytes]]:
    collect_garbage_rarely()
    for task in tasks:
        done = [(case, simulated(case, where)) for case in _cases.decode(task)]
        rows = [each.row for _, each in done]
        runs.add(len(rows))
        bad.add(sum(row.outcome != PASSED for row in rows))
        histories = {e.row.run: packed(e) for case, e in done if case.sample or e.row.outcome != PASSED}
        told = [msgspec.structs.replace(row, verdict="", settings="") for row in rows]
        yield msgspec.json.encode(told), msgspec.json.encode(rows), msgspec.msgpack.encode(histories)


def packed(done: Simulated) -> bytes:
    sink = pa.BufferOutputStream()
    batch = history_batch(done.row.run, done.records)
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_batch(batch)
    return bytes(sink.getvalue())


def rows_of(df: DataFrame) -> list[RunRow]:
    """For planning and telling: without what is large, which stays where it was computed."""
    return [row for task in df.select(_TOLD).collect() for row in _rows.decode(task[_TOLD])]


def with_kept(df: DataFrame, kept: Mapping[str, str]) -> tuple[DataFrame, DataFrame]:
    """The rows, which say whose histories are kept, and why (`kept`, by run); and those histories. Each is one part:
    there is a file for each part, and a process for each would be asked for a few rows only."""
    rows = df.select(_ROWS).coalesce(1).mapInArrow(partial(_as_rows, kept=kept), spark_schema(runs_schema()))
    histories = df.select(_HISTORIES).coalesce(1)
    return rows, histories.mapInArrow(partial(_as_events, kept=kept), spark_schema(history_schema()))


def _as_rows(batches: Iterator[pa.RecordBatch], kept: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for task in batch.column(0).to_pylist():
            yield run_batch([msgspec.structs.replace(r, kept=kept.get(r.run, "")) for r in _rows.decode(task)])


def _as_events(batches: Iterator[pa.RecordBatch], kept: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for task in batch.column(0).to_pylist():
            for run, events in _histories.decode(task).items():
                if run in kept:
                    with pa.ipc.open_stream(events) as stream:
                        yield from stream
