"""Two recorded runs in two columns, around the first moment where they differ; below, why it came to that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from shaketable.harness.causes.chain import Chain, how
from shaketable.harness.history.names import Names
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.harness.runs.side_by_side import Side, SideBySide
from shaketable.tui.model.hands.telling import told
from shaketable.tui.panels.events import symbol_of
from shaketable.tui.panels.prose import clipped, wrapped
from shaketable.tui.text import Line, Span, cell, fitted, head, line

BESIDE: Final = 50
"""from this width on the two stand beside each other"""
BETWEEN: Final = " │ "
INDENT: Final = 12
"""of words: before them stand a mark, the time and a sign"""


def two_runs(both: SideBySide, width: int) -> Sequence[Line]:
    lines = [each for side in both.sides for each in _called(side, width)]
    lines += [line(), *wrapped(both.told, width, "title", indent=1), line()]
    columns = [list(_around(both, side, width)) for side in both.sides]
    if width >= BESIDE:
        lines += _beside(columns, width)
    else:
        for side, events in zip(both.sides, columns, strict=True):
            lines += [head(side.name), *(each for event in events for each in event)]
    if both.why is not None:
        has = both.has_it
        lines += [line(), head(f"why it happened in {has.name}"), *_why(both.why, has.history.names, width)]
    return clipped(lines, width)


def _called(side: Side, width: int) -> list[Line]:
    first, *more = wrapped(side.called, width, indent=4)
    return [(Span(f" {side.name}  ", "title"), *first[1:]), *more]


def _half(width: int) -> int:
    return (width - len(BETWEEN)) // 2 if width >= BESIDE else width


def _beside(columns: Sequence[Sequence[Sequence[Line]]], width: int) -> Iterator[Line]:
    """An event begins on the line of its neighbour in the other run, however long the words of either are."""
    half = _half(width)
    yield line(cell(" A", half, "title"), Span(BETWEEN, "dim"), Span(" B", "title"))
    for left, right in zip_longest(*columns, fillvalue=()):
        for one, other in zip_longest(left, right, fillvalue=line()):
            yield (*fitted(one, half), Span(BETWEEN, "dim"), *fitted(other, half))


def _around(both: SideBySide, side: Side, width: int) -> Iterator[Sequence[Line]]:
    for record in side.around:
        is_it = both.found is not None and record is both.found.record
        yield _event(record, side.history.names, _half(width), is_it)


def _event(record: Record, names: Names, width: int, is_it: bool = False) -> Sequence[Line]:
    sign, role = symbol_of(record)
    first, *more = wrapped(told(record, names), width, "mark" if is_it else "plain", indent=INDENT)
    time = cell(rounded(record.time).removesuffix(" s"), INDENT - 4, "dim", right=True)
    return [(Span("▸" if is_it else " ", "key"), time, Span(" "), Span(sign, role), Span(" "), *first[1:]), *more]


def _why(why: Chain, names: Names, width: int) -> Iterator[Line]:
    yield from _event(why.event, names, width, is_it=True)
    for level in why.levels:
        yield from wrapped(f"↑ {how(level, names)}", width, "dim", indent=INDENT)
        for ground in level:
            yield from _event(ground.record, names, width)
    if why.more:
        yield from wrapped(f"… and {why.more} more like these", width, "dim", indent=INDENT)
