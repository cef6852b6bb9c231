"""Recorded runs, and what else was saved, as rows: how each ended, which story, world and seed, and when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from shaketable.tui.model.standing.run_choice import RUN, Found, RunChoice
from shaketable.tui.panels.heading import OUTCOMES
from shaketable.tui.panels.prose import wrapped
from shaketable.tui.text import Line, Span, cell, fitted, line

WHEN: Final = 16
OUTCOME: Final = 12
SEED: Final = 8
TOLD: Final = 3
"""lines"""
KEYS: Final = (("↑↓", "choose"), ("enter", "open"), ("esc", "close"))


def run_list(choice: RunChoice, width: int, height: int) -> Sequence[Line]:
    if not choice.loaded:
        return [line(Span(" ↻ the recordings are looked for", "moving"))]
    found, present = choice.found(), choice.present()
    if choice.is_path:
        return [line(Span(" enter opens what this path names", "dim"))]
    if not found:
        said = f"nothing matches {choice.typed!r}" if choice.all else "nothing is recorded here yet"
        return [line(Span(f" {said}; the path of a recording will do", "dim"))]
    story = max(10, width - WHEN - OUTCOME - SEED - 12)
    return [_row(each, each is present, story, width) for each in found]


def _row(each: Found, here: bool, story: int, width: int) -> Line:
    target, (name, world, seed, ended) = each.target, each.words()
    said, role = OUTCOMES.get(each.outcome, (f"▪ {ended}", "dim"))
    return fitted(
        line(
            Span(" ▸ " if here else "   ", "key", target),
            cell(said, OUTCOME, "bad" if ended == "damaged" else role, target),
            cell(name, story, "title" if here else "name", target),
            cell(f" {world}", 6, "dim", target),
            cell(f"{seed}  ", SEED, "dim", target, right=True),
            Span(datetime.fromtimestamp(each.changed).strftime("%Y-%m-%d %H:%M"), "dim", target),
        ),
        width,
    )


def told(choice: RunChoice, width: int, height: int) -> Sequence[Line]:
    """Where the chosen one is, or why it cannot be opened; and the keys."""
    present = choice.present()
    said, role = (f"✗ {choice.trouble}", "bad") if choice.trouble else ("", "plain")
    if not said and present is not None and not choice.is_path:
        said = str(present.path)
    lines = [fitted(each, width) for each in wrapped(said, width, role, indent=1)[: TOLD - 1]]
    lines += [line()] * (TOLD - 1 - len(lines))
    spans = [part for key, does in KEYS for part in (Span(f" {key}", "key"), Span(f" {does} ", "dim"))]
    runs = sum(each.kind == RUN for each in choice.all)
    many = f"  {runs} recorded{f' in {choice.folder}' if choice.folder else ''}" if choice.loaded else ""
    return [*lines, fitted((*spans, Span(many, "dim")), width)]
