"""Keeps the runs of a campaign in its store as they come, and tells of those that are there already.

They come in the order of the plan, and a batch has runs of one wave, that follow each other. Its name says which: the
number of the first one, and how many. So a store always holds the beginning of its campaign, and each run once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.campaigns.spreading import Played, packed, unpacked
from shaketable.harness.pipeline.campaigns.summaries import Summary, summary_of
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.stores import store as stores
from shaketable.harness.pipeline.stores.places import folder_here
from shaketable.harness.pipeline.stores.schema import run_rows, spark_schema
from shaketable.harness.pipeline.stores.writing import add_batch
from shaketable.harness.verdicts.rows import KEPT_FAILED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_KEPT: Final = 500
"""histories of runs that have not passed; there may be more such runs, and their verdicts are there"""
_NAME: Final = re.compile(r"runs-(\d+)-(\d+)")
_TOLD: Final = "told"
_SCHEMA: Final = pa.schema([(stores.BATCH, pa.string()), (_TOLD, pa.binary())])
_summary: Final = msgspec.msgpack.Decoder(Summary)


class Keeper:
    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self._path = path
        self._here = folder_here(spark, path)
        self._first = 0
        self._runs = 0
        self._rows: list[pa.Table] = []
        self._histories: list[pa.Table] = []

    @property
    def waiting(self) -> int:
        """Runs that are not kept yet."""
        return self._runs

    def take(self, first: int, played: Played) -> None:
        """`first`: the number of its first run."""
        if not self._runs:
            self._first = first
        self._runs += played.told.runs
        self._rows.append(unpacked(played.rows))
        self._histories += map(unpacked, played.histories.values())

    def keep(self) -> None:
        """All that was taken, for good."""
        if not self._runs:
            return
        rows = pa.concat_tables(self._rows)
        histories = pa.concat_tables(self._histories) if self._histories else None
        name = f"runs-{self._first:08}-{self._runs}"
        if self._here is not None:
            # Not by Spark: it takes as long for a few rows as a core for many runs.
            add_batch(self._here, name, rows, histories)
        else:
            runs, events = (each and self._spark.createDataFrame(each).coalesce(1) for each in (rows, histories))
            assert runs is not None
            stores.append(self._spark, self._path, runs, events, batch=name)
        self._runs = 0
        self._rows.clear()
        self._histories.clear()


def within(played: Played, room: int) -> Played:
    """With the histories of so many runs that have not passed, the first ones, and no more."""
    told = played.told
    if len(told.kept_failed) <= room:
        return played
    kept, others = told.kept_failed[:room], told.kept_failed[room:]
    rows = unpacked(played.rows)
    whose = pa.array(others, pa.string())
    surplus = pc.and_(pc.equal(rows["kept"], KEPT_FAILED), pc.is_in(rows["run"], whose))
    place = rows.schema.get_field_index("kept")
    rows = rows.set_column(place, rows.schema.field(place), pc.if_else(surplus, "", rows["kept"]))
    return Played(
        msgspec.structs.replace(told, kept_failed=kept),
        packed(rows),
        {run: events for run, events in played.histories.items() if run not in others},
    )


def kept_already(spark: SparkSession, path: str) -> dict[int, list[Summary]]:
    """By the number of the first run of each batch, what is told of its runs, in their order."""
    if not stores.is_store(spark, path):
        return {}
    from pyspark.sql.functions import lit

    with told_in_words(f"{path} cannot be read"):
        rows = stores.rows_by_batch(spark, path).withColumns({"verdict": lit(""), "settings": lit("")})
        told = rows.mapInArrow(_summed, spark_schema(_SCHEMA)).collect()
    parts: dict[str, list[Summary]] = {}
    for name, each in told:
        parts.setdefault(name, []).append(_summary.decode(each))
    found = {}
    for name, of_batch in parts.items():
        if (ours := _NAME.fullmatch(name)) is None:
            continue  # others may be put into this store, too
        runs = sum(each.runs for each in of_batch)
        if runs != int(ours[2]):
            raise UserError(f"{path} has {runs} runs in the batch {name}: give another --out")
        found[int(ours[1])] = of_batch
    return found


def _summed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        names = batch.column(stores.BATCH).to_pylist()
        rows = run_rows(batch.drop_columns([stores.BATCH]))
        for name, part in groupby(zip(names, rows, strict=True), itemgetter(0)):
            told = msgspec.msgpack.encode(summary_of(row for _, row in part))
            yield pa.RecordBatch.from_pylist([{stores.BATCH: name, _TOLD: told}], schema=_SCHEMA)
