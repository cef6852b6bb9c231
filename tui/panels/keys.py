"""The last line: the keys that make sense now, and what they do; a click on one is as good as the key.

What is worth least is left out where the line is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from shaketable.tui.text import Line, Span


class Key(NamedTuple):
    shown: str
    title: str
    target: str
    worth: int
    right: bool = False
    """at the right end"""


def keys_line(keys: Sequence[Key], width: int) -> Line:
    room = width - 1
    taken: dict[int, bool] = {}
    for place in sorted(range(len(keys)), key=lambda place: -keys[place].worth):
        wide = cell_len(keys[place].shown) + cell_len(keys[place].title) + 3
        if wide <= room:
            taken[place] = True
            room -= wide
    spans = [Span(" ")]
    for right in (False, True):
        if right:
            spans.append(Span(" " * room))
        for place in sorted(taken):
            key = keys[place]
            if key.right == right:
                spans.append(Span(key.shown, "key", key.target))
                spans.append(Span(f" {key.title}", "dim", key.target))
                spans.append(Span("  "))
    return tuple(spans)
