"""One case of a campaign: simulated, judged, and made a row; the same case gives the same row wherever it is executed.

Nothing here knows Spark: a task calls this, and so do tests, the museum and the comparison of a campaign with a
pool."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from shaketable import harness
from shaketable.harness.coverage import marks_of
from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.nemesis.failing import script_of
from shaketable.harness.nemesis.plan import from_json
from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.stores.run_rows import as_json, row_of
from shaketable.harness.records import Record
from shaketable.harness.runs.judging import subject_of
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import Script, scripts_of
from shaketable.harness.verdicts.rows import ReasonRow, RunRow
from shaketable.harness.verdicts.verdict import UNKNOWN_OUTCOME, judge_history
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.config import without_secrets


class Simulated(NamedTuple):
    row: RunRow
    records: Sequence[Record]


def simulated(case: Case, where: Callable[[str], str] = str) -> Simulated:
    """`where`: where a script's file is on this machine. A fault of our own code is told of its run alone: the others
    of the campaign are no worse for it."""
    began = time.monotonic_ns()
    options = Options("sim", seed=case.seed, preset=case.preset, values=case.values)
    try:
        script = script_in(where(case.file), case.script)
        done = _judged(case, script_of(from_json(case.plan), script) if case.plan else script, options)
    except (Exception, SystemExit) as error:
        done = Simulated(_of_none(case, options, f"{type(error).__name__}: {error}"), ())
    return done._replace(row=msgspec.structs.replace(done.row, wall_micros=(time.monotonic_ns() - began) // 1000))


def _judged(case: Case, script: Script, options: Options) -> Simulated:
    finished = run_simulated(script, options)
    history = History(finished.records)
    subject = subject_of(script, options)
    verdict = judge_history(history, subject, finished.settings, finished.allowance, story_of_passed=False)
    row = row_of(
        msgspec.structs.replace(verdict, file=case.shown, again=case.again),
        run=case.run,
        family=finished.settings.family,
        settings=finished.settings.outside(),
        allowance=finished.allowance,
        marks=marks_of(history),
        values=without_secrets(case.values),
        variant=case.variant,
        plan=case.plan_at,
    )
    same = _hash_of(run_simulated(script, options)) == row.history_hash if case.twice else None
    return Simulated(msgspec.structs.replace(row, same=same), history.records)


def _hash_of(finished: Finished) -> str:
    return History(finished.records).hash


def _of_none(case: Case, options: Options, why: str) -> RunRow:
    return RunRow(
        run=case.run,
        script=case.script,
        title=case.script,
        file=case.shown,
        family="",
        world="sim",
        fabric=SimWorld.fabric,
        preset=options.preset_name,
        variant=case.variant,
        values=as_json(without_secrets(case.values)),
        settings="{}",
        seed=case.seed,
        shaketable=harness.version(),
        outcome=UNKNOWN_OUTCOME,
        reasons=[ReasonRow(UNKNOWN_OUTCOME, "script", f"it could not be run and judged: {why}")],
        checks=[],
        faults=0,
        nodes=0,
        processes=0,
        events=0,
        duration=0,
        allowance=SimWorld.allowance,
        history_hash="",
        marks={},
        again=case.again,
        plan=case.plan_at,
    )


@cache
def _scripts_in(file: str) -> Mapping[str, Script]:
    return {script.name: script for script in scripts_of(Path(file))}


def script_in(file: str, name: str) -> Script:
    scripts = _scripts_in(file)
    if name not in scripts:
        raise UserError(f"{file} has no script {name} here: it is another version of that file")
    return scripts[name]
