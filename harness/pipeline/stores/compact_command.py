"""`shaketable compact`: the runs of a store once more, in a new one of few files, in an order that lets questions skip.

The old store stays as it is: another command may read it, or add to it. The new one counts when it is whole."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from shaketable.harness.checks.result import counted
from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.spark.session import ending_in_order
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.stores.here import batches_in
from shaketable.harness.pipeline.stores.store import (
    append,
    is_store,
    lies_here,
    may_be_added_to,
    open_store,
    refuse_what_is_none,
    session_for,
)
from shaketable.harness.pipeline.stores.writing import alone_writing
from shaketable.harness.verdicts.verdict import EXIT_CODES, PASSED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ORDER: Final = ("script", "seed", "run")
"""of runs: those of one script lie together"""
WITHIN: Final = ("run", "node", "incarnation", "sequence")
"""Of events: a run's together, of it a process's in its own order (schema.history_batch). A run's name begins with its
script's."""
RUNS_A_FILE: Final = 100_000
EVENTS_A_FILE: Final = 4_000_000
"""some 100 MB"""


class Compacted(msgspec.Struct, frozen=True):
    runs: int
    events: int
    files: tuple[int, int]
    """before, and now"""


def compact_store(options: argparse.Namespace) -> int:
    refuse_what_is_none(options, options.store)
    if lies_here(options, options.out) and batches_in(Path(options.out)):
        raise _there_already(options.out)  # before Spark is started for nothing
    if lies_here(options, options.out) and Path(options.store).resolve() in Path(options.out).resolve().parents:
        raise UserError(f"{options.out} lies in the old store, which stays as it is: give a folder beside it")
    with ending_in_order():
        done = compact(session_for(options, options.store), options.store, options.out)
    told = f"{counted(done.runs, 'run')} and {counted(done.events, 'event')} of {options.store}"
    before, now = done.files
    Screen().say(f"{told} put into {options.out}: {counted(before, 'file')} before, {now} now")
    return EXIT_CODES[PASSED]


def compact(spark: SparkSession, path: str, out: str) -> Compacted:
    store = open_store(spark, path)
    if is_store(spark, out):
        raise _there_already(out)
    may_be_added_to(spark, out)
    with told_in_words(f"{path} cannot be read"):
        runs, events = store.runs.count(), store.history.count()
    with alone_writing(spark, out), told_in_words(f"{path} cannot be put into {out}"):
        history = _ordered(store.history, WITHIN[:1], WITHIN, events, EVENTS_A_FILE) if events else None
        append(spark, out, _ordered(store.runs, ORDER, ORDER, runs, RUNS_A_FILE), history)
    made = open_store(spark, out)
    with told_in_words(f"{out} cannot be read"):
        there = made.runs.count(), made.history.count()
        files = tuple(len(each.runs.inputFiles()) + len(each.history.inputFiles()) for each in (store, made))
    if there != (runs, events):
        raise UserError(f"{out} has not all of {path}: take it away, and give the same command again")
    return Compacted(runs, events, (files[0], files[1]))


def _there_already(out: str) -> UserError:
    return UserError(f"{out} is a store already: give a folder that is not there yet")


def _ordered(df: DataFrame, by: tuple[str, ...], within: tuple[str, ...], rows: int, a_file: int) -> DataFrame:
    """Each file has a range of its own, and rises."""
    return df.repartitionByRange(-(-rows // a_file), *by).sortWithinPartitions(*within)
