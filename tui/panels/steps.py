"""The script as it goes by: its steps, its faults with what became of them, what it expects; or what was done by hand.

A row goes to its event; the present one, where the cursor stands, is told in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import ScriptOutcome
from shaketable.node.core.env import Micros
from shaketable.tui.model.folds.course import Expectation, Fault, Step
from shaketable.tui.model.session import Session
from shaketable.tui.panels.bands import sign_of
from shaketable.tui.panels.nothing import A_FAULT, nothing
from shaketable.tui.panels.prose import clipped, wrapped
from shaketable.tui.text import Line, Span, cell, fitted, line

AHEAD: Final = 3
"""one line in so many is for what comes after the present one"""


@dataclass(frozen=True, slots=True)
class Entry:
    place: int
    time: Micros
    sign: str
    role: str
    words: str


def steps(session: Session, width: int, height: int) -> Sequence[Line]:
    entries = sorted(_entries(session), key=lambda entry: entry.place)
    if not entries:
        if session.lanes.behind:
            return clipped([line(Span(" ↻ still reading", "dim"))], width)
        return nothing(session, "nothing was asked for yet", A_FAULT, width)
    present = max((n for n, entry in enumerate(entries) if entry.place < session.cursor), default=-1)
    wide = max(7, len(rounded(session.store.end)) - 2)
    told = _line_of(entries[present], width, wide, present=True) if present >= 0 else []
    room = max(0, height - len(told))
    after = min(len(entries) - present - 1, max(room // AHEAD, room - max(0, present)))
    before = max(0, min(present, room - after))
    lines = [each for n in range(present - before, present) for each in _line_of(entries[n], width, wide)]
    lines += told
    for entry in entries[present + 1 : present + 1 + after]:
        lines += _line_of(entry, width, wide, to_come=True)
    return lines


def present_step(session: Session) -> str:
    places = [entry.place for entry in _entries(session) if entry.place < session.cursor]
    return f"event:{max(places)}" if places else ""


def steps_title(session: Session) -> str:
    if not session.facts.script:
        return "Driven by hand"
    return f"{session.facts.script}: {session.facts.title}" if session.facts.title else session.facts.script


def _line_of(entry: Entry, width: int, wide: int, *, present: bool = False, to_come: bool = False) -> list[Line]:
    target, before = f"event:{entry.place}", wide + 6
    role = "dim" if to_come else entry.role
    first = line(
        Span(" ▸ " if present else "   ", "key", target),
        cell(rounded(entry.time).removesuffix(" s"), wide, "dim", target, right=True),
        Span(" ", "plain", target),
        Span(f"{entry.sign} ", role, target),
    )
    said = "dim" if to_come else "title" if present and role == "plain" else role
    if not present:
        return [fitted((*first, Span(entry.words, said, target)), width)]
    lines = wrapped(entry.words, width, said, target, indent=before)
    return [fitted((*first, *lines[0][1:]), width), *(fitted(each, width) for each in lines[1:])]


def _entries(session: Session) -> Iterator[Entry]:
    course, cursor = session.lanes.course, session.cursor
    last = len(course.steps) - 1
    for number, step in enumerate(course.steps):
        yield _step(session, step, waits=number == last)
    for fault in course.faults.values():
        yield _fault(fault, cursor)
    for expected in course.expectations:
        yield _expected(expected)
    for trouble in course.troubles:
        yield Entry(trouble.place, trouble.time, "✗" if not trouble.over else "✓", "bad", trouble.words)
    if course.end is not None:
        because = f" ({course.end.reason})" if course.end.reason else ""
        role = "good" if course.end.outcome is ScriptOutcome.DONE else "bad"
        said = f"the script ends: {course.end.outcome}{because}" if session.facts.script else "the session ends"
        yield Entry(course.end.place, course.end.time, "■", role, said)


def _step(session: Session, step: Step, *, waits: bool) -> Entry:
    if step.by_hand is not None:
        answer = "" if step.answer is None else f"  ✗ {step.answer}" if step.answer else "  ✓"
        return Entry(step.place, step.time, "»", "bad" if step.answer else "plain", f"{step.words}{answer}")
    if waits and session.live and session.lanes.course.end is None and step.waits:
        since = max(session.now, session.store.end) - step.time
        return Entry(step.place, step.time, "↻", "moving", f"{step.words}, for {rounded(since)} so far")
    return Entry(step.place, step.time, "→", "plain", step.words)


def _fault(fault: Fault, cursor: int) -> Entry:
    """As far as the cursor knows it."""
    became = ""
    if fault.place >= cursor:
        return Entry(fault.place, fault.asked, sign_of(fault), "fault", fault.words)
    if fault.without_place is not None and fault.without_place < cursor:
        return Entry(fault.place, fault.asked, "░", "bad", f"{fault.words}: NO EFFECT ({fault.without_effect})")
    if fault.ended_place is not None and fault.ended_place < cursor and fault.ended is not None:
        became = f", ended after {rounded(fault.ended - fault.began)}"
    elif fault.took_place is None or fault.took_place >= cursor:
        became = ", no receipt yet"
    detail = f" ({fault.detail})" if fault.detail else ""
    return Entry(fault.place, fault.asked, sign_of(fault), "fault", f"{fault.words}{detail}{became}")


def _expected(each: Expectation) -> Entry:
    because = f" ({each.reason})" if each.reason else ""
    if each.always:
        return Entry(each.place, each.time, "✗", "bad", f"not at all times: {each.what}{because}")
    sign, role, held = (
        ("✓", "good", "") if each.held else ("✗", "bad", f" within {rounded(each.within)} of the last fault")
    )
    return Entry(each.place, each.time, sign, role, f"{'held' if each.held else 'NOT'}{held}: {each.what}{because}")
