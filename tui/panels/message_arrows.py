"""Messages as arrows between the lanes of a timeline, where few enough events are in sight to be told apart.

Each message that began a step which told something goes from the step that sent it to that one. A message that was lost
led to nothing, so nobody told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from shaketable.node.core.env import MILLISECOND, SECOND, Micros
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
    """of the event that it led to"""


_KNOWN: Final = Slot(Remembered[Sequence[Arrow]])


def draw_arrows(view: View, rows: Sequence[CanvasRow], row_of: Mapping[str, int]) -> None:
    """`row_of`: in which of the rows the life of each node is."""
    for arrow in _arrows(view):
        start, end = row_of.get(arrow.sender), row_of.get(arrow.receiver)
        if start is None or end is None or start == end:
            continue
        left, right = view.window.inside(arrow.sent), view.window.cell(arrow.came)
        target = f"event:{arrow.place}"
        down = end > start
        for at in range(left, right):
            _put(rows[start], at, "╶" if at == left else "╌", target)
        for number in range(start + 1, end) if down else range(end + 1, start):
            _put(rows[number], right, "│", target)
        _put(rows[end], right, "▼" if down else "▲", target)


def _put(row: CanvasRow, at: int, sign: str, target: str) -> None:
    """What is drawn there stays, but for lines."""
    if 0 <= at < row.width and (row.chars[at] == BLANK or row.chars[at] in LINES):
        row.put(at, sign, "moving", target)


def _arrows(view: View) -> Sequence[Arrow]:
    store, window = view.session.store, view.window
    first, last = store.place_of(window.begin - 1), store.place_of(view.until - 1)
    if window.per > WIDEST_CELL or last - first > MOST_READ:
        return ()
    return view.session.memo[_KNOWN].get("arrows", (window.begin, first, last), lambda: _found(view, first, last))


def _found(view: View, first: int, last: int) -> Sequence[Arrow]:
    store = view.session.store
    begin = max(store.place_of(view.window.begin - LONGEST_WAY), first - MOST_READ)
    told: dict[tuple[str, int], tuple[str, Micros]] = {}
    arrows: dict[tuple[str, Micros, str, Micros], Arrow] = {}
    """one for each step: it may tell several events"""
    for place, record in enumerate(store.between(begin, last), begin):
        told[record.incarnation, record.sequence] = record.node, record.time
        cause = record.cause
        if place < first or cause is None or cause.kind == TIMER or not cause.told:
            continue
        sent = told.get((cause.sender, cause.after))
        if sent is not None:
            arrow = Arrow(*sent, record.node, record.time, place)
            arrows.setdefault(arrow[:4], arrow)
    return list(arrows.values()) if len(arrows) <= MOST_DRAWN else ()
