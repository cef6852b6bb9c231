"""`shaketable run --list`: the scripts that would be run, file by file, and what each is about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from shaketable.harness.console.screen import Screen, indented
from shaketable.harness.scripting.scripts import Script


def print_scripts(scripts: Sequence[Script], world: str) -> None:
    screen = Screen()
    file = ""
    for script in scripts:
        if script.file != file:
            screen.print(Text("\n" * bool(file) + Path(script.file).name, style="bold"))
            file = script.file
        why = script.why_not_in(world)
        screen.print(Text(f"  {script.name}{f' (not here: {why})' if why else ''}"))
        screen.print(indented(Text(script.title), 6))
