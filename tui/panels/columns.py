"""A table that fits any width: the least worthy columns go first, and the others share what room is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from shaketable.tui.text import Line, Span, cell, fitted, width_of

R = TypeVar("R")
ROOMY: Final = 100
"""from this width on there are two blanks between columns"""


@dataclass(frozen=True, slots=True)
class Column(Generic[R]):
    title: str
    of: Callable[[R], Line]
    least: int
    most: int
    worth: int
    """what has the least is dropped first; what has the most grows first"""
    right: bool = False
    above: str = ""
    """a first line of its title"""


Layout = Sequence[tuple[Column[R], int]]


def laid_out(columns: Sequence[Column[R]], width: int) -> list[tuple[Column[R], int]]:
    """The columns that fit, in their order, each with its width."""
    gap = gap_of(width)
    taken: dict[int, int] = {}
    left = width + gap
    for place, column in sorted(enumerate(columns), key=lambda each: -each[1].worth):
        if column.least + gap > left:
            break
        taken[place] = column.least
        left -= column.least + gap
    for place in taken:
        more = min(left, columns[place].most - columns[place].least)
        taken[place] += more
        left -= more
    return [(columns[place], wide) for place, wide in sorted(taken.items())]


def gap_of(width: int) -> int:
    return 2 if width >= ROOMY else 1


def head_line(layout: Layout[R], width: int) -> Line:
    return _spaced([(cell(c.title, wide, "dim", right=c.right),) for c, wide in layout], gap_of(width))


def head_lines(layout: Layout[R], width: int) -> list[Line]:
    """Two where a title has two."""
    lower = head_line(layout, width)
    if not any(column.above for column, _ in layout):
        return [lower]
    return [_spaced([(cell(c.above, wide, "dim", right=c.right),) for c, wide in layout], gap_of(width)), lower]


def row_line(layout: Layout[R], row: R, width: int, target: str = "") -> Line:
    """A click anywhere on the row chooses its target, but for spans that have one of their own."""
    cells: list[Line] = []
    for column, wide in layout:
        spans = column.of(row)
        if column.right and (own := width_of(spans)) < wide:
            spans = (Span(" " * (wide - own)), *spans)
        cells.append(fitted(spans, wide))
    spaced = _spaced(cells, gap_of(width))
    return tuple(span if span.target else Span(span.text, span.role, target) for span in spaced)


def _spaced(cells: Sequence[Line], gap: int) -> Line:
    between = Span(" " * gap)
    spans: list[Span] = []
    for each in cells:
        if spans:
            spans.append(between)
        spans.extend(each)
    return tuple(spans)
