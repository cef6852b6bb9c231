"""`shaketable run`: runs scripts one after the other, tells what happened, and writes the reports."""

from __future__ import annotations

import argparse
import shlex
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import msgspec
from rich.console import Console

from shaketable import harness
from shaketable.harness.errors import UserError
from shaketable.harness.records import Record, RunBegan
from shaketable.harness.reports import write_reports
from shaketable.harness.reports.console import print_run, print_summary
from shaketable.harness.run import Finished, Options, run_real, run_simulated
from shaketable.harness.run_directory import RunInfo, RunWriter
from shaketable.harness.scripts import Script
from shaketable.harness.targets import scripts_named, target_of
from shaketable.harness.twin import quiet_twin
from shaketable.harness.verdict import EXIT_CODES, PASSED, RunVerdict, ScriptSubject, judge, session_of

RECORDINGS = Path("runs")
"""where runs are recorded that no `--report` was given for"""


def judged(finished: Finished, *, story: bool = True) -> RunVerdict:
    """The verdict of a run that is over; without its story where nobody will read that."""
    script, options = finished.script, finished.options
    target = [shlex.quote(target_of(script))]
    target += ["--twins"] if script.twin_of else []
    target += [f"--set {shlex.quote(f'{name}={value}')}" for name, value in options.values.items()]
    target += [f"--toxiproxy {shlex.quote(options.toxiproxy)}"] if options.toxiproxy else []
    subject = ScriptSubject(
        script.name, script.title, script.file, script.about, script.expects_violation, target=" ".join(target)
    )
    return judge(finished.records, subject, finished.settings, finished.allowance, story=story)


class Recorder:
    """Writes a run to its folder as it goes on. The folder of an earlier run of the same name makes room."""

    def __init__(self, folder: Path, script: Script, options: Options) -> None:
        self.folder = folder
        self._script = script
        self._options = options
        self._writer: RunWriter | None = None
        try:
            if (folder / "run.json").exists():
                shutil.rmtree(folder)
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"{folder} cannot be written ({error.strerror}): give another folder with --report"
            ) from None

    def take(self, record: Record) -> None:
        if self._writer is None:
            self._writer = RunWriter(self.folder, self._info(record))
        self._writer.append(record)

    def take_all(self, records: Sequence[Record]) -> None:
        self.take(records[0])
        assert self._writer is not None
        self._writer.extend(records[1:])

    def finish(self, verdict: RunVerdict) -> UserError | None:
        """What went wrong with the recording, if anything did: the verdict stands all the same."""
        try:
            if self._writer is not None:
                self._writer.finish(verdict)
        except UserError as trouble:
            return trouble
        return None

    def _info(self, first: Record) -> RunInfo:
        began, script = first.event, self._script
        fabric = began.fabric if isinstance(began, RunBegan) else ""
        return RunInfo(
            script=script.name,
            title=script.title,
            file=script.file,
            seed=self._options.seed,
            world=self._options.world,
            fabric=fabric,
            preset=self._options.preset_name,
            settings=self._options.settings(script).outside(),
            versions={"shaketable": harness.version()},
            began=datetime.now().astimezone().isoformat(timespec="seconds"),
            about=script.about,
            expects_violation=script.expects_violation,
        )


class Session:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self._options = _options(arguments)
        self._seeds = range(arguments.seed, arguments.seed + arguments.seeds)
        self._report = Path(arguments.report) if arguments.report else None
        self._recordings = self._report / "runs" if self._report else RECORDINGS / time.strftime("%Y%m%d-%H%M%S")
        self._console = Console(highlight=False)
        self._many = False
        self._story = not arguments.quiet
        self._twins = arguments.twins
        self._verdicts: list[RunVerdict] = []
        self._troubles: list[UserError] = []

    def run(self, scripts: Sequence[Script]) -> int:
        self._many = len(scripts) * len(self._seeds) * (2 if self._twins else 1) > 3
        interrupted = False
        for script in scripts:
            for seed in self._seeds:
                finished = self._run_one(script, replace(self._options, seed=seed))
                if self._twins and not finished.interrupted:
                    finished = self._run_one(quiet_twin(finished), finished.options)
                interrupted = finished.interrupted
                if interrupted:
                    break
            if interrupted:
                break
        session = session_of(self._verdicts, harness.version())
        print_summary(session, self._console)
        if self._report is not None:
            write_reports(session, self._report)
            self._console.print(f"Reports: {self._report}/report.md, junit.xml, report.json", soft_wrap=True)
        if self._troubles:
            raise self._troubles[0]
        if interrupted:
            raise UserError(f"interrupted; what was recorded until then is in {self._recordings}")
        return session.exit_code

    def _run_one(self, script: Script, options: Options) -> Finished:
        folder = self._recordings / f"{script.name}-{options.world}-{options.seed}"
        recorder: Recorder | None = None
        if options.world == "sim":
            finished = run_simulated(script, options)
            verdict = judged(finished)
            if self._report is not None or verdict.outcome != PASSED:
                recorder = Recorder(folder, script, options)
                recorder.take_all(finished.records)
        else:
            recorder = Recorder(folder, script, options)
            say = self._say
            finished = run_real(script, options, folder=folder, sink=recorder.take, say=say)
            verdict = judged(finished)
        if recorder is not None:
            verdict = msgspec.structs.replace(verdict, directory=str(folder))
            trouble = recorder.finish(verdict)
            self._troubles += [trouble] if trouble is not None else []
        self._verdicts.append(verdict)
        self._tell(verdict)
        return finished

    def _tell(self, verdict: RunVerdict) -> None:
        """One run is told whole; of many only those that have not passed."""
        if not self._many or verdict.outcome != PASSED:
            print_run(verdict, self._console, story=self._story)

    def _say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)


def run_session(arguments: argparse.Namespace) -> int:
    if arguments.seeds < 1:
        raise UserError(f"--seeds {arguments.seeds}: give at least 1")
    if arguments.limit is not None and not arguments.limit > 0:
        raise UserError(f"--limit {arguments.limit:g}: give a number of seconds above 0")
    scripts = scripts_named(arguments.paths)
    if arguments.list:
        for script in scripts:
            Console(highlight=False).print(f"{script.name:<24} {script.title}", soft_wrap=True)
        return EXIT_CODES[PASSED]
    return Session(arguments).run(scripts)


def _options(arguments: argparse.Namespace) -> Options:
    values: dict[str, object] = {}
    for said in arguments.values:
        name, equals, value = said.partition("=")
        if not equals:
            raise UserError(f"--set {said}: give NAME=VALUE, for example heartbeat_interval_seconds=0.5")
        values[name] = value
    return Options(
        world=arguments.world,
        seed=arguments.seed,
        preset=arguments.preset,
        values=values,
        limit=arguments.limit,
        toxiproxy=arguments.toxiproxy,
    )
