"""`shaketable campaign`: from the command line to the cells, played by processes or by Spark, to what is told."""

from __future__ import annotations

import argparse
import hashlib
import itertools
import math
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from shaketable.harness.console.screen import Screen
from shaketable.harness.console.values import values_of
from shaketable.harness.cores import cores_here
from shaketable.harness.coverage import ALL_MARKS
from shaketable.harness.errors import UserError, cannot_be_written
from shaketable.harness.pipeline.campaigns.by_tasks import work_for
from shaketable.harness.pipeline.campaigns.campaign import Campaign
from shaketable.harness.pipeline.campaigns.campaign_text import tell, title_of
from shaketable.harness.pipeline.campaigns.cases import Cell, cells_of
from shaketable.harness.pipeline.campaigns.corpora import FILE, read_corpus, write_corpus
from shaketable.harness.pipeline.campaigns.keeping import Work
from shaketable.harness.pipeline.campaigns.manifest import ANOTHER, begin_or_go_on, manifest_of
from shaketable.harness.pipeline.campaigns.minimal import shrunk
from shaketable.harness.pipeline.campaigns.nights import night, read_nights, write_nights
from shaketable.harness.pipeline.campaigns.processes import Processes
from shaketable.harness.pipeline.campaigns.progress import Progress, Steps
from shaketable.harness.pipeline.campaigns.results import Results
from shaketable.harness.pipeline.campaigns.spans import seconds_of
from shaketable.harness.pipeline.campaigns.variants import (
    asked_for,
    each_under_all,
    in_turn,
    over,
)
from shaketable.harness.pipeline.campaigns.waves import LEAST, Asked
from shaketable.harness.pipeline.needed import MANY, USUAL, plays_on_spark
from shaketable.harness.pipeline.reports.store_report import write_store_reports
from shaketable.harness.pipeline.spark.session import ending_in_order, scratch_folder, spark_session
from shaketable.harness.pipeline.spark.travel import send_scripts
from shaketable.harness.pipeline.stores.here import history_here, rows_here
from shaketable.harness.pipeline.stores.store import open_store, refuse_what_is_none
from shaketable.harness.pipeline.stores.writing import alone_here, alone_writing
from shaketable.harness.reports import said_of_reports
from shaketable.harness.reports.campaign_report import CampaignFacts, write_campaign_reports
from shaketable.harness.reports.model import Comparison, Minimal
from shaketable.harness.runs.alone import alone_in
from shaketable.harness.runs.directory import RECORDINGS
from shaketable.harness.runs.fitting import fitting
from shaketable.harness.runs.interrupts import Interrupts
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.scripting.targets import scripts_named, scripts_of_ours
from shaketable.harness.verdicts.verdict import EXIT_CODES, shown_file
from shaketable.node.config import NO_LEGACY_FAULT, without_secrets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STORE: Final = "store"
"""the store of runs, in the folder of --out"""
SHRUNK: Final = "shrunk"
"""and there the shortest stories that still fail"""
MOST: Final = 10_000_000
"""runs"""
PLANS: Final = "plans"
"""the plans that the search has made, by which such a run can be had again"""


def campaign(options: argparse.Namespace) -> int:
    _refuse_numbers(options)
    options.scripts += options.more_scripts
    out = Path(options.out) if options.out else _new_folder()
    before = _before(options, out)
    interrupts = Interrupts()
    asked = _asked(options, out)
    again = _command(options, out)
    unread: BrokenPipeError | None = None
    with alone_in(out, ANOTHER), ending_in_order(), interrupts.noted():
        begin_or_go_on(out, manifest_of(_decisive(options), [cell.script.file for cell in asked.cells]))
        spark = None
        if plays_on_spark(options):
            with Steps("Starting Spark") as steps:
                spark = spark_session(
                    options.spark_master,
                    cores=options.cores,
                    app="shaketable campaign",
                    short=True,
                    begins=partial(steps.begins, "this takes some ten seconds"),
                )
        results, complete = _run(spark, asked, options, out, interrupts)
        if results.runs:
            screen = Screen()
            try:
                tell(results, results.runs if complete else asked.runs, screen, out=out)
            except BrokenPipeError as error:
                unread = error  # somebody has read as much as they wanted, and will want the reports
            small = shrunk(results.failing, asked.cells, out / SHRUNK, _say, lambda: interrupts.came)
            compared = _report(spark, results, asked, out, small, again, before=before, complete=complete)
            for sentence in (*compared, said_of_reports(out)):
                screen.say(sentence)
    if not complete:
        raise UserError(f"{_interrupted(results, asked)}; to go on: {again}")
    if unread is not None:
        raise unread
    return EXIT_CODES[results.outcome]


def _asked(options: argparse.Namespace, out: Path) -> Asked:
    if options.corpus and Path(options.corpus).resolve() == out.resolve():
        raise UserError(f"--corpus {options.corpus}: that is --out itself, whose campaign goes on without it")
    runs = options.runs or (MOST if options.time else USUAL)
    earlier = read_corpus(Path(options.corpus)) if options.corpus else ()
    return Asked(
        _cells(options), runs, options.seed, options.sample, wave=LEAST if options.time else 0,
        search=options.search, plans=shown_file(str((out / PLANS).absolute())), earlier=earlier,
    )  # fmt: skip


def _run(
    spark: SparkSession | None, asked: Asked, options: argparse.Namespace, out: Path, interrupts: Interrupts
) -> tuple[Results, bool]:
    """Without Spark by processes of this machine."""
    store = out / STORE
    if spark is None:
        with alone_here(store):
            return _played(Processes(store, options.cores or cores_here()), asked, options, out, interrupts)
    send_scripts(spark, [cell.script.file for cell in asked.cells], scratch_folder())
    with alone_writing(spark, str(store)):
        return _played(work_for(spark, str(store)), asked, options, out, interrupts)


def _played(
    work: Work, asked: Asked, options: argparse.Namespace, out: Path, interrupts: Interrupts
) -> tuple[Results, bool]:
    until = time.monotonic() + options.time if options.time else None
    store, ends = str(out / STORE), math.inf if until is None else until
    running = Campaign(work, store, asked, interrupts=interrupts, until=ends)
    progress = Progress(asked.runs, running.already(), until=until)
    running.show = progress.show
    try:
        complete = running.run()
    finally:
        progress.end()
    _hand_over(running, options, out)
    return running.results, complete


def _hand_over(running: Campaign, options: argparse.Namespace, out: Path) -> None:
    """To the next campaign: the corpus, and what the nights have found until now."""
    kept = running.kept()
    before = read_nights(out) or (read_nights(Path(options.corpus)) if options.corpus else [])
    try:
        write_corpus(out, kept)
        if running.new.runs:
            ended = time.strftime("%Y-%m-%d %H:%M")
            write_nights(out, [*before, night(running.new, before, ended=ended, store=str(out), plans=len(kept))])
    except OSError as error:
        raise cannot_be_written(out, error, ANOTHER) from None


def _report(
    spark: SparkSession | None,
    results: Results,
    asked: Asked,
    out: Path,
    minimal: Mapping[str, Minimal],
    again: str,
    *,
    before: str,
    complete: bool,
) -> Sequence[str]:
    """After the verdict is told: this takes a while, and does not change it. It gives the sentences of a comparison
    with the campaign before."""
    notes = [] if complete else [_interrupted(results, asked)]
    notes += [f"{run} was executed twice, and its two histories differ" for run in results.differed]
    path, title = out / STORE, title_of(results, asked.runs if asked.runs < MOST else results.runs)
    comparisons: Sequence[Comparison] = ()
    said: Sequence[str] = ()
    with Steps("Making the reports") as steps:
        if spark is None:
            if before:
                from shaketable.harness.pipeline.comparing.compared_report import comparisons_here  # needs scipy

                steps.begins(f"comparing with {before}")
                comparisons, said = comparisons_here(Path(before), path)
                notes += said
            steps.begins("reading the runs")
            facts = CampaignFacts(
                title=title,
                rows=rows_here(path),
                again=again,
                marks=ALL_MARKS,
                history_of=partial(history_here, path),
                minimal=minimal,
                comparisons=comparisons,
                notes=notes,
                complete=complete,
            )
            write_campaign_reports(facts, out)
            return said
        store = open_store(spark, str(path))
        if before:
            from shaketable.harness.pipeline.comparing.compared_report import comparisons_of  # needs scipy

            steps.begins(f"comparing with {before}")
            comparisons, said = comparisons_of(spark, open_store(spark, before), store)
            notes += said
        write_store_reports(
            store,
            out,
            title=title,
            again=again,
            minimal=minimal,
            measured=complete and results.runs >= MANY,
            comparisons=comparisons,
            notes=notes,
            complete=complete,
            begins=steps.begins,
        )
    return said


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201


def _interrupted(results: Results, asked: Asked) -> str:
    of = f" of {asked.runs}" if asked.runs < MOST else ""
    return f"interrupted after {results.runs}{of} runs, which are kept"


def _cells(options: argparse.Namespace) -> list[Cell]:
    asked = scripts_named(options.scripts) if options.scripts else scripts_of_ours()
    scripts, left_out = fitting(Options("sim"), asked)
    if not options.scripts:
        scripts = [script for script in scripts if _is_sound(script)]
    if not scripts:
        raise UserError(
            f"nothing is left to be run: {left_out[0].script} {left_out[0].why}" if left_out else "no script"
        )
    base = {name: str(value) for name, value in values_of(options.values).items()}
    chosen = over(base, asked_for(options.variants, options.vary))
    by_script = (each_under_all if options.vary or options.variants else in_turn)(scripts, chosen)
    cells = cells_of([script for script in scripts if script.name in by_script], by_script)
    if not cells:
        raise UserError("none of these variants is for any of these scripts: they set the same themselves")
    return cells


def _is_sound(script: Script) -> bool:
    return Options("sim").settings(script).legacy_fault == NO_LEGACY_FAULT


def _refuse_numbers(options: argparse.Namespace) -> None:
    if options.runs is not None and not 1 <= options.runs <= MOST:
        raise UserError(f"--runs {options.runs}: give 1 to {MOST}")
    if options.runs is not None and options.last:
        raise UserError("--for gives a time in the place of a number: leave out --runs")
    options.time = seconds_of(options.last) if options.last else 0
    if not 0 <= options.sample <= 100:
        raise UserError(f"--sample {options.sample}: give a percentage, 0 to 100")
    if options.cores is not None and options.cores < 1:
        raise UserError(f"--cores {options.cores}: give at least 1")


def _decisive(options: argparse.Namespace) -> dict[str, str]:
    """Of what was asked for, what decides which runs there are."""
    hidden = without_secrets(values_of(options.values))
    said = {
        "--runs": "as many as there is time for" if options.time else str(options.runs or USUAL),
        "--no-search": "" if options.search else "given",
        "--corpus": _named(Path(options.corpus)) if options.corpus else "",
        "--seed": str(options.seed),
        "--sample": str(options.sample),
        "PATH": " ".join(options.scripts),
        "--variant": ", ".join(options.variants),
        "--vary": " ".join(options.vary),
        "--set": " ".join(f"{name}={value}" for name, value in hidden.items()),
    }
    return {name: value for name, value in said.items() if value}


def _named(corpus: Path) -> str:
    """With what is in it."""
    file = corpus / FILE if corpus.is_dir() else corpus
    return f"{corpus} (sha256 {hashlib.sha256(file.read_bytes()).hexdigest()[:16]})"


def _command(options: argparse.Namespace, out: Path) -> str:
    words = ["shaketable", "campaign", *options.scripts]
    words += ["--for", options.last] if options.time else ["--runs", str(options.runs or USUAL)]
    words += [] if options.search else ["--no-search"]
    words += ["--corpus", options.corpus] if options.corpus else []
    words += ["--seed", str(options.seed)] if options.seed != 1 else []
    words += ["--sample", str(options.sample)] if options.sample != 5 else []
    for name, values in (("--variant", options.variants), ("--vary", options.vary)):
        words += [word for value in values for word in (name, value)]
    hidden = without_secrets(values_of(options.values))
    words += [word for name, value in hidden.items() for word in ("--set", f"{name}={value}")]
    words += ["--before", options.before] if options.before else []
    words += ["--spark-master", options.spark_master] if options.spark_master else []
    words += ["--cores", str(options.cores)] if options.cores else []
    return shlex.join([*words, "--out", str(out)])


def _before(options: argparse.Namespace, out: Path) -> str:
    """The store of the campaign before, of which its folder may be given too; "": none is."""
    given = options.before or ""
    if not given or "://" in given:
        return given
    store = below if (below := Path(given, STORE)).is_dir() else Path(given)
    if store.resolve() == (out / STORE).resolve():
        raise UserError(f"--before {given}: that is this campaign; give an earlier one")
    refuse_what_is_none(options, str(store))
    return str(store)


def _new_folder() -> Path:
    """The name of one that is not there."""
    now = time.strftime("%Y%m%d-%H%M%S")
    names = (f"campaign-{now}" if number == 1 else f"campaign-{now}-{number}" for number in itertools.count(1))
    return next(folder for name in names if not (folder := RECORDINGS / name).exists())
