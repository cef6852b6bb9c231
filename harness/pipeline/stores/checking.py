"""Judges runs of a store anew, each by its whole history: one task has all events of a run, or says why it has not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from shaketable.harness.history.codec import CodecError
from shaketable.harness.history.history import History
from shaketable.harness.pipeline.stores.run_rows import row_of, unjudged
from shaketable.harness.pipeline.stores.schema import RUN, records_of, run_batch, runs_schema, spark_schema
from shaketable.harness.records import Record
from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.harness.verdicts.rows import RunRow
from shaketable.harness.verdicts.verdict import RunVerdict, ScriptSubject, judge_history
from shaketable.node.config import SettingError, Settings, read_settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shaketable.harness.pipeline.stores.store import Store

AT_ONCE: Final = 20_000
"""events of the runs whose rows are handed over together"""
_ROW: Final = "row"
"""beside the columns of the events: a run's row as JSON"""
_MOST_BYTES: Final = "spark.sql.execution.arrow.maxBytesPerBatch"
_ANY: Final = str(2**31 - 1)
_row: Final = msgspec.json.Decoder(RunRow)


def judged_anew(store: Store, most_events: int) -> DataFrame:
    """The rows of the runs whose histories are in the store, as the checks of today judge them. A run that cannot be
    judged whole is unknown, with the reason."""
    from pyspark.sql.functions import col, struct, to_json

    kept = store.runs.where(col("kept") != "")
    small = kept.where(col("events") <= most_events).select(RUN)
    # A run that no task could hold is not sent to any.
    events = store.history.join(small, RUN, "left_semi")
    # Their verdicts are made anew, and are all that is large in them.
    rows = kept.drop("verdict").withColumn(_ROW, to_json(struct("*"), {"ignoreNullFields": "true"})).select(RUN, _ROW)
    together = rows.unionByName(events, allowMissingColumns=True).repartition(RUN)
    ordered = together.sortWithinPartitions(RUN, col(_ROW).asc_nulls_last())
    # To know when a batch has so many bytes Spark asks every column after every event, a third of all it does. A batch
    # of thousands of events at most is small without that.
    ordered.sparkSession.conf.set(_MOST_BYTES, _ANY)
    return ordered.mapInArrow(partial(_in_batches, most_events=most_events), spark_schema(runs_schema()))


def _in_batches(batches: Iterator[pa.RecordBatch], most_events: int) -> Iterator[pa.RecordBatch]:
    """Of many runs each, as far as they are short: for a batch Spark does as much as for a hundred events."""
    spare_garbage()
    done: list[RunRow] = []
    size = 0
    for row in judged_runs(batches, most_events):
        done.append(row)
        size += 1 + row.events
        if size > AT_ONCE:
            yield run_batch(done)
            done, size = [], 0
    yield run_batch(done)


def judged_runs(batches: Iterable[pa.RecordBatch], most_events: int) -> Iterator[RunRow]:
    """All of a run stands together, its row before its events; where a batch ends means nothing."""
    for _, parts in groupby(_parts(batches), itemgetter(0)):
        run = pa.Table.from_batches([part for _, part in parts])
        rows = [_row.decode(each) for each in run[_ROW].drop_null().to_pylist()]
        yield judged_row(rows[0], run.slice(1), most_events) if len(rows) == 1 else _twice(rows[0])


def _parts(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows that follow each other under one run's name, with that."""
    for batch in batches:
        names = pc.run_end_encode(batch.column(RUN))
        start = 0
        for name, end in zip(names.values.to_pylist(), names.run_ends.to_pylist(), strict=True):
            yield name, batch.slice(start, end - start)
            start = end


@cache
def spare_garbage() -> None:
    """Once in each process of tasks. Reading a run makes nothing but what is kept: to look for garbage among it takes
    longer than to read it."""
    collect_garbage_rarely()


def judged_row(row: RunRow, events: pa.Table, most_events: int) -> RunRow:
    """As a task does it: the row of this run by the checks of today."""
    if row.lost:
        return unjudged(row, row.lost)
    if max(row.events, events.num_rows) > most_events:
        why = f"it has {row.events} events, and one task takes {most_events}: give a larger --most-events"
        return unjudged(row, why)
    if events.num_rows != row.events:
        return unjudged(row, f"{events.num_rows} of its {row.events} events are in the store")
    try:
        records = records_of(events)
        settings = settings_of(row)
    except (CodecError, SettingError, ValueError) as error:
        return unjudged(row, str(error))
    verdict = verdict_of(row, records, settings, story_of_passed=False)
    new = row_of(verdict, run=row.run, family=row.family, settings={}, allowance=row.allowance, marks=row.marks)
    return msgspec.structs.replace(
        new, values=row.values, settings=row.settings, variant=row.variant, kept=row.kept, same=row.same,
        trouble=row.trouble, wall_micros=row.wall_micros, wall_began=row.wall_began,
    )  # fmt: skip


def settings_of(row: RunRow) -> Settings:
    """A setting that came later is at the preset's value."""
    return read_settings(row.preset, json.loads(row.settings))


def verdict_of(row: RunRow, records: list[Record], settings: Settings, *, story_of_passed: bool = True) -> RunVerdict:
    subject = ScriptSubject(
        row.script, row.title, row.file, tuple(row.about), row.expects_violation, tuple(row.broken_too)
    )
    verdict = judge_history(History(records), subject, settings, row.allowance, story_of_passed=story_of_passed)
    # The history may have lost these with its beginning; where it is run again does not follow from it.
    return msgspec.structs.replace(
        verdict, file=row.file, world=row.world, fabric=row.fabric, seed=row.seed, preset=row.preset, again=row.again
    )


def _twice(row: RunRow) -> RunRow:
    return unjudged(row, "the store holds several runs of this name")
