"""`shaketable shrink`: from a failing seed to the shortest fault story that still fails, as a script."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.console.screen import Screen
from shaketable.harness.console.values import values_of
from shaketable.harness.errors import UserError, cannot_be_written
from shaketable.harness.nemesis.came_upon import NOTHING, Met, came_upon
from shaketable.harness.nemesis.failing import Failure, Oracle, failures_in, plan_in, script_of
from shaketable.harness.nemesis.plan import Plan
from shaketable.harness.nemesis.playing import rest_left_out_in
from shaketable.harness.nemesis.shrinking import shrink, size_of
from shaketable.harness.nemesis.writing import Why, command_of, script_text, settings_written
from shaketable.harness.reports.sections import section_of
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, collect_garbage_rarely, run_simulated
from shaketable.harness.scripting.scripts import Script, load_scripts
from shaketable.harness.scripting.targets import script_named
from shaketable.harness.scripting.text import name_for
from shaketable.harness.verdicts.verdict import RunVerdict
from shaketable.harness.whole_files import write_json, write_whole
from shaketable.node.config import RANKED, USUAL, by_our_names

PROVEN, NOT_PROVEN = 0, 2
FAULT: Final = "legacy_fault"
"""the setting: a run that has one is named by it"""
ANOTHER_FOLDER: Final = "give another folder with --out"


@dataclass(frozen=True, slots=True)
class Case:
    """A run that fails, and what is to be shrunk of it."""

    script: Script
    options: Options
    finished: Finished
    verdict: RunVerdict
    plan: Plan
    failure: Failure


def shrink_command(arguments: argparse.Namespace) -> int:
    options = Options(seed=arguments.seed, preset=arguments.preset, values=values_of(arguments.values))
    case = case_of(script_named(arguments.script), options, arguments.check)
    collect_garbage_rarely()
    return PROVEN if shrink_case(case, Path(arguments.out), Screen().say).proven else NOT_PROVEN


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a case: a script that is shorter."""

    path: Path
    again: str
    said: str
    proven: bool
    """it fails again as it is written"""


def shrink_case(case: Case, folder: Path, say: Callable[[str], None]) -> Saved:
    path = _path(folder, case)
    began = time.monotonic()
    say(f"{case.script.name} with seed {case.options.seed} fails: {case.failure.words}: {case.failure.said}")
    say(f"  {size_of(case.plan)}")
    case = in_simpler_order(case, say)
    oracle = Oracle(case.script, case.options, case.failure)
    found = shrink(case.plan, oracle.ask, case.finished.settings, lambda line: say(f"  {line}"))
    took = time.monotonic() - began
    said = f"{len(case.plan.deeds)} deeds are {size_of(found.plan)} after {found.runs} runs"
    say(f"{said} in {took:.1f} s.")
    if found.given_up:
        say("It was given up there: it may get smaller still.")
    last = run_simulated(script_of(found.plan, case.script), case.options)
    for waits_for in (came_upon(found.plan, last.records), NOTHING):
        _save(path, case, found.plan, last, waits_for)
        proof = _run_again(path, case)
        if proof is not None or not waits_for:
            break
    say(f"Saved: {path}, and its plan, {path.with_suffix('.json')}")
    again = _again(path, case)
    if proof is None:
        say(f"It does NOT fail again as it is written: keep the seed, {case.verdict.again}")
    else:
        say(f"It fails again: {proof.said}")
        say(f"again: {again}")
    return Saved(path, again, said, proof is not None)


def in_simpler_order(case: Case, say: Callable[[str], None]) -> Case:
    """With the usual schedule if it fails so as well, or with fewer changes of ranks."""
    settings = case.finished.settings
    ways: list[dict[str, str | int]] = [{"schedule": USUAL}] if settings.schedule != USUAL else []
    ways += [{"schedule_changes": fewer} for fewer in range(settings.schedule_changes) if settings.schedule == RANKED]
    for way in ways:
        options = replace(case.options, values={**by_our_names(case.options.values), **way})
        if Oracle(case.script, options, case.failure).ask(case.plan).failed:
            say("  " + ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in way.items()))
            return replace(case, options=options)
    return case


def case_of(script: Script, options: Options, check: str | None = None) -> Case:
    """Refuses in a sentence what cannot be shrunk."""
    why_not = script.why_not_in("sim")
    if why_not:
        raise UserError(f"{script.name} cannot be shrunk: {why_not}, and shrinking takes thousands of runs")
    finished = run_simulated(script, options)
    plan = plan_in(finished.records)
    if plan is None:
        raise UserError(
            f"{script.name} plays no fault plan: it is a small story of its own, and there is nothing to shrink in it; "
            "nemesis plays plans, and so does each script whose name begins with nemesis (`shaketable run --list`)"
        )
    verdict = judged(finished)
    failures = failures_in(verdict)
    if not failures:
        said = f": {verdict.reasons[0].text}" if verdict.reasons else ""
        raise UserError(
            f"{script.name} with seed {options.seed} is {verdict.outcome}, not failed{said}; take a seed that failed"
        )
    wanted = [failure for failure in failures if check in (None, failure.check)]
    if not wanted:
        broken = ", ".join(failure.check or failure.words for failure in failures)
        raise UserError(f"--check {check}: that is not what fails with seed {options.seed}, but {broken}")
    return Case(script, options, finished, verdict, plan, wanted[0])


def _path(folder: Path, case: Case) -> Path:
    name = case.script.name.replace("-", "_")
    fault = str(case.options.values.get(FAULT, "")).replace(" ", "_").replace("-", "_")
    path = folder / f"{'_'.join([name, *[fault] * bool(fault)])}_{case.options.seed}.py"
    for each in (path, path.with_suffix(".json")):
        if each.exists():
            raise UserError(f"there is a file {each} already: {ANOTHER_FOLDER}")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_be_written(folder, error, ANOTHER_FOLDER) from None
    return path


def _save(path: Path, case: Case, plan: Plan, last: Finished, waits_for: Mapping[int, Met]) -> None:
    settings = settings_written(case.script, case.options)
    text = script_text(
        plan,
        _why(path, case, plan, judged(last)),
        name=name_for(path, "shrunk"),
        about=[case.failure.check] if case.failure.check else case.script.about,
        settings=settings,
        of=case.finished.settings,
        without_the_rest=rest_left_out_in(last.records),
        waits_for=waits_for,
    )
    kept = msgspec.structs.replace(plan, settings=settings)
    try:
        write_whole(path, text)
        write_json(path.with_suffix(".json"), kept)
    except OSError as error:
        raise cannot_be_written(path, error, ANOTHER_FOLDER) from None


def _why(path: Path, case: Case, plan: Plan, verdict: RunVerdict) -> Why:
    failure = case.failure
    said = next((each.said for each in failures_in(verdict) if each.check == failure.check), failure.said)
    rule = next((check.rule for check in verdict.checks if check.name == failure.check), "")
    section = section_of(failure.check)
    where = f" ({section.said}; {section.where})" if section is not None else ""
    drawn = f"{len(case.plan.deeds)} deeds on {len(case.plan.nodes)} nodes, drawn by seed {case.options.seed} of"
    drawn += f" {case.script.name}"
    verbs = ", ".join(deed.verb.replace("_", " ") for deed in plan.deeds) or "nothing at all"
    title = f"{verbs}: {failure.words}{' is broken' * bool(failure.check)}."
    paragraphs = [
        f"{failure.check}: {said}" if failure.check else said,
        *([f"The rule{where}: {rule}"] if rule else []),
        f"Shrunk from {drawn}. First the command that shows this, then the one that showed it first:",
    ]
    return Why(title[0].upper() + title[1:], paragraphs, [_again(path, case), case.verdict.again])


def _again(path: Path, case: Case) -> str:
    return command_of(path, case.options)


def _run_again(path: Path, case: Case) -> Failure | None:
    """The checks that are broken when the script is run as a user runs it: by its own settings alone."""
    (script,) = load_scripts([path])
    options = Options(seed=case.options.seed, preset=case.options.preset)
    verdict = judged(run_simulated(script, options), story=False)
    failed = [each for each in failures_in(verdict) if each.check == case.failure.check]
    # A check may say several things; what was followed need not be the first of them.
    said = [
        v.sentence for check in verdict.checks if failed and check.name == case.failure.check for v in check.violations
    ]
    again = [Failure(case.failure.check, each) for each in said] if case.failure.check else failed
    return next((each for each in again if case.failure.is_like(each.said)), None)
