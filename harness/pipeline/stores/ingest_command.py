"""`shaketable ingest`: recorded runs, real or simulated, become a part of a store."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import pyarrow as pa

from shaketable.harness.checks.result import counted
from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.arguments import refuse_too_few_events
from shaketable.harness.pipeline.spark.session import bytes_below, ending_in_order, spark_session
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.stores.checking import spare_garbage
from shaketable.harness.pipeline.stores.reading import folders_of_runs, name_of, read_whole
from shaketable.harness.pipeline.stores.schema import (
    history_batch,
    history_schema,
    run_batch,
    runs_schema,
    spark_schema,
)
from shaketable.harness.pipeline.stores.store import append, is_store, may_be_added_to, open_store
from shaketable.harness.pipeline.stores.writing import alone_writing
from shaketable.harness.verdicts.rows import RunRow
from shaketable.harness.verdicts.verdict import EXIT_CODES, PASSED, UNKNOWN_OUTCOME
from shaketable.harness.visible import visible

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MUCH: Final = 500 << 20
"""bytes of lines that Java compiles well for"""
A_TASK: Final = 32 << 20
"""bytes of lines for one task, if there are enough of them"""
AT_ONCE: Final = 20_000
"""events of one batch of columns"""
_ROW: Final = "row"
_REFUSED: Final = "refused"
_MIXED: Final = pa.schema([*history_schema(), (_ROW, pa.string()), (_REFUSED, pa.string())])
"""What a task hands over: the events of its runs, the row of each as JSON, and a sentence for each that it could not
read. So each run is read once."""


def ingest_runs(options: argparse.Namespace) -> int:
    refuse_too_few_events(options)
    folders = folders_of_runs(options.runs)
    with ending_in_order():
        short = sum(map(bytes_below, folders)) < MUCH
        spark = spark_session(options.spark_master, cores=options.cores, short=short)
        done = ingest_folders(spark, folders, options.out, options.most_events)
    return _tell(done, options.out, Screen())


class Ingested(msgspec.Struct, frozen=True):
    rows: int
    torn: list[str]
    """of each that could not be read in full: what is missing"""
    known: int
    """that were in the store already"""
    refused: list[str]


def ingest_folders(spark: SparkSession, folders: Sequence[Path], out: str, most_events: int) -> Ingested:
    may_be_added_to(spark, out)
    with alone_writing(spark, out):
        return _ingested(spark, folders, out, most_events)


def _ingested(spark: SparkSession, folders: Sequence[Path], out: str, most_events: int) -> Ingested:
    names, refused = names_of(folders)
    known = _known(spark, out) & names.keys()
    # In this order each file of events has a range of names of its own, and a question about one run skips the others.
    new = {name: names[name] for name in sorted(names.keys() - known)}
    if not new:
        return Ingested(0, [], len(known), refused)
    with told_in_words(f"the runs cannot be put into {out}"):
        from pyspark import StorageLevel

        mixed = _read(spark, new, most_events).persist(StorageLevel.DISK_ONLY)
        try:
            refused += [row[_REFUSED] for row in mixed.where(f"{_REFUSED} IS NOT NULL").select(_REFUSED).collect()]
            rows = mixed.where(f"{_ROW} IS NOT NULL").select(_ROW)
            told = rows.selectExpr("get_json_object(row, '$.run')", "get_json_object(row, '$.trouble')").collect()
            if told:
                events = mixed.where(f"{_ROW} IS NULL AND {_REFUSED} IS NULL")
                runs = rows.mapInArrow(_rows, spark_schema(runs_schema()))
                append(spark, out, runs.coalesce(1).sortWithinPartitions("script", "seed", "run"), events)
        finally:
            mixed.unpersist()
    torn = sorted(f"{run}: {trouble}" for run, trouble in told if trouble)
    return Ingested(len(told), torn, len(known), sorted(refused))


def names_of(folders: Iterable[Path]) -> tuple[dict[str, Path], list[str]]:
    """The folder of each run by its name; and a sentence for each that cannot be read."""
    names: dict[str, Path] = {}
    refused: list[str] = []
    for folder in folders:
        try:
            names.setdefault(name_of(folder), folder)  # a copy is the same run
        except UserError as error:
            refused.append(str(error))
    return names, refused


def _known(spark: SparkSession, out: str) -> set[str]:
    if not is_store(spark, out):
        return set()
    with told_in_words(f"{out} cannot be read"):
        return {row["run"] for row in open_store(spark, out).runs.select("run").collect()}


def _read(spark: SparkSession, folders: dict[str, Path], most_events: int) -> DataFrame:
    size = sum(map(bytes_below, folders.values()))
    cores = spark.sparkContext.defaultParallelism
    tasks = min(len(folders), max(cores, size // A_TASK))
    given = spark.sparkContext.parallelize([(name, str(folder)) for name, folder in folders.items()], tasks)
    table = spark.createDataFrame(given, "run string, folder string")
    return table.mapInArrow(_reading(most_events), spark_schema(_MIXED))


def _reading(most_events: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        spare_garbage()
        for batch in batches:
            for each in batch.to_pylist():
                try:
                    row, records = read_whole(each["run"], Path(each["folder"]), most_events)
                except UserError as error:
                    yield _mixed([{_REFUSED: str(error)}])
                    continue
                for events in _in_batches(history_batch(row.run, records)):
                    nothing = pa.nulls(events.num_rows, pa.string())
                    yield pa.RecordBatch.from_arrays([*events.columns, nothing, nothing], schema=_MIXED)
                yield _mixed([{_ROW: msgspec.json.encode(row).decode()}])

    return read


def _in_batches(events: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for start in range(0, events.num_rows, AT_ONCE):
        yield events.slice(start, AT_ONCE)


def _mixed(rows: list[dict[str, str]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(rows, schema=_MIXED)


def _rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield run_batch([msgspec.json.decode(each, type=RunRow) for each in batch.column(_ROW).to_pylist()])


def _tell(done: Ingested, out: str, console: Screen) -> int:
    for sentence in done.refused:
        print(f"shaketable: {visible(sentence)}", file=sys.stderr, flush=True)  # noqa: T201
    for sentence in done.torn:
        console.say(sentence)
    already = f"; {done.known} were there already" if done.known else ""
    lost = f"; {len(done.refused)} could not be read" if done.refused else ""
    console.say(f"{counted(done.rows, 'run')} put into {out}{already}{lost}")
    return EXIT_CODES[UNKNOWN_OUTCOME if done.refused else PASSED]
