"""A campaign's portions as jobs of Spark. On this machine their tasks hand over what they have played; see by_tasks.py
for a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pyarrow as pa

from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.keeping import Here, by_first
from shaketable.harness.pipeline.campaigns.spreading import Played, played
from shaketable.harness.pipeline.campaigns.summaries import Summary, summary_of
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.stores.schema import run_rows, spark_schema
from shaketable.harness.pipeline.stores.store import BATCH, PART, is_store, rows_by_batch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TOLD: Final = "told"
_SCHEMA: Final = pa.schema([(BATCH, pa.string()), (PART, pa.string()), (_TOLD, pa.binary())])
_summary: Final = msgspec.msgpack.Decoder(Summary)


class OnSpark:
    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self._path = path

    @property
    def cores(self) -> int:
        return self._spark.sparkContext.defaultParallelism

    def already(self) -> dict[int, list[Summary]]:
        return kept_already(self._spark, self._path)

    def for_a_thread(self, call: Callable[..., object]) -> Callable[..., object]:
        from pyspark import inheritable_thread_target

        made: Callable[..., object] = inheritable_thread_target(self._spark)(call)
        return made

    def play(self, tasks: Sequence[Sequence[Case]], room: int) -> Any:
        # Else what Spark writes would wait until the portions that were begun before have no task left to be given.
        self._spark.sparkContext.setLocalProperty("spark.scheduler.pool", "portions")
        with told_in_words("the runs cannot be simulated"):
            return self._played(tasks, room)

    def stop(self) -> None:
        with suppress(Exception):
            self._spark.sparkContext.cancelAllJobs()

    def _played(self, tasks: Sequence[Sequence[Case]], room: int) -> Any:
        raise NotImplementedError


class Locally(OnSpark, Here):
    def __init__(self, spark: SparkSession, path: str, store: Path) -> None:
        OnSpark.__init__(self, spark, path)
        Here.__init__(self, store)

    def _played(self, tasks: Sequence[Sequence[Case]], room: int) -> list[Played]:
        return played(self._spark, tasks, room)


def kept_already(spark: SparkSession, path: str) -> dict[int, list[Summary]]:
    """By the number of the first run of each batch, what is told of its runs, in their order."""
    if not is_store(spark, path):
        return {}
    from pyspark.sql.functions import lit

    with told_in_words(f"{path} cannot be read"):
        rows = rows_by_batch(spark, path).withColumns({"verdict": lit(""), "settings": lit("")})
        told = rows.mapInArrow(_summed, spark_schema(_SCHEMA)).collect()
    parts: dict[str, list[Summary]] = {}
    for name, _, each in sorted(told, key=itemgetter(0, 1)):
        parts.setdefault(name, []).append(_summary.decode(each))
    return by_first(path, parts)


def _summed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        places = zip(*(batch.column(name).to_pylist() for name in (BATCH, PART)), strict=True)
        rows = run_rows(batch.drop_columns([BATCH, PART]))
        for place, part in groupby(zip(places, rows, strict=True), itemgetter(0)):
            told = msgspec.msgpack.encode(summary_of(row for _, row in part))
            of_part = dict(zip(_SCHEMA.names, (*place, told), strict=True))
            yield pa.RecordBatch.from_pylist([of_part], schema=_SCHEMA)
