"""What a session holds at its cursor, as sentences: no boxes, no signs, no columns that have to be seen."""

from __future__ import annotations

from collections.abc import Iterator

from shaketable.harness.checks.result import BROKEN, HELD, NOT_TOLD, UNKNOWN, VACUOUS, counted
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import HARNESS, Record
from shaketable.tui.model.hands.telling import told
from shaketable.tui.model.history.routine import is_routine
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import is_group
from shaketable.tui.model.standing.possible import about, lasting
from shaketable.tui.model.standing.standing import Standing, agreement, called, in_no_view, standings_of
from shaketable.tui.panels.events import symbol_of
from shaketable.tui.panels.moving import ENDS, FROM, TO, parts_of
from shaketable.tui.plain.group import group

MOST_EVENTS = 20
_MIGRATES = "↻"
_WAYS = {TO: " to", FROM: " from"}


def status(session: Session) -> Iterator[str]:
    yield _run(session)
    if is_group(session.facts):
        yield from group(session)
    else:
        yield _agreement(session)
        for each in standings_of(session):
            yield _node(session, each)
    yield from _faults(session)
    yield from came_of_it(session)


def _run(session: Session) -> str:
    facts = session.facts
    end = rounded(session.present_time if session.live else session.store.end)
    whose = "" if facts.system.is_ours else f", {facts.system.full_name}"
    what = f"{facts.script or 'by hand'}{whose}, world {facts.world}, seed {facts.seed}, preset {facts.preset}"
    return f"time {rounded(session.time)} of {end}, {'live' if session.live else 'recorded'}: {what}"


def _agreement(session: Session) -> str:
    of = agreement(session.picture().observed, in_no_view(session))
    said = [f"{of.running} of {counted(of.known, 'node')} run"]
    if of.not_joined:
        said.append(f"{of.not_joined} still to join")
    if of.running > of.not_joined:
        said.append("all have one list" if of.lists == 1 else f"there are {of.lists} different lists")
    if of.masters > 1:
        said.append(f"there are {of.masters} masters")
    if of.suspected:
        said.append(f"{counted(of.suspected, 'member')} suspected")
    return f"cluster: {', '.join(said)}"


def _node(session: Session, of: Standing) -> str:
    node, observed = of.node, session.picture().observed
    said = [of.state, *[f"lite {of.role}" if of.lite else of.role] * bool(of.role)]
    if node.running and node.joined:
        members = " ".join(called(observed, member) for member in node.members)
        said.append(f"list version {node.version} [{members}]")
        said += [f"follows {of.follows}"] * (of.follows != of.name)
        said += ["differs: " + ", ".join(each.replace("≠", " and not ") for each in of.differs)] * bool(of.differs)
        said += ["suspects " + " ".join(called(observed, m) for m in of.suspects)] * bool(of.suspects)
    said += ["suspected by " + " ".join(of.suspected_by)] * bool(of.suspected_by)
    if of.owned is not None:
        said.append(f"owns {counted(of.owned, 'partition')}")
    said += list(_moves(session, of))
    return f"{of.name}: {', '.join(said)}"


def _moves(session: Session, of: Standing) -> Iterator[str]:
    for partition, way, other, percent in parts_of(session.picture(), of):
        far = f"{_WAYS[way]} {other}" if way in _WAYS and other != ENDS else ""
        yield f"partition {partition} migrates{far}{f', {percent} %' if percent else ''}"


def _faults(session: Session) -> Iterator[str]:
    on = lasting(session.picture().observed)
    yield "faults on: none" if not on else f"faults on: {len(on)}"
    for fault in on:
        since = f" since {rounded(fault.took_at)}" if fault.took_at is not None else ", not in effect yet"
        yield f"fault {fault.number}: {fault.verb}{f' {about(fault)}' if about(fault) else ''}{since}"


def came_of_it(session: Session) -> Iterator[str]:
    yield from _checks(session)
    yield from _verdict(session)


def _checks(session: Session) -> Iterator[str]:
    if not session.judged:
        yield "checks: not judged yet"
        return
    statuses = [check.status for check in session.checks]
    words = {HELD: "held", BROKEN: "broken", VACUOUS: "saw nothing", UNKNOWN: "cannot be judged"}
    words[NOT_TOLD] = f"not told by {session.facts.system.called}"
    yield "checks: " + ", ".join(f"{statuses.count(each)} {said}" for each, said in words.items() if each in statuses)
    for check in session.checks:
        for violation in check.violations:
            yield f"broken: {check.name}: {violation.sentence}"


def _verdict(session: Session) -> Iterator[str]:
    if session.ended is not None:
        yield f"verdict: {session.ended.outcome}"
        for reason in session.ended.reasons:
            yield f"because: {reason}"
    elif session.no_verdict:
        yield f"verdict: none; {session.no_verdict}"


# Events


def of_note(store: Store, place: int) -> bool:
    """Not what is told while all is well, and of a migration only how it ended if that was no success."""
    if is_routine(store, place):
        return False
    symbol, role = symbol_of(store[place])
    return role != "dim" and symbol != _MIGRATES


def event(session: Session, place: int) -> str:
    record = session.store[place]
    return f"{rounded(record.time)} {_named(record)}{told(record, session.store.names)}"


def _named(record: Record) -> str:
    """By what `why` can be asked for it."""
    return "" if record.node == HARNESS else f"({record.node}:{record.sequence}) "


def last_events(session: Session, most: int = MOST_EVENTS) -> Iterator[str]:
    """Those of note up to the cursor."""
    found: list[int] = []
    for place in range(session.cursor - 1, -1, -1):
        if of_note(session.store, place):
            found.append(place)
            if len(found) == most:
                break
    yield f"the last {counted(len(found), 'event')} of note:" if found else "no event of note yet"
    yield from (event(session, place) for place in reversed(found))
