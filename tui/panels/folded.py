"""Rows of nodes where not all have room: of those in a row that are alike, all but the first have only their names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from shaketable.tui.text import Line, Span, fitted, wrapped

LEAST: Final = 2
"""so many nodes that are like the one before them are folded"""


def folded(rows: Sequence[tuple[str, object, Line]], width: int) -> list[Line]:
    """Of each node its name, what is the same of nodes that are alike, and its row."""
    lines: list[Line] = []
    for _, alike in groupby(rows, key=lambda each: each[1]):
        (first, _, drawn), *others = alike
        lines.append(drawn)
        if len(others) < LEAST:
            lines += [drawn for _, _, drawn in others]
            continue
        names = [Span(f" {name}", "dim", f"node:{name}") for name, _, _ in others]
        told = wrapped([Span(f"    and {len(others)} more like {first}:", "dim"), *names], width, 5)
        lines += [fitted(each, width) for each in told]
    return lines
