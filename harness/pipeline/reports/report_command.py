"""`shaketable report`: ingest, check and measure in turn, and what they say as a page, Markdown, JUnit XML and JSON."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from shaketable.harness.checks.result import counted
from shaketable.harness.console.report import STYLES
from shaketable.harness.console.screen import Screen
from shaketable.harness.coverage import ALL_MARKS
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.arguments import refuse_too_few_events
from shaketable.harness.pipeline.reports.store_report import write_store_reports
from shaketable.harness.pipeline.spark.session import ending_in_order
from shaketable.harness.pipeline.stores.checking import judged_anew
from shaketable.harness.pipeline.stores.ingest_command import ingest_folders, names_of
from shaketable.harness.pipeline.stores.reading import folders_of_runs
from shaketable.harness.pipeline.stores.store import BELOW, Store, is_store, open_store, session_for
from shaketable.harness.reports import said_of_reports
from shaketable.harness.reports.model import Comparison, Report
from shaketable.harness.reports.shared import MARKS, summary_of, whose_members

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MOST_SHOWN: Final = 30
"""runs of recorded folders that have passed and have a picture all the same"""


def report(options: argparse.Namespace) -> int:
    refuse_too_few_events(options)
    out = Path(options.out)
    if not all(Path(each).exists() for each in options.runs if "://" not in each):
        missing = next(each for each in options.runs if not Path(each).exists())
        raise UserError(f"there is no folder {missing}")
    with ending_in_order():
        spark = session_for(options, *options.runs, options.against, app="shaketable report")
        stores = [each for each in options.runs if is_store(spark, each)]
        if options.against and not stores:
            raise UserError(
                "--against compares two stores, and these are recorded runs: `shaketable ingest` them first"
            )
        if stores and len(options.runs) > 1:
            raise UserError(f"{stores[0]} is a store: give it alone, or folders of recorded runs")
        made = _of_store(spark, options, out) if stores else _of_folders(spark, options, out)
    _tell(made, out, Screen())
    return made.exit_code


def _of_store(spark: SparkSession, options: argparse.Namespace, out: Path) -> Report:
    store = open_store(spark, options.runs[0])
    comparisons: Sequence[Comparison] = ()
    notes: Sequence[str] = ()
    if options.against:
        from shaketable.harness.pipeline.comparing.compared_report import comparisons_of  # needs scipy

        comparisons, notes = comparisons_of(spark, open_store(spark, options.against), store)
    title = f"the runs of {options.runs[0]}"
    return _written(store, store.runs, options, out, title, comparisons=comparisons, notes=notes)


def _of_folders(spark: SparkSession, options: argparse.Namespace, out: Path) -> Report:
    from pyspark.sql.functions import col

    folders = folders_of_runs(options.runs)
    where = str(out / BELOW)
    done = ingest_folders(spark, folders, where, options.most_events)
    if not is_store(spark, where):
        raise UserError(f"none of these runs could be read: {done.refused[0]}")
    store = open_store(spark, where)
    names = list(names_of(folders)[0])  # what could not be read is told of already
    runs = store.runs.where(col("run").isin(names))
    title = counted(len(names), "recorded run")
    notes = [f"Left out: {each}" for each in done.refused]
    shown = names if len(names) <= MOST_SHOWN else ()
    return _written(store, runs, options, out, title, notes=notes, complete=not notes, shown=shown)


def _written(
    store: Store,
    runs: DataFrame,
    options: argparse.Namespace,
    out: Path,
    title: str,
    *,
    notes: Sequence[str],
    complete: bool = True,
    shown: Sequence[str] = (),
    comparisons: Sequence[Comparison] = (),
) -> Report:
    chosen = Store(store.path, runs, store.history)
    judged = runs if options.as_judged else _judged(chosen, options.most_events).persist()
    try:  # all that is asked of these rows would have them judged once more
        return write_store_reports(
            store,
            out,
            title=title,
            again=shlex.join(_command(options)),
            runs=judged,
            notes=notes,
            complete=complete,
            comparisons=comparisons,
            shown_passed=shown,
            measured=not options.no_measures,
            marks={} if shown else ALL_MARKS,  # a few recorded runs are not to reach all there is
        )
    finally:
        judged.unpersist()


def _command(options: argparse.Namespace) -> list[str]:
    words = ["shaketable", "report", *options.runs, "--out", options.out]
    words += ["--against", options.against] if options.against else []
    words += ["--as-judged"] if options.as_judged else []
    return words + (["--no-measures"] if options.no_measures else [])


def _judged(store: Store, most_events: int) -> DataFrame:
    """All runs: those whose histories are kept by the checks of today, the others as they were judged."""
    from pyspark.sql.functions import col

    others = store.runs.where(col("kept") == "")
    return judged_anew(store, most_events).unionByName(others)


def _tell(made: Report, out: Path, screen: Screen) -> None:
    for note in filter(None, (whose_members(made), *made.notes)):
        screen.say(note)
    said = f"{MARKS[made.outcome]} {made.outcome.upper()}  {summary_of(made)}"
    screen.say(said, STYLES.get(made.outcome, ""))
    screen.say(said_of_reports(out))
