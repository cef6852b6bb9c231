"""The one writer of a store on this machine, and how it adds a batch: beside the tables, and then moved to its place.

So a file that lies in a table is whole, and counts: whoever reads the tables without us reads the same. The next
writer takes away what a killed one has left."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.spark.trouble import said
from shaketable.harness.pipeline.stores.places import folder_here
from shaketable.harness.pipeline.stores.schema import history_schema
from shaketable.harness.runs.alone import LOCK, alone_in
from shaketable.harness.verdicts.rows import HISTORY, RUNS, SCHEMA

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITING: Final = ".writing"
"""in a store: batches that are not whole yet"""
DONE: Final = "_SUCCESS"
"""in the folder of a whole batch, as Spark marks it"""
OURS: Final = (RUNS, HISTORY, WRITING, LOCK)
"""all that may lie in a store"""
A_GROUP: Final = 100_000
"""events: a reader's task takes one such group or more"""
_NUMBERS: Final = tuple(field.name for field in history_schema() if pa.types.is_integer(field.type))
"""Of the events: times, versions. The next one is like the last one, and they are written by difference."""
_OTHERS: Final = (
    *(field.name for field in history_schema() if pa.types.is_string(field.type)),
    "members.list.element.address",
    "members.list.element.uuid",
)


def folder_of(table: str, batch: str) -> str:
    """In a store."""
    return f"{table}/schema={SCHEMA}/batch={batch}"


@contextmanager
def alone_writing(spark: SparkSession, path: str) -> Iterator[None]:
    """As long as this lasts, no other process of ours writes there. For a store on this machine alone: elsewhere
    nothing dies with a process."""
    here = folder_here(spark, path)
    if here is None:
        yield
        return
    with alone_here(here):
        yield


@contextmanager
def alone_here(here: Path) -> Iterator[None]:
    with alone_in(here, "give another --out"):
        sweep(here)
        try:
            yield
        finally:
            shutil.rmtree(here / WRITING, ignore_errors=True)


def sweep(store: Path) -> None:
    """Takes away what killed writers have left. Only the one writer may."""
    shutil.rmtree(store / WRITING, ignore_errors=True)
    for table in (RUNS, HISTORY):
        for folder in store.glob(folder_of(table, "*")):
            batch = folder.name.partition("=")[2]
            if not (store / folder_of(RUNS, batch) / DONE).exists():
                shutil.rmtree(folder, ignore_errors=True)


def add_batch(store: Path, batch: str, runs: pa.Table, history: pa.Table | None) -> None:
    """All of it, or nothing that can be seen: its histories first, which are nobody's until its runs are there."""
    try:
        if history is not None:
            with _moved(store, HISTORY, batch) as file:
                pq.write_table(
                    history, file, compression="zstd", row_group_size=A_GROUP, store_schema=False,
                    use_dictionary=list(_OTHERS),
                    column_encoding=dict.fromkeys(_NUMBERS, "DELTA_BINARY_PACKED"),
                )  # fmt: skip
        with _moved(store, RUNS, batch) as file:
            pq.write_table(runs.drop_columns(["schema"]), file, compression="zstd", store_schema=False)
    except OSError as error:
        shutil.rmtree(store / folder_of(HISTORY, batch), ignore_errors=True)
        raise UserError(said(f"{store} cannot be written", str(error))) from None


@contextmanager
def _moved(store: Path, table: str, batch: str) -> Iterator[Path]:
    """A file to be written. Then it is safe on the disk, and after that in its place."""
    made, place = store / WRITING / f"{table}-{batch}", store / folder_of(table, batch)
    made.mkdir(parents=True)
    try:
        yield made / "part-00000.zstd.parquet"
        (made / DONE).touch()
        for each in (*made.iterdir(), made):
            _to_disk(each)
        place.parent.mkdir(parents=True, exist_ok=True)
        made.rename(place)
        _to_disk(place.parent)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _to_disk(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
