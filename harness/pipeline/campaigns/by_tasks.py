"""A campaign's runs on a cluster: the tasks that play them keep their rows, and write them. The driver reads counts.

So the driver's work hangs on how many tasks there are, and hardly on their rows and events. If an executor is lost,
another one plays its runs again, with the same rows."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.keeping import Work, batch_name, without_histories_of
from shaketable.harness.pipeline.campaigns.on_spark import Locally, OnSpark
from shaketable.harness.pipeline.campaigns.spreading import cases_in, play, sent, unpacked, where_scripts_are
from shaketable.harness.pipeline.campaigns.summaries import Summary, without_room
from shaketable.harness.pipeline.spark.travel import is_local
from shaketable.harness.pipeline.stores import store as stores
from shaketable.harness.pipeline.stores.places import folder_here
from shaketable.harness.pipeline.stores.schema import RUN, history_schema, runs_schema, spark_schema
from shaketable.harness.pipeline.stores.writing import folder_of
from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.harness.verdicts.rows import HISTORY, RUNS

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame, SparkSession

A_FILE: Final = 10_000
"""rows: a task that writes fewer makes small files, and one that writes more keeps others waiting"""
EVENTS_OF_A_FILE: Final = 2_000_000
_PACKED: Final = "rows binary, histories array<binary>"
_told: Final = msgspec.msgpack.Decoder(Summary)
_Kept = tuple[bytes, bytes, list[bytes]]
"""of a task: its summary, its rows, and the histories that are to be kept"""


class Portioned(NamedTuple):
    told: list[Summary]
    """of its tasks, in their order"""
    kept: RDD[_Kept]
    """on the executors"""


class ByTasks(OnSpark):
    def __init__(self, spark: SparkSession, path: str) -> None:
        super().__init__(spark, path)
        self._first = 0
        self._told: list[Summary] = []
        self._kept: list[RDD[_Kept]] = []
        self._others: list[str] = []
        """runs whose histories there is no more room for"""

    def _played(self, tasks: Sequence[Sequence[Case]], room: int) -> Portioned:
        from pyspark import StorageLevel

        context = self._spark.sparkContext
        task = partial(_play, where=where_scripts_are(self._spark), room=room)
        kept = context.parallelize(sent(tasks), len(tasks)).mapPartitions(task).persist(StorageLevel.MEMORY_AND_DISK)
        return Portioned([_told.decode(each) for each in kept.map(_summary).collect()], kept)

    def take(self, first: int, done: Portioned, room: int) -> list[Summary]:
        if not self._kept:
            self._first = first
        self._kept.append(done.kept)
        taken = []
        for each in done.told:
            told, others = without_room(each, room)
            room -= len(told.kept_failed)
            self._others += others
            taken.append(told)
        self._told += taken
        return taken

    def keep(self) -> None:
        """Many tasks have played it, and fewer write it."""
        if not self._kept:
            return
        rows = self._spark.sparkContext.union(self._kept).map(_columns)
        packed = self._spark.createDataFrame(rows, _PACKED)
        runs, events = (sum(getattr(each, name) for each in self._told) for name in ("runs", "events"))
        histories = sum(each.kept_sample + len(each.kept_failed) for each in self._told)
        whole = self._unpacked(packed, _rows_in, runs_schema(), runs / A_FILE)
        part = events * histories / max(runs, 1)
        history = self._unpacked(packed, _events_in, history_schema(), part / EVENTS_OF_A_FILE) if histories else None
        name = batch_name(self._first, runs)
        stores.append(self._spark, self._path, whole, history, batch=name)
        self._refuse_what_is_elsewhere(name, runs)
        for each in self._kept:
            each.unpersist()
        self._kept.clear()
        self._told.clear()
        self._others.clear()

    def _refuse_what_is_elsewhere(self, batch: str, runs: int) -> None:
        """Executors that have another disk write there, and say nothing of it."""
        here = folder_here(self._spark, self._path)
        if here is None:
            return
        folder = here / folder_of(RUNS, batch)
        there = sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
        if there != runs:
            for table in (RUNS, HISTORY):
                shutil.rmtree(here / folder_of(table, batch), ignore_errors=True)
            raise UserError(
                f"{self._path} is another folder on the executors than here ({there} of {runs} runs came): give --out "
                "on a file system that all of them share"
            )

    def _unpacked(
        self, packed: DataFrame, how: Callable[..., Iterator[pa.RecordBatch]], schema: pa.Schema, files: float
    ) -> DataFrame:
        made = packed.mapInArrow(partial(how, others=list(self._others)), spark_schema(schema))
        return made.coalesce(int(files) + 1)


def _play(tasks: Iterator[bytes], where: Callable[[str], str], room: int) -> Iterator[_Kept]:
    collect_garbage_rarely()
    for task in tasks:
        done = play(cases_in(task), room, where)
        yield msgspec.msgpack.encode(done.told), done.rows, [*done.histories.values()]


def _summary(kept: _Kept) -> bytes:
    return kept[0]


def _columns(kept: _Kept) -> tuple[bytearray, list[bytearray]]:
    """As Spark takes them for binary ones."""
    return bytearray(kept[1]), [*map(bytearray, kept[2])]


def _rows_in(packed: Iterator[pa.RecordBatch], others: list[str]) -> Iterator[pa.RecordBatch]:
    for batch in packed:
        for rows in batch.column("rows").to_pylist():
            yield from without_histories_of(others, unpacked(rows)).to_batches()


def _events_in(packed: Iterator[pa.RecordBatch], others: list[str]) -> Iterator[pa.RecordBatch]:
    whose = pa.array(others, pa.string())
    for batch in packed:
        for histories in batch.column("histories").to_pylist():
            for events in map(unpacked, histories):
                yield from events.filter(pc.invert(pc.is_in(events[RUN], whose))).to_batches()


def work_for(spark: SparkSession, path: str) -> Work:
    """For this Spark, and a store there."""
    here = folder_here(spark, path) if is_local(spark.sparkContext.master) else None
    return ByTasks(spark, path) if here is None else Locally(spark, path, here)
