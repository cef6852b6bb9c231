"""A store of runs on disk, or on whatever file system Spark reads.

    STORE/runs/schema=2/batch=.../       a row for each run
    STORE/history/schema=2/batch=.../    the events of those runs whose histories are kept

Nothing is ever changed or taken away: what is added is a batch, its histories first. Only when its runs are there in
full, which Spark marks by a file, the batch is part of the store. So whatever kills a writer, what was written before
stays, and what is half written is not there. A batch is made beside the tables, in `.writing/`, and moved to its place,
where the file system moves a folder at once."""

from __future__ import annotations

import argparse
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import pyarrow as pa

from shaketable.harness.errors import UserError, of_another_schema
from shaketable.harness.pipeline.spark.session import bytes_below, spark_session
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.stores.places import exists, file_system, found, move, moves_at_once, remove
from shaketable.harness.pipeline.stores.schema import history_schema, runs_schema, spark_schema
from shaketable.harness.pipeline.stores.writing import DONE, OURS, WRITING, folder_of
from shaketable.harness.verdicts.rows import HISTORY, RUNS, SCHEMA, RunRow

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

MUCH: Final = 50 << 20
"""bytes of columns that Java compiles well for"""
A_GROUP: Final = 4 << 20
"""bytes that a writer holds, some 100,000 events: a reader's task takes one such group or more"""
BELOW: Final = "store"
"""where campaigns and reports have theirs, in their own folder"""
BATCH: Final = "batch"
PART: Final = "part"
"""of a batch: the name of a file, and they are in the order of their names"""
Batch = tuple[int, str]
"""its schema and its name"""
_A_BATCH: Final = re.compile(rf"/schema=(\d+)/batch=([\w-]+)/{DONE}$")


@dataclass(frozen=True, slots=True)
class Store:
    path: str
    runs: DataFrame
    """the columns of rows.RunRow"""
    history: DataFrame
    """`run` and the columns of codec.Row; a run's events are together, but in no order"""


def session_for(options: argparse.Namespace, *stores: str | None, app: str = "shaketable") -> SparkSession:
    """For a command that reads these."""
    short = sum(bytes_below(Path(each)) for each in stores if each) < MUCH
    return spark_session(options.spark_master, cores=options.cores, app=app, short=short)


def open_store(spark: SparkSession, path: object) -> Store:
    """Refuses in one sentence what is none."""
    batches = _batches(spark, str(path))
    if not batches:
        raise _no_store(path, bool(_batches(spark, f"{path}/{BELOW}")))
    runs = _table(spark, str(path), RUNS, batches, runs_schema())
    return Store(str(path), _with_defaults(runs), _table(spark, str(path), HISTORY, batches, history_schema()))


def refuse_what_is_none(options: argparse.Namespace, *stores: str) -> None:
    """Before Spark is started for nothing, where this machine's files tell; what a cluster sees is for it to say."""
    for path in stores:
        if lies_here(options, path) and not Path(path, RUNS).is_dir():
            raise _no_store(path, Path(path, BELOW, RUNS).is_dir())


def lies_here(options: argparse.Namespace, path: str) -> bool:
    """So that this process sees of it what Spark would."""
    return (options.spark_master or "local").startswith("local") and "://" not in path


def _no_store(path: object, below: bool) -> UserError:
    if below:
        return UserError(f"{path} is no store of runs, but {path}/{BELOW} is one: give that")
    return UserError(f"{path} is no store of runs: `shaketable ingest RUNS --out {path}` or a campaign makes one")


def rows_by_batch(spark: SparkSession, path: object) -> DataFrame:
    """The rows of all runs, each with its place in the columns BATCH and PART."""
    from pyspark.sql.functions import col

    batches = _batches(spark, str(path))
    schema = runs_schema().append(pa.field(BATCH, pa.string()))
    return _with_defaults(_table(spark, str(path), RUNS, batches, schema, col("_metadata.file_name").alias(PART)))


def is_store(spark: SparkSession, path: object) -> bool:
    return bool(_batches(spark, str(path)))


def may_be_added_to(spark: SparkSession, path: object) -> None:
    """Refuses a folder that is something else, before anything is computed."""
    if _batches(spark, str(path)):
        return
    with told_in_words(f"{path} cannot be looked at"):
        folder, system = file_system(spark, str(path))
        if not system.exists(folder):
            return
        if not system.getFileStatus(folder).isDirectory():
            raise UserError(f"{path} is a file: give a folder for the store")
        names = {status.getPath().getName() for status in system.listStatus(folder)}
    if not names <= {*OURS}:
        raise UserError(f"{path} is no store of runs, and not empty: give another folder")


def append(
    spark: SparkSession, path: object, runs: DataFrame, history: DataFrame | None = None, *, batch: str | None = None
) -> None:
    """Adds these runs, and the histories of some of them, as one batch: all of it, or nothing that can be seen."""
    batch = batch or new_batch()
    if history is not None:
        append_history(spark, path, history, batch=batch)
    try:
        append_runs(spark, path, runs, batch=batch)
    except BaseException:
        remove(spark, f"{path}/{folder_of(HISTORY, batch)}")
        raise


def append_history(spark: SparkSession, path: object, df: DataFrame, *, batch: str) -> None:
    """Counts only once the runs of the same batch are there. Within a partition of `df` a run's events should be
    together (schema.history_batch)."""
    _write(spark, str(path), HISTORY, df.select(*history_schema().names), batch)


def append_runs(spark: SparkSession, path: object, df: DataFrame, *, batch: str | None = None) -> None:
    _write(spark, str(path), RUNS, df.select(*(n for n in runs_schema().names if n != "schema")), batch or new_batch())


def new_batch() -> str:
    return uuid.uuid4().hex[:12]


def _write(spark: SparkSession, path: str, table: str, df: DataFrame, batch: str) -> None:
    place = f"{path}/{folder_of(table, batch)}"
    made = f"{path}/{WRITING}/{table}-{batch}" if moves_at_once(spark, path) else place
    try:
        with told_in_words(f"{path} cannot be written"):
            if not exists(spark, f"{path}/{folder_of(RUNS, batch)}/{DONE}"):
                remove(spark, place)  # what a killed writer has left of this very batch
            # Of version 2 are the encodings by difference, of times and numbers.
            to = df.write.option("compression", "zstd").option("parquet.writer.version", "PARQUET_2_0")
            to.option("parquet.block.size", A_GROUP).parquet(made)
            if made != place:
                move(spark, made, place)
    except BaseException:
        remove(spark, made)
        raise


def _batches(spark: SparkSession, path: str) -> list[Batch]:
    """Those whose runs are all there."""
    batches = _whole(spark, path, RUNS)
    other = next((schema for schema, _ in batches if schema != SCHEMA), None)
    if other is not None:
        raise of_another_schema(path, other, SCHEMA)
    return batches


def _whole(spark: SparkSession, path: str, table: str) -> list[Batch]:
    with told_in_words(f"{path} cannot be looked at"):
        marks = found(spark, f"{path}/{table}/schema=*/batch=*/{DONE}")
    return sorted((int(each[1]), each[2]) for each in map(_A_BATCH.search, marks) if each is not None)


def _table(
    spark: SparkSession, path: str, table: str, batches: Sequence[Batch], schema: pa.Schema, *also: Column
) -> DataFrame:
    whole = {*_whole(spark, path, table)}
    with told_in_words(f"{path} cannot be read"):
        there = [f"{path}/{table}/schema={v}/batch={batch}" for v, batch in batches if (v, batch) in whole]
        if not there:
            return spark.createDataFrame([], spark_schema(schema))
        read = spark.read.schema(spark_schema(schema)).option("basePath", f"{path}/{table}")
        return read.parquet(*there).select(*schema.names, *also)


def _with_defaults(runs: DataFrame) -> DataFrame:
    """A column that was added later is null in older files."""
    from pyspark.sql.functions import coalesce, col, lit

    fields = msgspec.structs.fields(RunRow)
    defaults = {field.name: field.default for field in fields if type(field.default) in (str, int, bool)}
    return runs.withColumns({name: coalesce(col(name), lit(value)) for name, value in defaults.items()})
