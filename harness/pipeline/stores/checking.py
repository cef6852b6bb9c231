"""Judges runs of a store anew, each by its whole history: one task has all events of a run, or says why it has not."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec
import pyarrow as pa

from shaketable import harness
from shaketable.harness.pipeline.stores.rows import ReasonRow, RunRow
from shaketable.harness.pipeline.stores.run_rows import row_of
from shaketable.harness.pipeline.stores.schema import records_of, run_batch, run_rows, runs_schema, spark_schema
from shaketable.harness.reasons import UNKNOWN
from shaketable.harness.recording.codec import CodecError
from shaketable.harness.records import Record
from shaketable.harness.run import collect_garbage_rarely
from shaketable.harness.verdict import RunVerdict, ScriptSubject, judge
from shaketable.node.config import SettingError, Settings, read_settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shaketable.harness.pipeline.stores.store import Store

CANNOT: Final = "cannot be judged"


def judged_anew(store: Store, most_events: int) -> DataFrame:
    """The rows of the runs whose histories are in the store, as the checks of today judge them. A run that cannot be
    judged whole is unknown, with the reason."""
    from pyspark.sql.functions import col

    kept = store.runs.where(col("kept") != "")
    small = kept.where(col("events") <= most_events).select("run")
    # What no task could hold is not sent to any.
    events = store.history.join(small, "run", "left_semi")
    together = kept.groupBy("run").cogroup(events.groupBy("run"))
    return together.applyInArrow(_judging(most_events), spark_schema(runs_schema()))


def _judging(most_events: int) -> Callable[[pa.Table, pa.Table], pa.Table]:
    def judge_one(rows: pa.Table, events: pa.Table) -> pa.Table:
        spare_garbage()
        told = run_rows(rows)
        judged = [judged_row(told[0], events, most_events)] if len(told) == 1 else [_twice(row) for row in told[:1]]
        return pa.Table.from_batches([run_batch(judged)])

    return judge_one


@cache
def spare_garbage() -> None:
    """Once in each process of tasks. Reading a run makes nothing but what is kept: to look for garbage among it takes
    longer than to read it."""
    collect_garbage_rarely()


def judged_row(row: RunRow, events: pa.Table, most_events: int) -> RunRow:
    """As a task does it: the row of this run by the checks of today."""
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
    verdict = verdict_of(row, records, settings)
    new = row_of(verdict, run=row.run, family=row.family, settings={}, allowance=row.allowance, marks=row.marks)
    return msgspec.structs.replace(
        new, values=row.values, settings=row.settings, variant=row.variant, kept=row.kept, same=row.same,
        trouble=row.trouble, wall_micros=row.wall_micros, wall_began=row.wall_began,
    )  # fmt: skip


def settings_of(row: RunRow) -> Settings:
    """A setting that came later is at the preset's value."""
    return read_settings(row.preset, json.loads(row.settings))


def verdict_of(row: RunRow, records: list[Record], settings: Settings) -> RunVerdict:
    subject = ScriptSubject(
        row.script, row.title, row.file, tuple(row.about), row.expects_violation, tuple(row.broken_too)
    )
    verdict = judge(records, subject, settings, row.allowance)
    # What the history says of these may be lost with its beginning; where it is run again does not follow from it.
    return msgspec.structs.replace(
        verdict, file=row.file, world=row.world, fabric=row.fabric, seed=row.seed, preset=row.preset, again=row.again
    )


def unjudged(row: RunRow, why: str) -> RunRow:
    reasons = [ReasonRow(UNKNOWN, "script", f"the run {CANNOT}: {why}")]
    return msgspec.structs.replace(
        row, outcome=UNKNOWN, reasons=reasons, checks=[], verdict="", shaketable=harness.version()
    )


def _twice(row: RunRow) -> RunRow:
    return unjudged(row, "the store holds several runs of this name")
