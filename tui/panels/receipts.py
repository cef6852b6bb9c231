"""How the run ends or ended, with the reasons and the command that repeats it; each fault's receipt; crash points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from shaketable.harness.recording.words import rounded
from shaketable.tui.model.course import Fault
from shaketable.tui.model.session import Session
from shaketable.tui.panels.heading import OUTCOMES
from shaketable.tui.panels.prose import clipped, led
from shaketable.tui.text import Line, Span, cell, head, line


def receipts(session: Session, width: int, height: int) -> Sequence[Line]:
    lines = [*_verdict(session, width), *_again(session, width)]
    lines += _expectations(session, width)
    lines += _faults(session, width)
    return clipped(lines + _crash_points(session, width), width)


def _verdict(session: Session, width: int) -> list[Line]:
    ended, course = session.ended, session.lanes.course
    if ended is None:
        if not session.live:
            return [head("verdict"), *led(Span("○", "dim"), "there is none: the run broke off", width, "dim")]
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
    number = len(str(faults[-1].number))
    wide = max(8, min(max(len(_words(fault)) for fault in faults), width // 2 - 8))
    for fault in faults:
        lines.append(_fault(session, fault, number, wide, width))
    return lines


def _fault(session: Session, fault: Fault, number: int, wide: int, width: int) -> Line:
    target, cursor = f"event:{fault.place}", session.cursor
    if fault.place >= cursor:
        sign, role, said = "·", "dim", f"asked at {rounded(fault.asked)}, later"
    elif fault.without_place is not None and fault.without_place < cursor:
        sign, role, said = "░", "bad", f"NO EFFECT: {fault.without_effect}"
    elif fault.took is None or fault.took_place is None or fault.took_place >= cursor:
        sign, role, said = "○", "warn", f"asked at {rounded(fault.asked)}, no receipt yet"
    elif fault.ended is not None and fault.ended_place is not None and fault.ended_place < cursor:
        sign, role = "░", "dim"
        said = f"{rounded(fault.took)} to {rounded(fault.ended)} ({fault.ended_how})"
    elif fault.lasts:
        sign, role, said = "▓", "fault", f"since {rounded(fault.took)} ({fault.how})"
    else:
        sign, role, said = "▓", "fault", f"at {rounded(fault.took)} ({fault.how})"
    return (
        Span(f"   {sign} ", role, target),
        cell(str(fault.number), number, "dim", target, right=True),
        Span(" ", "plain", target),
        cell(_words(fault), wide, role if role != "dim" else "plain", target),
        Span("  ", "plain", target),
        cell(said, max(1, width - wide - number - 9), role, target),
    )


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
