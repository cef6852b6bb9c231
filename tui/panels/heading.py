"""The first line: what runs, where the cursor stands, whether all agree, and what the checks say.

The least important part goes first where the line is narrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from shaketable.harness.checks.result import BROKEN, HELD, NOT_TOLD, UNKNOWN, VACUOUS, counted
from shaketable.harness.history.words.cluster import rounded
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import is_group
from shaketable.tui.model.standing.possible import lasting
from shaketable.tui.model.standing.standing import agreement, in_no_view
from shaketable.tui.text import Line, Span, fitted, line, width_of

GAP = 2
OUTCOMES = {"passed": ("✓ PASSED", "good"), "failed": ("✗ FAILED", "bad"), "unknown": ("? UNKNOWN", "warn")}


class Part(NamedTuple):
    worth: int
    forms: tuple[Line, ...]
    """the long one first"""
    right: bool = False


def heading(session: Session, width: int, height: int) -> Sequence[Line]:
    return [fitted(_fitting([part for part in _parts(session) if part.forms], width), width)]


def _fitting(parts: Sequence[Part], width: int) -> Line:
    """The shortest forms of as many as fit, the most worthy first; then longer ones, in the same order; then what has
    no worth. The rest of the line lies in the middle."""
    by_worth = sorted(range(len(parts)), key=lambda place: -parts[place].worth)
    forms: dict[int, int] = {}
    room = width - 1

    def take(places: Iterable[int]) -> None:
        nonlocal room
        for place in places:
            shortest = len(parts[place].forms) - 1
            needed = width_of(parts[place].forms[shortest]) + GAP
            if needed <= room or not forms:
                forms[place] = shortest
                room -= needed

    take(place for place in by_worth if parts[place].worth)
    for place in by_worth:
        while place in forms and forms[place] > 0:
            more = width_of(parts[place].forms[forms[place] - 1]) - width_of(parts[place].forms[forms[place]])
            if more > room:
                break
            forms[place] -= 1
            room -= more
    take(place for place in by_worth if not parts[place].worth)
    left = [parts[place].forms[form] for place, form in sorted(forms.items()) if not parts[place].right]
    right = [parts[place].forms[form] for place, form in sorted(forms.items()) if parts[place].right]
    middle = Span(" " * max(0, room))
    gap = Span(" " * GAP)
    return (
        Span(" "),
        *(span for each in left for span in (*each, gap)),
        middle,
        *(span for each in right for span in (*each, gap)),
    )


def _parts(session: Session) -> list[Part]:
    facts = session.facts
    runs = facts.script or "by hand"
    world = f"{facts.world} · seed {facts.seed} · {facts.preset}"
    return [
        Part(0, (line(Span("shaketable", "title")),)),
        Part(
            60,
            (
                line(Span(runs, "name", "screen:script")),
                line(Span(_shortened(runs, 24), "name", "screen:script")),
                line(Span(_shortened(runs, 14), "name", "screen:script")),
            ),
        ),
        Part(65, _system(session)),
        Part(
            0 if session.in_the_past else 30,
            (line(Span(f"{world} · {facts.fabric}", "dim")), line(Span(world, "dim")))[not facts.fabric :],
        ),
        Part(90, _where(session)),
        Part(100, _when(session)),
        Part(75, _the_end(session)),
        Part(35, _reading(session)),
        Part(88, _faults(session), right=True),
        Part(80, _nodes(session), right=True),
        Part(70, _checks(session), right=True),
        Part(85, _verdict(session), right=True),
        Part(84, _notes(session), right=True),
    ]


def _shortened(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _system(session: Session) -> tuple[Line, ...]:
    """Whose members run, where they are not ours."""
    system = session.facts.system
    if system.is_ours:
        return ()
    return tuple(line(Span(_shortened(system.full_name, most), "title")) for most in (40, 18))


def _where(session: Session) -> tuple[Line, ...]:
    if not session.live:
        return _played(session)
    if session.speed == 0:
        return (line(Span("⏸ the world stands", "warn")), line(Span("⏸ stands", "warn")))
    speed = "" if session.speed is None or session.facts.world == "real" else f" ×{session.speed:g}"
    if session.facts.world != "real" and session.speed is None:
        speed = " at full speed"
    if not session.following:
        halted = line(Span("⏸ halted", "warn"))
        return line(*halted, Span(f", it goes on{speed}", "dim")), halted, line(Span("⏸", "warn"))
    return (line(Span(f"▶ live{speed}", "good")), line(Span("▶ live", "good")))


def _played(session: Session) -> tuple[Line, ...]:
    playback = session.playback
    speed = f"×{playback.speed:g}"
    if playback.plays:
        return (line(Span(f"▶ recorded, played {speed}", "good")), line(Span(f"▶ {speed}", "good")))
    told = "" if playback.speed == 1 else f" {speed}"
    return (line(Span(f"▪ recorded{told}", "dim")), line(Span(f"▪{told}", "dim")))


def _when(session: Session) -> tuple[Line, ...]:
    here = rounded(session.clock)
    if not session.in_the_past:
        return (line(Span(here, "title")),)
    there = rounded(session.present_time)
    back = Span(session.keys.get("end", "End"), "key", "key:end"), Span(": back", "dim", "key:end")
    return (
        line(Span(f"you look at {here}", "warn"), Span(f", the cluster is at {there}, "), *back),
        line(Span(here, "warn"), Span(f", the cluster is at {there}, "), *back),
        line(Span(here, "warn"), Span(f", cluster at {there}, "), *back),
        line(Span(here, "warn"), Span(f" of {there}, "), *back),
    )


def _faults(session: Session) -> tuple[Line, ...]:
    """Of links and nodes, clocks and messages, as it was at the cursor."""
    many = len(lasting(session.picture().observed))
    if not many:
        return ()
    said = counted(many, "fault")
    return line(Span(f"▓ {said} on", "fault")), line(Span(f"{said} on", "fault"))


def _the_end(session: Session) -> tuple[Line, ...]:
    if session.in_the_past:
        return ()
    if session.cursor >= len(session.store):
        return ()
    return (line(Span(f"of {rounded(session.store.end)}", "dim")),)


def _reading(session: Session) -> tuple[Line, ...]:
    """Of a history that is still being read from disk, or gone through to where the cursor is to stand."""
    parts = [f"reading {session.reading:.0%}"] * (session.reading < 1)
    if session.target is not None:
        parts.append(f"going to {rounded(session.store.time_at(session.target))}")
    return (line(Span(f"↻ {', '.join(parts)}", "moving")),) if parts else ()


def _nodes(session: Session) -> tuple[Line, ...]:
    all_of = agreement(session.picture().observed, in_no_view(session))
    lists, suspected = ("views", "in doubt") if is_group(session.facts) else ("lists", "suspected")
    if not all_of.known:
        return (line(Span("no node yet", "dim")),)
    running = Span(f"{all_of.running}/{all_of.known}", "plain" if all_of.running == all_of.known else "warn")
    if all_of.masters > 1:
        said, short, role = f"≠ {all_of.masters} masters", f"≠{all_of.masters}◆", "warn"
    elif all_of.lists > 1:
        said, short, role = f"≠ {all_of.lists} {lists}", f"≠{all_of.lists}", "warn"
    elif all_of.not_joined or not all_of.running:
        said, short, role = f"○ {all_of.not_joined} to join", f"○{all_of.not_joined}", "moving"
        if not all_of.running:
            said = short = ""
    elif all_of.suspected:
        said, short, role = f"! {all_of.suspected} {suspected}", f"!{all_of.suspected}", "warn"
    else:
        said, short, role = "= all agree", "=", "good"
    return (
        line(running, Span(" run  ", "dim"), Span(said, role)),
        line(running, Span(" "), Span(said, role)),
        line(running, Span(" "), Span(short, role)),
    )


def _checks(session: Session) -> tuple[Line, ...]:
    if not session.judged:
        yet = " yet" if session.live else ""
        return tuple(line(Span(said, "dim", "screen:checks")) for said in (f"… not judged{yet}", "…"))
    statuses = [check.status for check in session.checks]
    counts = {status: statuses.count(status) for status in (HELD, BROKEN, VACUOUS, UNKNOWN, NOT_TOLD)}
    to = "screen:checks"
    held, broken = f"✓ {counts[HELD]}", f"✗ {counts[BROKEN]}"
    unseen, unknown = f"○ {counts[VACUOUS]}", f"? {counts[UNKNOWN]}"
    bad = "bad" if counts[BROKEN] else "dim"
    left = Span(f"  {unknown}", "warn", to) if counts[UNKNOWN] else Span("")
    spelled = Span(f"  {unseen} nothing seen", "dim", to)
    silent = f"  · {counts[NOT_TOLD]}" if counts[NOT_TOLD] else ""
    untold = Span(f"{silent} not told" if silent else "", "dim", to)
    return (
        line(Span(f"{held} held", "good", to), Span(f"  {broken} broken", bad, to), spelled, untold, left),
        line(Span(held, "good", to), Span(f"  {broken}", bad, to), Span(f"  {unseen}{silent}", "dim", to), left),
        line(Span(held, "good", to), Span(f"  {broken}", bad, to)),
    )


def _verdict(session: Session) -> tuple[Line, ...]:
    if session.ended is None:
        return ()
    said, role = OUTCOMES.get(session.ended.outcome, (f"▪ {session.ended.outcome}", "dim"))
    return (line(Span(said, role, "screen:script")),)


def _notes(session: Session) -> tuple[Line, ...]:
    """Something is wrong with the history: what, is among the receipts."""
    if not session.notes:
        return ()
    many = f"{len(session.notes)} note{'s' * (len(session.notes) > 1)}"
    return (line(Span(f"! {many}, on 7", "warn", "screen:script")), line(Span(f"! {many}", "warn", "screen:script")))
