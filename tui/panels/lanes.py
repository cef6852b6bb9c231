"""A lane a node over time: its life as a line with its lists as marks, and below it suspicions, claims and migrations
as bars; above all lanes the script's steps and the faults as bands. A click goes to that time, or to that event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from shaketable.tui.model import lanes as m
from shaketable.tui.model.course import Fault
from shaketable.tui.model.guarantees import violations_of
from shaketable.tui.model.lanes import Lane, Track
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import naturally, shown_node
from shaketable.tui.panels.canvas import Row
from shaketable.tui.panels.prose import clipped
from shaketable.tui.panels.timescale import Window, known_end, scale, told, window_of
from shaketable.tui.text import Line, Span, cell, fitted, line

LIFE: Final = {
    m.STARTING: ("╌", "moving"),
    m.MEMBER: ("─", "name"),
    m.MASTER: ("═", "master"),
    m.PAUSED: ("┈", "fault"),
    m.HELD: ("┈", "fault"),
}
BEGINS: Final = {m.STARTING: "○", m.PAUSED: "‖", m.HELD: "■", m.CRASHED: "✗", m.LEFT: "–", m.REFUSED: "⊘"}
ENDS: Final = {m.CRASHED: "fault", m.LEFT: "dim", m.REFUSED: "bad"}
LEVELS: Final = "▂▃▄▅▆▇█"
LEGEND: Final = (
    (m.MASTER, "═", "master", "master"),
    (m.MEMBER, "─", "name", "member"),
    ("", "◆7", "master", "made v7"),
    ("", "┼7", "name", "has v7"),
    (m.SUSPECTS, "!░", "warn", "suspects"),
    (m.CLAIMS, "◇▒", "moving", "claims"),
    (m.MIGRATES, "▂▄█", "moving", "migrates"),
    (m.CRASHED, "✗", "fault", "crashed"),
    (m.PAUSED, "‖┈", "fault", "paused"),
    (m.HELD, "■┈", "fault", "held"),
    (m.LEFT, "–", "dim", "left"),
    (m.REFUSED, "⊘", "bad", "refused"),
    (m.STARTING, "○╌", "moving", "starts"),
)
"""what each sign means: of those that occur in this run"""
BRINGS_BACK: Final = ("restart", "start", "resume")
DENSE: Final = 4
"""changes a cell, from which on each cell is asked for its last one, and not each change for its cell"""


@dataclass(frozen=True, slots=True)
class View:
    session: Session
    window: Window
    label: int
    """cells before the time begins"""
    cursor: int | None
    end: int
    """the first cell of which nothing is known yet"""


def lanes(session: Session, width: int, height: int) -> Sequence[Line]:
    all_of = sorted(session.lanes.of.values(), key=lambda lane: naturally(lane.name))
    if not all_of:
        said = "nothing has happened yet" if session.reading >= 1 else "still reading"
        return clipped([line(Span(f" {said}", "dim"))], width)
    view = _view(session, all_of, width)
    head = _head(view, height)
    legend = _legend(session, width)
    room = height - len(head) - len(legend)
    doubts, work = any(len(lane.doubts) for lane in all_of), any(len(each.claims) + len(each.moves) for each in all_of)
    most = 1 + doubts + work
    rows = max(1, min(most, (room + 1) // len(all_of)))
    apart = rows == most and (rows + 1) * len(all_of) - 1 <= room
    lines = list(head)
    for number, lane in enumerate(all_of):
        lines += _lane(view, lane, rows)
        if apart and number < len(all_of) - 1:
            lines.append(_empty(view))
    lines += [_empty(view)] * (height - len(lines) - len(legend))
    return clipped([*lines, *legend], width)


def lanes_title(session: Session) -> str:
    window = window_of(session, 100)
    if window.whole:
        return "Timeline of the whole run"
    return f"Timeline of {told(window.per * window.width)}: z closer, Z wider"


def head_height(session: Session, width: int, height: int) -> int:
    """Lines that do not scroll: the scale, the steps, what broke a guarantee, the faults."""
    violations = bool(session.violations())
    return 2 + violations + _fault_rows(session, height)


def _fault_rows(session: Session, height: int) -> int:
    """By what is known of the whole run, so that the lanes stay where they are while the window moves."""
    return min(len(session.lanes.course.faults), max(2, height // 6))


def _view(session: Session, all_of: Sequence[Lane], width: int) -> View:
    label = 3 + max(6, min(14, max(len(lane.name) for lane in all_of)))
    window = window_of(session, max(1, width - label))
    at = window.cell(session.time) if session.cursor else None
    return View(session, window, label, at, min(window.width, window.cell(known_end(session)) + 1))


# Above the lanes


def _head(view: View, height: int) -> list[Line]:
    session, window = view.session, view.window
    lines = [_labelled(view, "time", "dim", scale(window, session.time if session.cursor else None), cursor=False)]
    lines.append(_labelled(view, "steps", "dim", _steps(view)))
    if session.violations():
        lines.append(_labelled(view, "✗", "bad", _violations(view)))
    rows = _faults(view, _fault_rows(session, height))
    return lines + [_labelled(view, "" if number else "faults", "dim", row) for number, row in enumerate(rows)]


def _steps(view: View) -> Row:
    """Each is a tick; the words of those that have room."""
    row = Row(view.window.width, view.window.target)
    steps = view.session.lanes.course.steps
    track = [(view.window.cell(step.time), step) for step in steps if view.window.begin <= step.time < view.window.end]
    for (at, step), (following, _) in pairwise([*track, (view.window.width + 1, None)]):
        assert step is not None
        if following > at or step is track[-1][1]:
            row.put(at, "▸", "title", f"event:{step.place}")
            if following - at > 3:
                row.put(at + 1, step.words, "plain", f"event:{step.place}", until=following - 1)
    return row


def _violations(view: View) -> Row:
    row = Row(view.window.width, view.window.target)
    seen: dict[int, str] = {}
    for check in view.session.checks:
        for broken in violations_of(view.session.store, check):
            if broken.seen_from is not None:
                seen.setdefault(broken.seen_from, check.name)
    cells = {view.window.cell(view.session.store.time_at(place)): place for place in sorted(seen, reverse=True)}
    for at, place in cells.items():
        row.put(at, "✗", "bad", f"event:{place - 1}")
    for at, place in cells.items():
        said = f" {seen[place]}"
        if row.is_free(at + 1, min(row.width, at + len(said) + 2)):
            row.put(at + 1, said, "bad", f"event:{place - 1}")
    return row


def _faults(view: View, count: int) -> list[Row]:
    """Each in the first row that has room for it; those for which there is none are counted in the last."""
    window, rows = view.window, [Row(view.window.width, view.window.target) for _ in range(count)]
    taken, left_out = [0] * count, 0
    for fault in view.session.lanes.course.faults.values():
        start, stop = _span(view, fault)
        if stop <= 0 or start >= window.width:
            continue
        first = max(0, start)
        words = f"{fault.words} without effect" if fault.without_effect else fault.words
        tail = 0 if stop - first > len(words) + 3 else len(words) + 1
        needs = max(stop, first + 1) + tail
        free = [number for number in range(count) if taken[number] <= first]
        fitting = [number for number in free if needs <= window.width or tail]
        if not fitting:
            left_out += 1
            continue
        row = rows[fitting[0]]
        taken[fitting[0]] = needs + 1
        _band(row, fault, first, stop, words, inside=not tail)
    if left_out and rows:
        said = f" +{left_out} more"
        rows[-1].put(window.width - len(said), said, "dim")
    return rows


def _span(view: View, fault: Fault) -> tuple[int, int]:
    start = view.window.cell(fault.began)
    if fault.ended is not None:
        return start, view.window.cell(fault.ended) + 1
    if not fault.lasts or fault.without_effect:
        return start, start + 1
    return start, view.end


def _band(row: Row, fault: Fault, start: int, stop: int, words: str, *, inside: bool) -> None:
    role = "bad" if fault.without_effect else "fault"
    target = f"event:{fault.place if fault.took_place is None else fault.took_place}"
    if stop - start <= 1 and not fault.lasts:
        row.put(start, "▲" if fault.verb in BRINGS_BACK else "▼", role, target)
    else:
        row.fill(start, stop, "▓" if fault.took is not None else "░", role)
        row.put(start, "▓" if fault.took is not None else "░", role, target)
    at = start + 1 if inside else max(stop, start + 1)
    if not inside and at + len(words) > row.width and start - len(words) - 1 >= 0:
        at = start - len(words)  # at the right edge its words stand before it
        if not row.is_free(at, start):
            return
    row.put(at, f" {words} " if inside else words, role, target)


# A lane


def _lane(view: View, lane: Lane, rows: int) -> list[Line]:
    life = Row(view.window.width, view.window.target)
    _life(view, lane, life)
    if rows == 1:
        _bars(view, life, lane, over=True)
        drawn = [life]
    elif rows == 2:
        doubts = Row(view.window.width, view.window.target)
        _bars(view, doubts, lane)
        drawn = [life, doubts]
    else:
        doubts, work = Row(view.window.width, view.window.target), Row(view.window.width, view.window.target)
        _doubts(view, doubts, lane)
        _moves(view, work, lane)
        _claims(view, work, lane)
        drawn = [life, doubts, work]
    _views(view, lane, life)
    here = lane.name == shown_node(view.session)
    target = f"node:{lane.name}"
    name = lane.life.at(view.session.time)
    role = "dim" if name is None or name in m.GONE else "name"
    return [
        _labelled(view, ("▸ " if here else "  ") + lane.name if not number else "", role, row, target)
        for number, row in enumerate(drawn)
    ]


def _pieces(view: View, track: Track[Any]) -> list[tuple[int, int, Any, int]]:
    """What a track is, cell by cell: from, to, its value and the place where it began. Of several changes in one cell
    the last counts."""
    window, times = view.window, track.times
    changes = track.within(window.begin, window.end)
    if len(changes) > DENSE * window.width:
        last = {c: track.before(window.begin + (c + 1) * window.per) for c in range(window.width)}
        found = [(c, index) for c, index in last.items() if index >= changes.start]
    else:
        cells: dict[int, int] = {}
        for index in changes:
            cells[window.cell(times[index])] = index
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


def _life(view: View, lane: Lane, row: Row) -> None:
    for at, stop, state, place in _pieces(view, lane.life):
        if state in LIFE:
            row.fill(at, stop, *LIFE[state])
        role = ENDS.get(state) or LIFE[state][1]
        if state in BEGINS and _begins(view, at, place):
            row.put(at, BEGINS[state], role, f"event:{place}")
    for index in lane.life.within(view.window.begin, view.window.end):
        if lane.life.values[index] == m.CRASHED:  # seen, even if it runs again in the same cell
            at = view.window.cell(lane.life.times[index])
            row.put(at, "✗", "fault", f"event:{lane.life.places[index]}")


def _views(view: View, lane: Lane, row: Row) -> None:
    pieces = _pieces(view, lane.views)
    for number, (at, _, installed, place) in enumerate(pieces):
        if not _begins(view, at, place) or row.chars[at] in "✗–⊘":
            continue
        mark, role = ("◆", "master") if installed.own else ("┼", "name")
        target = f"event:{place}"
        row.put(at, mark, role, target)
        following = pieces[number + 1][0] if number + 1 < len(pieces) else view.window.width
        said = str(installed.version)
        if following - at > len(said) and all(c in "─═╌┈░▒" for c in row.chars[at + 1 : at + 1 + len(said)]):
            row.put(at + 1, said, role, target)


def _bars(view: View, row: Row, lane: Lane, *, over: bool = False) -> None:
    """All in one row: a claim is drawn over a suspicion, and that over migrations."""
    _moves(view, row, lane)
    _doubts(view, row, lane, named=not over)
    _claims(view, row, lane, named=not over)


def _doubts(view: View, row: Row, lane: Lane, *, named: bool = True) -> None:
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


def _claims(view: View, row: Row, lane: Lane, *, named: bool = True) -> None:
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
    changes = track.within(view.window.begin, view.window.end)
    if len(changes) > DENSE * DENSE * view.window.width:
        return []
    return [index for index in changes if track.values[index] and not (index and track.values[index - 1])]


def _moves(view: View, row: Row, lane: Lane) -> None:
    """How many at once: the tallest in each cell."""
    for at, stop, number, _ in _pieces(view, lane.moves):
        if number:
            row.fill(at, stop, LEVELS[min(number, len(LEVELS)) - 1], "moving")
    changes = lane.moves.within(view.window.begin, view.window.end)
    if len(changes) > DENSE * DENSE * view.window.width:
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
    return _labelled(view, "", "dim", Row(view.window.width, view.window.target))


def _labelled(view: View, label: str, role: str, row: Row, target: str = "", *, cursor: bool = True) -> Line:
    if cursor:
        row.cursor(view.cursor)
    text = label if label.startswith(("▸", "  ")) else f"  {label}"
    return (cell(text, view.label - 1, role, target), Span(" "), *row.spans())


def _legend(session: Session, width: int) -> list[Line]:
    parts: list[Span] = [Span(" ")]
    seen, left = session.lanes.seen, width - 1
    for what, sign, role, words in LEGEND:
        needs = len(sign) + len(words) + 3
        if (what and what not in seen) or needs > left:
            continue
        parts += [Span(sign, role), Span(f" {words}  ", "dim")]
        left -= needs
    return [fitted(tuple(parts), width)]
