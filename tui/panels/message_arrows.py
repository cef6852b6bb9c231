"""Messages as arrows between the lanes of a timeline, where few enough events are in sight to be told apart.

Each message that began a step which told something goes from the step that sent it to that one. One that a fault
dropped in its sender ends on its way. Of others that were lost only the receiver knows, later, and how many there were:
that is a mark in its lane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import FilterMatched
from shaketable.node.events.base import TIMER
from shaketable.tui.model.history.memo import Remembered, Slot
from shaketable.tui.panels.bands import View
from shaketable.tui.panels.canvas import BLANK, LINES, CanvasRow

WIDEST_CELL: Final[Micros] = 2 * MILLISECOND
"""from afar all messages of a moment are in one cell, and their arrows would hide the lanes"""
MOST_READ: Final = 600
"""events in the window"""
MOST_DRAWN: Final = 40
LONGEST_WAY: Final[Micros] = 5 * SECOND
"""a message that was longer under way begins outside of what is looked at"""


class Arrow(NamedTuple):
    sender: str
    sent: Micros
    receiver: str
    came: Micros
    place: int
    """of the event that it led to, or that tells of its loss"""
    dropped: bool = False
    """it never came"""


_KNOWN: Final = Slot(Remembered[Sequence[Arrow]])


def draw_arrows(view: View, rows: Sequence[CanvasRow], row_of: Mapping[str, int]) -> None:
    """`row_of`: in which of the rows the life of each node is."""
    for arrow in _arrows(view):
        start, end = row_of.get(arrow.sender), row_of.get(arrow.receiver)
        if start is None or end is None or start == end:
            continue
        target = f"event:{arrow.place}"
        down = end > start
        if arrow.dropped:
            _draw_dropped(rows, start, end, view.window.cell(arrow.sent), target)
            continue
        left, right = view.window.inside(arrow.sent), view.window.cell(arrow.came)
        for at in range(left, right):
            _put(rows[start], at, "╶" if at == left else "╌", target)
        for number in range(start + 1, end) if down else range(end + 1, start):
            _put(rows[number], right, "│", target)
        _put(rows[end], right, "▼" if down else "▲", target)


def _draw_dropped(rows: Sequence[CanvasRow], start: int, end: int, at: int, target: str) -> None:
    """It ends as near to its receiver as there is room for the mark."""
    way = range(start, end, 1 if end > start else -1)
    free = [number for number in way if 0 <= at < rows[number].width - 1 and _is_free(rows[number], at + 1)]
    if not free:
        return
    _put(rows[start], at, "╶", target)
    for number in way[1 : abs(free[-1] - start)]:
        _put(rows[number], at + 1, "│", target)
    _put(rows[free[-1]], at + 1, "×", target, "warn")


def _is_free(row: CanvasRow, at: int) -> bool:
    """But for lines."""
    return row.chars[at] == BLANK or row.chars[at] in LINES


def _put(row: CanvasRow, at: int, sign: str, target: str, role: str = "moving") -> None:
    if 0 <= at < row.width and _is_free(row, at):
        row.put(at, sign, role, target)


def _arrows(view: View) -> Sequence[Arrow]:
    store, window = view.session.store, view.window
    first, last = store.place_of(window.begin - 1), store.place_of(view.until - 1)
    if window.per > WIDEST_CELL or last - first > MOST_READ:
        return ()
    return view.session.memo[_KNOWN].get("arrows", (window.begin, first, last), lambda: _found(view, first, last))


def _found(view: View, first: int, last: int) -> Sequence[Arrow]:
    store = view.session.store
    begin = max(store.place_of(view.window.begin - LONGEST_WAY), first - MOST_READ)
    of_all = view.session.lanes
    told: dict[tuple[str, int], tuple[str, Micros]] = {}
    arrows: dict[tuple[str, Micros, str, Micros], Arrow] = {}
    """one for each step: it may tell several events"""
    for place, record in enumerate(store.between(begin, last), begin):
        told[record.incarnation, record.sequence] = record.node, record.time
        if place >= first and isinstance(record.event, FilterMatched) and record.event.fault in of_all.dropping:
            receiver = of_all.names.get(record.event.address, "")
            arrow = Arrow(record.node, record.time, receiver, record.time, place, dropped=True)
            arrows[arrow[:4]] = arrow
            continue
        cause = record.cause
        if place < first or cause is None or cause.kind == TIMER or not cause.told:
            continue
        sent = told.get((cause.sender, cause.after))
        if sent is not None:
            arrow = Arrow(*sent, record.node, record.time, place)
            arrows.setdefault(arrow[:4], arrow)
    return list(arrows.values()) if len(arrows) <= MOST_DRAWN else ()
