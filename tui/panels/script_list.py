"""The scripts that can be run, by their files: those that what was typed leaves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from shaketable.tui.model.standing.script_choice import ScriptChoice
from shaketable.tui.panels.prose import wrapped
from shaketable.tui.text import Line, Span, cell, fitted, line

if TYPE_CHECKING:
    from shaketable.harness.scripting.scripts import Script

WORLDS: Final = {"sim": "simulated", "real": "real processes"}


def script_list(choice: ScriptChoice, width: int, height: int) -> Sequence[Line]:
    if not choice.loaded:
        return [line(Span(" ↻ the scripts are loaded", "moving"))]
    found, present = choice.found(), choice.present()
    if not found:
        if choice.is_path:
            return [line(Span(" enter runs what this path names", "dim"))]
        return [line(Span(f" no script matches {choice.typed!r}; a path of your own will do: chaos/mine.py", "dim"))]
    names = max(20, min(max(len(script.name) for script in found), width // 2 - 4))
    lines: list[Line] = []
    file = ""
    for script in found:
        if script.file != file:
            file = script.file
            lines.append(line(Span(f" {Path(file).name}", "title")))
        lines.append(_row(script, script is present, choice.world, names, width))
    return lines


def _row(script: Script, here: bool, world: str, names: int, width: int) -> Line:
    target = f"script:{script.name}"
    why_not = script.why_not_in(world)
    role = "dim" if why_not else "name"
    return fitted(
        line(
            Span(" ▸ " if here else "   ", "key", target),
            cell(script.name, names, role, target),
            Span("  ", "plain", target),
            Span(f"{why_not}. " if why_not else "", "warn", target),
            Span(script.title, "title" if here else "dim", target),
        ),
        width,
    )


def worlds(choice: ScriptChoice, width: int, height: int) -> Sequence[Line]:
    spans = [Span(" ")]
    for world, words in WORLDS.items():
        now = world == choice.world
        spans.append(Span(f"{'●' if now else '○'} {words}   ", "title" if now else "dim", f"world:{world}"))
    return [tuple(spans)]


TOLD: Final = 3
"""lines"""


def told(choice: ScriptChoice, width: int, height: int) -> Sequence[Line]:
    """The chosen script's title in full, or why it cannot be run; and the keys."""
    present = choice.present()
    said, role = (f"✗ {choice.trouble}", "bad") if choice.trouble else (present.title if present else "", "plain")
    lines = [fitted(each, width) for each in wrapped(said, width, role, indent=1)[: TOLD - 1]]
    lines += [line()] * (TOLD - 1 - len(lines))
    keys = (("↑↓", "choose"), ("tab", "world, seed"), ("enter", "run"), ("esc", "close"))
    spans = [part for key, does in keys for part in (Span(f" {key}", "key"), Span(f" {does} ", "dim"))]
    many = f"  {len(choice.found())} of {len(choice.scripts)} scripts" if choice.loaded else ""
    return [*lines, fitted((*spans, Span(many, "dim")), width)]
