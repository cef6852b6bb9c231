"""Plans in files: one plan as JSON, or many, one a line; FILE:LINE names one of many. A run plays one with --plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from shaketable.harness.errors import UserError, cannot_be_written, reason_of
from shaketable.harness.nemesis.drawn import drawn_by
from shaketable.harness.nemesis.failing import script_of
from shaketable.harness.nemesis.plan import Plan, from_json
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.whole_files import write_whole


def write_plans(file: Path, plans: Iterable[str], *, instead: str) -> None:
    """As JSON. UserError: it cannot be written, and what to do `instead`."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(file, "".join(f"{plan}\n" for plan in plans))
    except OSError as error:
        raise cannot_be_written(file, error, instead) from None


def place(file: Path, number: int) -> str:
    """What --plan takes: the line of this number, counted from 0."""
    return f"{file}:{number + 1}"


def plan_at(said: str) -> Plan:
    """UserError: it is no plan."""
    name, colon, line = said.rpartition(":")
    file, number = (Path(name), int(line)) if colon and line.isdecimal() else (Path(said), 0)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = reason_of(error) if isinstance(error, OSError) else "it is no text"
        raise UserError(f"--plan {said}: {file} cannot be read: {why}") from None
    lines = text.splitlines()
    if number > len(lines) or (colon and line.isdecimal() and not number):
        raise UserError(f"--plan {said}: {file} has {len(lines)} lines")
    try:
        return from_json(lines[number - 1] if number else text)
    except UserError as error:
        raise UserError(f"--plan {said}: {error}") from None


def with_plan(script: Script, options: Options) -> Script:
    """It plays the plan of the options in the place of its own; where they name none, it is as it was."""
    if not options.plan:
        return script
    plan = plan_at(options.plan)
    if drawn_by(script, replace(options, plan="", world="sim")) is None:
        raise UserError(f"--plan {options.plan}: {script.name} plays no fault plan of its own: give one that does")
    family = options.settings(script).family
    if plan.family != family:
        raise UserError(f"--plan {options.plan}: that is a plan of the family {plan.family}, and this one is {family}")
    return script_of(plan, script)
