"""What statements on Spark read by name: frames of a command, some of them kept, and how they are computed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PARTS: Final = "spark.sql.shuffle.partitions"
_SETTINGS: Final = {
    # To plan each stage anew, when the one before it is done, takes longer than what could be won with it: how large
    # things are is known, and nearly all of it stays in the partitions of its runs.
    "spark.sql.adaptive.enabled": "false",
    # Frames that are partitioned by run are joined there, also if the join asks for more than the same run.
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    # More groups than 128 would be sorted, with all values that their percentiles are made of.
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "10000",
}
_INTERPRETED: Final = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""Spark makes a program of each step of a statement, which takes longer than to do without for few rows."""
FEW: Final = 50_000
"""events"""
A_PART: Final = 250_000
"""events: as much as is worth a task of its own"""


class Views:
    """Names for what a statement reads: Spark's are of a session, and several measure in one."""

    def __init__(self, spark: SparkSession) -> None:
        self.names: dict[str, str] = {}
        self.events = 0
        """of the runs that are measured"""
        self._spark = spark
        self._own = uuid.uuid4().hex
        self._kept: list[DataFrame] = []

    def in_parts(self, events: int) -> int:
        """From here on what is sent between tasks goes to as many of them as so many events are worth."""
        self.events = events
        # The setting was made when the executors of a cluster had not come yet.
        most = max(int(self._spark.conf.get(_PARTS) or 1), self._spark.sparkContext.defaultParallelism)
        parts = max(1, min(events // A_PART, most))
        self._spark.conf.set(_PARTS, parts)
        if events < FEW:
            for name, value in _INTERPRETED.items():
                self._spark.conf.set(name, value)
        return parts

    def add(self, name: str, frame: DataFrame) -> None:
        self.names[name] = f"{name}_{self._own}"
        frame.createOrReplaceTempView(self.names[name])

    def keep(self, name: str, frame: DataFrame) -> None:
        """In memory, once it was made; what has no room there goes to disk."""
        kept = frame.persist()
        self._kept.append(kept)
        self.add(name, _as_table(kept))

    def drop(self) -> None:
        for view in self.names.values():
            self._spark.catalog.dropTempView(view)
        for frame in self._kept:
            frame.unpersist()


def _as_table(kept: DataFrame) -> DataFrame:
    """The same as if it were read from somewhere: else each statement that names it goes through all that it was made
    of, once more for each time that it names it, before Spark finds out that it is kept."""
    from pyspark.sql import DataFrame

    spark: Any = kept.sparkSession
    plan = kept._jdf.queryExecution().withCachedData()
    made = spark.sparkContext._jvm.org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, plan)
    return DataFrame(made, spark)


@contextmanager
def views_of(spark: SparkSession) -> Iterator[Views]:
    """While these views are there statements are computed as it suits them."""
    before = {name: spark.conf.get(name) for name in (*_SETTINGS, *_INTERPRETED, _PARTS)}
    views = Views(spark)
    try:
        for name, value in _SETTINGS.items():
            spark.conf.set(name, value)
        yield views
    finally:
        for name, old in before.items():
            spark.conf.set(name, str(old))
        views.drop()
