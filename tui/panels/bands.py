"""Above the lanes of a timeline: the scale of time, the script's steps, what broke a guarantee, the faults as bands."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from shaketable.harness.faults.node_kinds import RESTART
from shaketable.node.core.env import Micros
from shaketable.tui.model.folds.course import Fault
from shaketable.tui.model.history.proofs import violations_of
from shaketable.tui.model.session import Session
from shaketable.tui.panels.canvas import CanvasRow
from shaketable.tui.panels.timescale import Window, scale
from shaketable.tui.text import Line, Span, cell


@dataclass(frozen=True, slots=True)
class View:
    session: Session
    window: Window
    label: int
    """cells before the time begins"""
    cursor: int | None
    end: int
    """the first cell of which nothing is known yet"""
    until: Micros
    """the end of what is drawn"""
    shown: str
    """the chosen node"""


def sign_of(fault: Fault) -> str:
    """A fault that lasts is a band."""
    if fault.lasts:
        return "▓"
    return "▲" if fault.verb == RESTART.spoken else "▼"


def head_height(session: Session, width: int, height: int) -> int:
    """Lines that do not scroll: the scale, the steps, what broke a guarantee, the faults."""
    violations = bool(session.violations())
    return 2 + violations + _fault_rows(session, height)


def _fault_rows(session: Session, height: int) -> int:
    """By what is known of the whole run, so that the lanes stay where they are while the window moves."""
    return min(len(session.lanes.course.faults), max(2, height // 6))


def head(view: View, height: int) -> list[Line]:
    session, window = view.session, view.window
    lines = [labelled(view, "time", "dim", scale(window, session.time if session.cursor else None), cursor=False)]
    lines.append(labelled(view, "steps", "dim", _steps(view)))
    if session.violations():
        lines.append(labelled(view, "✗", "bad", _violations(view)))
    rows = _faults(view, _fault_rows(session, height))
    return lines + [labelled(view, "" if number else "faults", "dim", row) for number, row in enumerate(rows)]


def _steps(view: View) -> CanvasRow:
    """Each is a tick; the words of those that have room."""
    row = CanvasRow(view.window.width, view.window.target)
    steps = view.session.lanes.course.steps
    track = [(view.window.cell(step.time), step) for step in steps if view.window.begin <= step.time < view.window.end]
    for (at, step), (following, _) in pairwise([*track, (view.window.width + 1, None)]):
        assert step is not None
        if following > at or step is track[-1][1]:
            row.put(at, "▸", "title", f"event:{step.place}")
            if following - at > 3:
                row.put(at + 1, step.words, "plain", f"event:{step.place}", until=following - 1)
    return row


def _violations(view: View) -> CanvasRow:
    row = CanvasRow(view.window.width, view.window.target)
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


def _faults(view: View, count: int) -> list[CanvasRow]:
    """Each in the first row that has room for it; those for which there is none are counted in the last."""
    window, rows = view.window, [CanvasRow(view.window.width, view.window.target) for _ in range(count)]
    taken, left_out = [0] * count, 0
    for fault in view.session.lanes.course.faults.values():
        start, stop = _span(view, fault)
        if stop <= 0 or start >= window.width:
            continue
        first = max(0, start)
        words = f"{fault.words} without effect" if fault.without_effect is not None else fault.words
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
    if not fault.lasts or fault.without_effect is not None:
        return start, start + 1
    return start, view.end


def _band(row: CanvasRow, fault: Fault, start: int, stop: int, words: str, *, inside: bool) -> None:
    role = "bad" if fault.without_effect is not None else "fault"
    target = f"event:{fault.place if fault.took_place is None else fault.took_place}"
    if stop - start <= 1 and not fault.lasts:
        row.put(start, sign_of(fault), role, target)
    else:
        row.fill(start, stop, "▓" if fault.took is not None else "░", role)
        row.put(start, "▓" if fault.took is not None else "░", role, target)
    at = start + 1 if inside else max(stop, start + 1)
    if not inside and at + len(words) > row.width and start - len(words) - 1 >= 0:
        at = start - len(words)  # at the right edge its words stand before it
        if not row.is_free(at, start):
            return
    row.put(at, f" {words} " if inside else words, role, target)


def labelled(view: View, label: str, role: str, row: CanvasRow, target: str = "", *, cursor: bool = True) -> Line:
    if cursor:
        row.cursor(view.cursor)
    text = label if label.startswith(("▸", "  ")) else f"  {label}"
    return (cell(text, view.label - 1, role, target), Span(" "), *row.spans())
