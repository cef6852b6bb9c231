"""`shaketable run --list`: the scripts that would be run, file by file, and what each is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.text import Text

from shaketable.harness.checks.result import counted
from shaketable.harness.console.screen import Screen, indented
from shaketable.harness.runs.fitting import why_not
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import Script


def print_scripts(scripts: Sequence[Script], options: Options) -> None:
    screen = Screen()
    under_test = options.chosen.under_test
    options.chosen.system.check_world(options.world)
    fit = scripts if under_test.is_ours else [script for script in scripts if why_not(script, options) is None]
    file = ""
    for script in fit:
        if script.file != file:
            screen.print(Text("\n" * bool(file) + Path(script.file).name, style="bold"))
            file = script.file
        why = script.why_not_in(options.world)
        screen.print(Text(f"  {script.name}{f' (not here: {why})' if why else ''}"))
        screen.print(indented(Text(script.title), 6))
    for line in _left_out(len(scripts) - len(fit), options):
        screen.print(Text(line))


def _left_out(number: int, options: Options) -> Iterator[str]:
    if number:
        called = options.chosen.under_test.full_name
        yield f"\n{counted(number, 'script')} cannot be run with {called}: see shaketable systems list {options.system}"
