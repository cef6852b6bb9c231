"""Sentences that are broken into lines."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

from shaketable.tui.text import Line, Span, fitted, width_of


def wrapped(text: str, width: int, role: str = "plain", target: str = "", *, indent: int = 5) -> list[Line]:
    room = max(10, width - indent - 1)
    return [
        (Span(" " * indent, "plain", target), Span(said, role, target))
        for said in wrap(text, room, break_on_hyphens=False) or [""]
    ]


def led(sign: Span, text: str, width: int, role: str = "plain", target: str = "", *, indent: int = 5) -> list[Line]:
    """The first line begins with a sign, in the room of the indent."""
    lines = wrapped(text, width, role, target, indent=indent)
    before = Span(" " * max(0, indent - len(sign.text) - 1), "plain", target)
    first = (before, sign._replace(target=sign.target or target), Span(" ", "plain", target), *lines[0][1:])
    return [first, *lines[1:]]


def clipped(lines: Iterable[Line], width: int) -> list[Line]:
    """Where there is less room than a line needs at the least."""
    return [each if width_of(each) <= width else fitted(each, width) for each in lines]
