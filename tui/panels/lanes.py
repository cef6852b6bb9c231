"""A lane a node over time: its life as a line with its lists as marks, and below it suspicions, claims and migrations
as bars; above all lanes the script's steps and the faults as bands. A click goes to that time, or to that event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from shaketable.harness.history import signs
from shaketable.tui.model.folds import lanes as m
from shaketable.tui.model.folds.lanes import Lane, Track
from shaketable.tui.model.history.memo import Remembered, Slot
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import is_group
from shaketable.tui.model.standing.standing import shown_node
from shaketable.tui.natural import naturally
from shaketable.tui.panels.bands import View, head, labelled
from shaketable.tui.panels.canvas import LINES, CanvasRow
from shaketable.tui.panels.message_arrows import draw_arrows
from shaketable.tui.panels.nothing import A_FAULT, nothing
from shaketable.tui.panels.prose import clipped
from shaketable.tui.panels.timescale import known_end, told, window_of
from shaketable.tui.text import Line, Span, fitted, line

ROLES: Final = {
    signs.STARTING: "moving",
    signs.MEMBER: "name",
    signs.MASTER: "master",
    signs.MERGING: "moving",
    signs.PAUSED: "fault",
    signs.HELD: "fault",
}
ALWAYS: Final = {signs.MERGING: ("»", "moving"), signs.CRASHED: ("✗", "fault")}
ENDS: Final = {signs.CRASHED: "fault", signs.LEFT: "dim", signs.REFUSED: "bad"}
LEVELS: Final = "▂▃▄▅▆▇█"
LEGEND: Final = (
    (signs.MASTER, "═", "master", "master"),
    (signs.MEMBER, "─", "name", "member"),
    ("", "◆7", "master", "made v7"),
    ("", "┼7", "name", "has v7"),
    (m.SUSPECTS, "!░", "warn", "suspects"),
    (m.CLAIMS, "◇▒", "moving", "claims"),
    (m.MIGRATES, "▂▄█", "moving", "migrates"),
    (m.LOST, "×", "warn", "lost messages"),
    (signs.MERGING, "»", "moving", "merges"),
    (signs.CRASHED, "✗", "fault", "crashed"),
    (signs.PAUSED, "‖┈", "fault", "paused"),
    (signs.HELD, "■┈", "fault", "held"),
    (signs.LEFT, "–", "dim", "left"),
    (signs.REFUSED, "⊘", "bad", "refused"),
    (signs.STARTING, "○╌", "moving", "starts"),
)
"""what each sign means: of those that occur in this run"""
_LAST: Final = Slot(Remembered[Sequence[CanvasRow]])
"""the lanes as they were drawn last"""
LATE: Final = 10_000
"""records that are not in it yet, from which on it says so"""
DENSE: Final = 2
"""changes a cell, from which on each cell is asked for its last one, and not each change for its cell"""


def lanes(session: Session, width: int, height: int) -> Sequence[Line]:
    all_of = sorted(session.lanes.of.values(), key=lambda lane: naturally(lane.name))
    if not all_of:
        if session.lanes.behind or session.reading < 1:
            return clipped([line(Span(" ↻ still reading", "dim"))], width)
        return nothing(session, "nothing has happened yet", A_FAULT, width)
    view = _view(session, all_of, width)
    above = head(view, height)
    legend = _legend(session, width)
    room = height - len(above) - len(legend)
    doubts, work = any(len(lane.doubts) for lane in all_of), any(len(each.claims) + len(each.moves) for each in all_of)
    most = 1 + doubts + work
    rows = max(1, min(most, (room + 1) // len(all_of)))
    apart = rows == most and (rows + 1) * len(all_of) - 1 <= room
    drawn = {lane.name: [row.copy() for row in _remembered(view, lane, rows)] for lane in all_of}
    between = [CanvasRow(view.window.width, view.window.target) for _ in all_of[1:]] if apart else []
    _join(view, drawn, between)
    lines = list(above)
    for number, lane in enumerate(all_of):
        lines += _lane(view, lane, drawn[lane.name])
        lines += [labelled(view, "", "dim", row) for row in between[number : number + 1]]
    lines += [_empty(view)] * (height - len(lines) - len(legend))
    return clipped([*lines, *legend], width)


def lanes_title(session: Session) -> str:
    window = window_of(session, 100)
    if session.lanes.behind > LATE:
        return f"Timeline: still reading, {session.lanes.known / len(session.store):.0%}"
    if window.whole:
        return "Timeline of the whole run: z closer"
    return f"Timeline of {told(window.per * window.width)}: z closer, Z wider"


def _view(session: Session, all_of: Sequence[Lane], width: int) -> View:
    label = 3 + max(6, min(14, max(len(lane.name) for lane in all_of)))
    window = window_of(session, max(1, width - label))
    at = window.cell(session.time) if session.cursor else None
    end = known_end(session)
    known, until = min(window.width, window.cell(end) + 1), min(window.end, end + 1)
    return View(session, window, label, at, known, until, shown_node(session))


# A lane


def _join(view: View, drawn: Mapping[str, list[CanvasRow]], between: Sequence[CanvasRow]) -> None:
    """By the messages that went from lane to lane."""
    rows: list[CanvasRow] = []
    row_of: dict[str, int] = {}
    for number, (name, own) in enumerate(drawn.items()):
        row_of[name] = len(rows)
        rows += [*own, *between[number : number + 1]]
    draw_arrows(view, rows, row_of)


def _lane(view: View, lane: Lane, drawn: Sequence[CanvasRow]) -> list[Line]:
    here = lane.name == view.shown
    target = f"node:{lane.name}"
    name = lane.life.at(view.session.time)
    role = "dim" if name is None or name in signs.GONE else "name"
    return [
        labelled(view, ("▸ " if here else "  ") + lane.name if not number else "", role, row, target)
        for number, row in enumerate(drawn)
    ]


def _remembered(view: View, lane: Lane, rows: int) -> Sequence[CanvasRow]:
    """Most frames differ from the one before in nothing but the cursor."""
    tracks = (lane.life, lane.views, lane.doubts, lane.claims, lane.moves, lane.lost)
    size = tuple(track.before(view.until) for track in tracks)
    key = (view.window, view.end, rows, size)
    return view.session.memo[_LAST].get(lane.name, key, lambda: _drawn(view, lane, rows))


def _drawn(view: View, lane: Lane, rows: int) -> Sequence[CanvasRow]:
    life, *others = drawn = [CanvasRow(view.window.width, view.window.target) for _ in range(rows)]
    _life(view, lane, life)
    if rows < 3:  # all in one row: a claim is drawn over a suspicion, and that over migrations
        others = [drawn[-1]] * 2
    named = rows > 1
    _moves(view, others[1], lane)
    _doubts(view, others[0], lane, named=named)
    _claims(view, others[1], lane, named=named)
    _seen_always(view, lane, life)
    _views(view, lane, life)
    _lost(view, lane, life)
    return drawn


def _pieces(view: View, track: Track[Any]) -> list[tuple[int, int, Any, int]]:
    """What a track is, cell by cell: from, to, its value and the place where it began. Of several changes in one cell
    the last counts."""
    window, times = view.window, track.times
    changes = track.within(window.begin, view.until)
    if len(changes) > DENSE * window.width:
        last = {c: track.before(window.begin + (c + 1) * window.per) for c in range(window.width)}
        found = [(c, index) for c, index in last.items() if index >= changes.start]
    else:
        cells: dict[int, int] = {}
        begin, per = window.begin, window.per
        for index in changes:
            cells[(times[index] - begin) // per] = index
        found = list(cells.items())
    pieces = []
    begun = changes.start - 1
    if begun >= 0 and (not found or found[0][0] > 0):
        found.insert(0, (0, begun))
    for (at, index), (following, _) in pairwise([*found, (view.end, -1)]):
        pieces.append((at, max(following, at + 1), track.values[index], track.places[index]))
    return pieces


def _begins(view: View, at: int, place: int) -> bool:
    """In this very cell, and not before the window."""
    return view.window.cell(view.session.store.time_at(place + 1)) == at


def _life(view: View, lane: Lane, row: CanvasRow) -> None:
    for at, stop, state, place in _pieces(view, lane.life):
        if state in ROLES:
            row.fill(at, stop, signs.LINES[state], ROLES[state])
        role = ENDS.get(state) or ROLES[state]
        if state in signs.BEGINS and _begins(view, at, place):
            row.put(at, signs.BEGINS[state], role, f"event:{place}")


def _seen_always(view: View, lane: Lane, row: CanvasRow) -> None:
    """A merge and a crash, whatever else is in the same cell, and even if the node is a member again by its end."""
    for index in lane.life.within(view.window.begin, view.until):
        if lane.life.values[index] in ALWAYS:
            at = view.window.cell(lane.life.times[index])
            row.put(at, *ALWAYS[lane.life.values[index]], f"event:{lane.life.places[index]}")


def _views(view: View, lane: Lane, row: CanvasRow) -> None:
    pieces = _pieces(view, lane.views)
    for number, (at, _, installed, place) in enumerate(pieces):
        if not _begins(view, at, place) or row.chars[at] in "✗–⊘»":
            continue
        mark, role = ("◆", "master") if installed.own else ("┼", "name")
        target = f"event:{place}"
        row.put(at, mark, role, target)
        following = pieces[number + 1][0] if number + 1 < len(pieces) else view.window.width
        said = str(installed.version)
        if following - at > len(said) and all(c in "─═╌┈░▒" for c in row.chars[at + 1 : at + 1 + len(said)]):
            row.put(at + 1, said, role, target)


def _lost(view: View, lane: Lane, row: CanvasRow) -> None:
    """Where nothing else is."""
    for index in lane.lost.within(view.window.begin, view.until):
        at = view.window.cell(lane.lost.times[index])
        if row.chars[at] in LINES:
            row.put(at, "×", "warn", f"event:{lane.lost.places[index]}")


def _doubts(view: View, row: CanvasRow, lane: Lane, *, named: bool = True) -> None:
    for at, stop, names, place in _pieces(view, lane.doubts):
        if not names:
            continue
        target = f"event:{place}"
        row.fill(at, stop, "░", "warn")
        if _begins(view, at, place):
            row.put(at, "!", "warn", target)
        if named:
            said = " ".join(sorted(names, key=naturally))
            many = f"{len(names)}"
            row.put(at + 1, said if len(said) < stop - at else many, "warn", target, until=stop)
    for index in _begun(view, lane.doubts):
        at = view.window.cell(lane.doubts.times[index])
        if row.chars[at] in " ─═":
            row.put(at, "!", "warn", f"event:{lane.doubts.places[index]}")


def _claims(view: View, row: CanvasRow, lane: Lane, *, named: bool = True) -> None:
    for at, stop, version, place in _pieces(view, lane.claims):
        if version:
            row.fill(at, stop, "▒", "moving")
            if _begins(view, at, place):
                row.put(at, "◇", "moving", f"event:{place}")
            if named and stop - at > len(str(version)):
                row.put(at + 1, str(version), "moving", f"event:{place}", until=stop)
    for index in _begun(view, lane.claims):
        at = view.window.cell(lane.claims.times[index])
        row.put(at, "◇", "moving", f"event:{lane.claims.places[index]}")


def _begun(view: View, track: Track[Any]) -> list[int]:
    """What began in the window: it is seen even if it was over before its cell was."""
    changes = track.within(view.window.begin, view.until)
    if len(changes) > DENSE * view.window.width:
        return []
    return [index for index in changes if track.values[index] and not (index and track.values[index - 1])]


def _moves(view: View, row: CanvasRow, lane: Lane) -> None:
    """How many at once: the tallest in each cell."""
    for at, stop, number, _ in _pieces(view, lane.moves):
        if number:
            row.fill(at, stop, LEVELS[min(number, len(LEVELS)) - 1], "moving")
    changes = lane.moves.within(view.window.begin, view.until)
    if len(changes) > DENSE * view.window.width:
        return
    tallest: dict[int, int] = {}
    for index in changes:
        at = view.window.cell(lane.moves.times[index])
        tallest[at] = max(tallest.get(at, 0), lane.moves.values[index])
    for at, number in tallest.items():
        if number:
            row.fill(at, at + 1, LEVELS[min(number, len(LEVELS)) - 1], "moving")


# Lines


def _empty(view: View) -> Line:
    return labelled(view, "", "dim", CanvasRow(view.window.width, view.window.target))


def _legend(session: Session, width: int) -> list[Line]:
    parts: list[Span] = [Span(" ")]
    of_a_group = is_group(session.facts)
    seen, left = session.lanes.seen, width - 1
    for what, sign, role, usual in LEGEND:
        words = "has in doubt" if of_a_group and what == m.SUSPECTS else usual
        needs = len(sign) + len(words) + 3
        if (what and what not in seen) or needs > left:
            continue
        parts += [Span(sign, role), Span(f" {words}  ", "dim")]
        left -= needs
    return [fitted(tuple(parts), width)]
