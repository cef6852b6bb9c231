"""A plan in the layout of the text's own examples, with the row after each step, a reason, and the order of running."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from shaketable.harness.console.screen import indented
from shaketable.harness.explain.names import listed, shown
from shaketable.harness.explain.plan_words import reason, said
from shaketable.harness.explain.planning import NOBODY, Planned
from shaketable.node.cluster.partition.cycles import cycles_of, without_cycles
from shaketable.node.cluster.partition.planner import with_owner
from shaketable.node.messages import Row

INDENT: Final = 4


def explanation(answer: Planned, number: int = 0) -> Iterator[RenderableType]:
    """`number` is that of the line it was asked in."""
    count = len(answer.migrations)
    head = f"{f'Line {number}: ' if number else ''}{count or 'no'} migration{'' if count == 1 else 's'}"
    yield indented(Text(head, style="bold"), 0)
    rows = _Rows([answer.current, answer.target])
    yield Text()
    yield indented(Text(f"Replica indices : {rows.indexes}"), 0)
    yield indented(Text(f"CURRENT         : {rows.of(answer.current)}"), 0)
    yield indented(Text(f"TARGET          : {rows.of(answer.target)}"), 0)
    target = without_cycles(answer.current, answer.target)
    start = with_owner(answer.current, target)
    yield from _beforehand(answer)
    if not count:
        yield from _paragraph("Nothing is to be migrated.")
        return
    yield from _paragraph("PLANNED MIGRATIONS:")
    for step, migration in enumerate(answer.migrations):
        before = answer.states[step - 1] if step else start
        yield indented(Text(f"{step + 1}. {said(migration)}"), 0)
        yield indented(Text(rows.of(answer.states[step])), INDENT)
        yield indented(Text(reason(migration, start, before, target)), INDENT)
    yield from _order(answer, start, rows)


def _beforehand(answer: Planned) -> Iterator[RenderableType]:
    if not any(answer.current):
        yield from _paragraph(
            f"All copies are lost. {shown(answer.target[0] or '')} becomes the owner at once, of an empty partition: "
            "that is no migration, and the loss is reported."
        )
    for cycle in cycles_of(answer.current, answer.target):
        members = [answer.current[index] or "" for index in sorted(cycle)]
        yield from _paragraph(
            f"{listed(members)} would only be exchanged among themselves. In such a cycle one copy would have to be "
            "given up first, so it is cancelled: they stay where they are."
        )


def _order(answer: Planned, start: Row, rows: _Rows) -> Iterator[RenderableType]:
    """They may run in another order than planned: then with the rows of that one."""
    order = answer.prioritised
    if list(order) != sorted(order):
        early = [place + 1 for at, place in enumerate(order) if min(order[at:]) < place]
        which = f"{early[0]} adds a copy, and runs" if len(early) == 1 else f"{_numbers(early)} add copies, and run"
        yield from _paragraph(
            f"IN THE ORDER IN WHICH THEY RUN: {which} before what adds none and has no member in common with it."
        )
    row, least = start, _copies(start)
    for place in order:
        row = answer.migrations[place].applied_to(row)
        least = min(least, _copies(row))
        if list(order) != sorted(order):
            yield indented(Text(f"{place + 1}. {said(answer.migrations[place])}"), 0)
            yield indented(Text(rows.of(row)), INDENT)
    if least < min(_copies(start), _copies(row)):
        yield from _paragraph(
            f"For a while there {'is one copy' if least == 1 else f'are {least} copies'} only: an index that the "
            "target fills is empty, one that it leaves empty is filled, and hotter ones come first."
        )


def _copies(row: Row) -> int:
    return len(row) - row.count(None)


def _numbers(numbers: Sequence[int]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def _paragraph(words: str) -> Iterator[RenderableType]:
    yield Text()
    yield indented(Text(words), 0)


class _Rows:
    """As the text has them: each index in a column of its own."""

    def __init__(self, rows: Sequence[Row]) -> None:
        length = len(rows[0])
        names = [[self._name(member) for row in rows for member in row], [NOBODY]]
        self._width = max(len(name) for part in names for name in part) if length else 0
        self.indexes = self._line([str(index) for index in range(length)])

    def of(self, row: Row) -> str:
        return self._line([self._name(member) for member in row])

    def _line(self, names: Sequence[str]) -> str:
        return ", ".join(name.ljust(self._width) for name in names).rstrip()

    @staticmethod
    def _name(member: str | None) -> str:
        return NOBODY if member is None else shown(member)
