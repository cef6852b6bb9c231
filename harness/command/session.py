"""`shaketable run`: runs scripts one after the other, tells what happened, and writes the reports."""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import msgspec

from shaketable import harness
from shaketable.harness.command.listing import print_scripts
from shaketable.harness.console.report import print_line, print_reasons, print_run, print_seeds, print_summary
from shaketable.harness.console.screen import Screen
from shaketable.harness.console.values import values_of
from shaketable.harness.errors import UserError, cannot_be_written, sentence_of
from shaketable.harness.nemesis.plan_files import with_plan
from shaketable.harness.reports import said_of_reports, write_reports
from shaketable.harness.runs.alone import alone_in
from shaketable.harness.runs.directory import RECORDINGS
from shaketable.harness.runs.fitting import fitting
from shaketable.harness.runs.interrupts import Interrupts
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.recorder import Recorder
from shaketable.harness.runs.run import Finished, Options, collect_garbage_rarely, run_real, run_simulated
from shaketable.harness.runs.twin import quiet_twin, why_no_twin
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.scripting.targets import scripts_named, scripts_of_ours
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.verdict import (
    EXIT_CODES,
    PASSED,
    UNKNOWN_OUTCOME,
    RunVerdict,
    SessionVerdict,
    merged,
    session_of,
)
from shaketable.harness.visible import visible
from shaketable.harness.whole_files import refuse_link

ANOTHER_FOLDER = "give another folder with --report"
LONGEST = 1e9
"""seconds"""


class Session:
    def __init__(self, arguments: argparse.Namespace, scripts: Sequence[Script]) -> None:
        self._options = _options(arguments)
        _check_values(self._options, scripts)
        self._console = Screen()
        played, self._left_out = fitting(self._options, scripts, self._say)
        self._scripts = [with_plan(script, self._options) for script in played]
        self._seeds = range(arguments.seed, arguments.seed + arguments.seeds)
        self._twins = arguments.twins
        if self._twins:
            _check_twins(self._options, self._scripts)
        self._by_script = arguments.quiet and arguments.seeds > 1
        """the seeds of a script that passed are one line"""
        self._many = arguments.quiet or len(self._scripts) * len(self._seeds) * (2 if self._twins else 1) > 3
        self._quiet = arguments.quiet
        self._report = Path(arguments.report) if arguments.report else None
        self._recordings = self._report / "runs" if self._report else None
        self._interrupts = Interrupts()
        self._verdicts: list[RunVerdict] = []
        self._troubles: list[UserError | OSError] = []
        self._held = ExitStack()
        """the report folder, which no other session may write to"""

    def run(self) -> int:
        """If anything ends it early, all runs until then are told and reported."""
        if self._options.world == "sim":
            collect_garbage_rarely()
        with self._interrupts.noted(), self._held:
            try:
                self._run_all()
            except (UserError, OSError) as trouble:
                self._troubles.insert(0, trouble)
            if self._interrupts.came:
                self._troubles.insert(0, UserError(self._interrupted()))
            if self._verdicts or (self._left_out and not self._troubles):
                self._conclude()
        outcome = self._session().outcome
        if self._troubles and outcome != FAILED:
            raise self._troubles[0]
        if self._troubles:  # what was broken stays so, whatever went wrong besides
            print(f"shaketable: {sentence_of(self._troubles[0])}", file=sys.stderr, flush=True)  # noqa: T201
        return EXIT_CODES[outcome]

    def _session(self) -> SessionVerdict:
        return session_of(self._verdicts, harness.version(), self._left_out)

    def _run_all(self) -> None:
        # Warnings about the settings or the folder come before anything is run.
        warnings = [warning for script in self._scripts for warning in self._options.warnings(script)]
        for warning in dict.fromkeys(warnings):
            print(f"shaketable: warning: {visible(warning)}", file=sys.stderr, flush=True)  # noqa: T201
        if self._report is not None:
            self._held.enter_context(alone_in(self._report))
        for script in self._scripts:
            first = len(self._verdicts)
            try:
                self._run_seeds(script)
            finally:
                self._tell_seeds(self._verdicts[first:])
            if self._interrupts.came:
                return

    def _run_seeds(self, script: Script) -> None:
        for seed in self._seeds:
            finished = self._run_one(script, replace(self._options, seed=seed))
            if self._twins and not self._interrupts.came:
                self._run_one(quiet_twin(finished), finished.options)
            if self._interrupts.came:
                return

    def _conclude(self) -> None:
        session = self._session()
        if self._troubles:
            # Not all that was asked for is there: nobody shall take the rest for it.
            session = msgspec.structs.replace(session, outcome=merged([session.outcome, UNKNOWN_OUTCOME]))
        try:
            print_summary(session, self._console, runs=list(self._untold()))
        finally:
            if self._report is not None:
                self._write_reports(session, self._report)

    def _write_reports(self, session: SessionVerdict, folder: Path) -> None:
        try:
            write_reports(session, folder)
        except UserError as trouble:
            self._troubles.append(trouble)
        else:
            self._say(said_of_reports(folder))

    def _run_one(self, script: Script, options: Options) -> Finished:
        recorder: Recorder | None = None
        folder: Path | None = None
        if options.world == "sim":
            finished = run_simulated(script, options, interrupts=self._interrupts)
            verdict = judged(finished)
            if self._report is not None or verdict.outcome != PASSED:
                try:
                    folder = self._folder(script, options)
                    recorder = Recorder(folder, script, options)
                    recorder.take_all(finished.records)
                except UserError as trouble:  # the verdict is told all the same
                    self._troubles.append(trouble)
        else:
            folder = self._folder(script, options)
            recorder = Recorder(folder, script, options)
            finished = run_real(
                script, options, folder=folder, sink=recorder.take, say=self._say, interrupts=self._interrupts
            )
            verdict = judged(finished)
        if recorder is not None:
            verdict = msgspec.structs.replace(verdict, directory=str(folder))
            self._troubles += recorder.finish(verdict)
        self._verdicts.append(verdict)
        self._tell(verdict)
        return finished

    def _folder(self, script: Script, options: Options) -> Path:
        if self._recordings is None:
            self._recordings = _new_folder()
        try:
            refuse_link(self._recordings)
        except OSError as error:
            raise cannot_be_written(self._recordings, error, ANOTHER_FOLDER) from None
        return self._recordings / f"{script.name}-{options.world}-{options.seed}"

    def _tell(self, verdict: RunVerdict) -> None:
        """A run is told whole; one of many that has passed in a line."""
        if not self._many or verdict.outcome != PASSED:
            (print_reasons if self._quiet else print_run)(verdict, self._console)
        elif not self._by_script:
            print_line(verdict, self._console, longest=self._longest())

    def _tell_seeds(self, verdicts: Sequence[RunVerdict]) -> None:
        """Of one script, and apart from it of its quiet twin."""
        for name in dict.fromkeys(verdict.script for verdict in verdicts if self._by_script):
            outcomes = [verdict.outcome for verdict in verdicts if verdict.script == name]
            passed = outcomes.count(PASSED)
            if passed:
                print_seeds(name, passed, len(outcomes), self._console, longest=self._longest())

    def _untold(self) -> Iterator[RunVerdict]:
        """Of which the end has to say a word: in short each was told already; of many those that did not pass."""
        for verdict in () if self._quiet else self._verdicts:
            if not self._many or verdict.outcome != PASSED:
                yield verdict

    def _longest(self) -> int:
        return max(len(script.name) for script in self._scripts)

    def _say(self, line: str) -> None:
        self._console.say(line)

    def _interrupted(self) -> str:
        recorded = self._recordings is not None and self._recordings.exists()
        return f"interrupted; what was recorded until then is in {self._recordings}" if recorded else "interrupted"


def _new_folder() -> Path:
    """For one session alone, also where two begin at the same moment."""
    now = time.strftime("%Y%m%d-%H%M%S")
    for number in itertools.count(1):
        folder = RECORDINGS / (now if number == 1 else f"{now}-{number}")
        try:
            folder.mkdir(mode=0o700, parents=True)
            break
        except FileExistsError:
            if not folder.is_dir():
                raise UserError(f"{folder} is no folder: give another one with --report") from None
        except OSError as error:
            raise cannot_be_written(folder, error, ANOTHER_FOLDER) from None
    return folder


def run_session(arguments: argparse.Namespace) -> int:
    if arguments.seeds < 1:
        raise UserError(f"--seeds {arguments.seeds}: give at least 1")
    if arguments.limit is not None and not 0 < arguments.limit < LONGEST:
        raise UserError(f"--limit {arguments.limit:g}: give a number of seconds above 0, and below {LONGEST:g}")
    scripts = scripts_named(arguments.paths) if arguments.paths else scripts_of_ours()
    if arguments.list:
        print_scripts(scripts, _options(arguments))
        return EXIT_CODES[PASSED]
    return Session(arguments, scripts).run()


def _options(arguments: argparse.Namespace) -> Options:
    return Options(
        world=arguments.world,
        seed=arguments.seed,
        preset=arguments.preset,
        values=values_of(arguments.values),
        limit=arguments.limit,
        system=arguments.system,
        toxiproxy=arguments.toxiproxy,
        plan=arguments.plan,
    )


def _check_values(options: Options, scripts: Sequence[Script]) -> None:
    """UserError: the user's own values are no settings. Else each script would be left out for them."""
    for script in scripts:
        if options.values and not script.why_not_in(options.world):
            try:
                replace(options, values={}).settings(script)
            except UserError:
                continue  # whatever was asked
            options.settings(script)


def _check_twins(options: Options, scripts: Sequence[Script]) -> None:
    """UserError: a twin would be unknown, however it went."""
    why = next(filter(None, (why_no_twin(options, script) for script in scripts)), "")
    if why:
        raise UserError(f"--twins: a quiet twin shows that nobody is suspected falsely, and {why}: leave out --twins")
