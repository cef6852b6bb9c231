"""How the run ends or ended, with the reasons and the command that repeats it; each fault's receipt; crash points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from shaketable.harness.history.words.cluster import rounded
from shaketable.tui.model.folds.course import Fault
from shaketable.tui.model.session import Session
from shaketable.tui.panels.bands import sign_of
from shaketable.tui.panels.heading import OUTCOMES
from shaketable.tui.panels.prose import clipped, led, wrapped
from shaketable.tui.text import Line, Span, cell, head, line


def receipts(session: Session, width: int, height: int) -> Sequence[Line]:
    lines = [*_verdict(session, width), *_notes(session, width), *_again(session, width)]
    lines += _expectations(session, width)
    lines += _faults(session, width)
    return clipped(lines + _crash_points(session, width), width)


def _verdict(session: Session, width: int) -> list[Line]:
    ended, course = session.ended, session.lanes.course
    if ended is None:
        if not session.live:
            why = f": {session.no_verdict}" if session.no_verdict else ""
            return [head("verdict"), *led(Span("○", "dim"), f"there is none{why}", width, "dim")]
        asked = [step for step in course.steps if step.by_hand is None]
        if not session.facts.script:
            return [head("verdict"), *led(Span("↻", "moving"), "the session goes on", width)]
        doing = asked[-1].words if asked else "it begins"
        return [head("verdict"), *led(Span("↻", "moving"), f"it runs: {doing}", width)]
    said, role = OUTCOMES.get(ended.outcome, (f"▪ {ended.outcome}", "plain"))
    lines = [head("verdict"), line(Span(f"   {said}", role))]
    for reason in ended.reasons:
        lines += led(Span("·", role), reason, width)
    return lines


def _notes(session: Session, width: int) -> list[Line]:
    if not session.notes:
        return []
    lines = [line(), head("notes", "on what is recorded")]
    for note in session.notes:
        lines += led(Span("!", "warn"), note, width, "warn")
    return lines


def _again(session: Session, width: int) -> list[Line]:
    if not session.facts.again:
        return []
    return [line(), head("again"), *led(Span("$", "key"), session.facts.again, width)]


def _expectations(session: Session, width: int) -> list[Line]:
    found = session.lanes.course.expectations
    if not found:
        return []
    held = sum(each.held for each in found)
    lines = [line(), head("expectations", f"{held} of {len(found)} held")]
    for each in found:
        target = f"event:{each.place}"
        sign = Span("✓", "good") if each.held else Span("✗", "bad")
        because = f": {each.reason}" if each.reason else ""
        lines += led(sign, f"{each.what}{because}", width, "plain" if each.held else "bad", target)
    return lines


def _faults(session: Session, width: int) -> list[Line]:
    faults = list(session.lanes.course.faults.values())
    if not faults:
        return []
    known = [fault for fault in faults if fault.place < session.cursor]
    lines = [line(), head("faults", f"{len(known)} of {len(faults)} so far" if len(known) < len(faults) else "")]
    number = len(str(max(fault.number for fault in faults)))
    wide = max(8, min(max(len(_words(fault)) for fault in faults), width // 2))
    told = [(fault, *_receipt(session, fault)) for fault in faults]
    in_a_line = max(len(said) for *_, said in told) + wide + number + 9 <= width
    for fault, sign, role, said in told:
        lines += _fault(fault, sign, role, said, number, wide if in_a_line else 0, width)
    return lines


def _receipt(session: Session, fault: Fault) -> tuple[str, str, str]:
    """Its sign, the sign's role, and what is known where the cursor stands."""
    cursor = session.cursor
    if fault.place >= cursor:
        return "·", "dim", f"asked at {rounded(fault.asked)}, later"
    if fault.without_place is not None and fault.without_place < cursor:
        return "░", "bad", f"NO EFFECT: {fault.without_effect}"
    if fault.took is None or fault.took_place is None or fault.took_place >= cursor:
        return "○", "warn", f"asked at {rounded(fault.asked)}, no receipt yet"
    if fault.ended is not None and fault.ended_place is not None and fault.ended_place < cursor:
        how = fault.how if fault.how == fault.ended_how else f"{fault.how}; {fault.ended_how}"
        return "░", "dim", f"{rounded(fault.took)} to {rounded(fault.ended)} ({how})"
    if fault.lasts:
        return "▓", "fault", f"since {rounded(fault.took)} ({fault.how})"
    return sign_of(fault), "fault", f"at {rounded(fault.took)} ({fault.how})"


def _fault(fault: Fault, sign: str, role: str, said: str, number: int, wide: int, width: int) -> list[Line]:
    """In one line where all of them fit, else each in two or more."""
    target = f"event:{fault.place}"
    first = (Span(f"   {sign} ", role, target), cell(str(fault.number), number, "dim", target, right=True))
    named = "plain" if role == "dim" else role
    blank = Span(" ", "plain", target)
    if wide:
        return [(*first, blank, cell(_words(fault), wide, named, target), blank, blank, Span(said, role, target))]
    words = Span(_words(fault), named, target)
    return [
        (*first, blank, words),
        *wrapped(said, width, "dim" if role == "fault" else role, target, indent=number + 6),
    ]


def _words(fault: Fault) -> str:
    return fault.words + (f" ({fault.detail})" if fault.detail else "")


def _crash_points(session: Session, width: int) -> list[Line]:
    points = session.crash_points
    if not points:
        return []
    lines = [line(), head("crash points of migrations", "who was killed while it was held at which phase")]
    for phase, group in groupby(sorted(points, key=lambda point: point.phase), key=lambda point: point.phase):
        names = ", ".join(dict.fromkeys("/".join(point.parts) for point in group))
        lines += led(Span("■", "fault"), f"{phase}: {names}", width)
    return lines
