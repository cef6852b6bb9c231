"""One event in full: its words, what it tells, and the chain of events that it goes back to. Each of them is a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from shaketable.harness.causes.chain import Chain, chain, how
from shaketable.harness.causes.grounds import Grounds
from shaketable.harness.history.history import History
from shaketable.harness.history.names import Names
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import HARNESS, Record
from shaketable.harness.systems.log_lines import line_behind
from shaketable.node.events.base import TIMER
from shaketable.node.messages import Member
from shaketable.tui.model.hands.telling import told
from shaketable.tui.model.session import Session
from shaketable.tui.panels.events import symbol_of
from shaketable.tui.panels.prose import clipped, wrapped
from shaketable.tui.text import Line, Span, cell, head, line

MOST_READ: Final = 50_000
"""events before the one that is explained"""
SAID_ALREADY: Final = ("reason", "why")


class Why(NamedTuple):
    """What is known of an event by its place."""

    record: Record
    chain: Chain
    places: Mapping[int, int]
    """of each record of the chain, by its id"""
    line: str = ""
    """of the node's own log, where it is no node of ours"""


def why_of(session: Session, place: int) -> Why:
    first = max(0, place + 1 - MOST_READ)
    records = list(session.store.between(first, place + 1))
    found = chain(Grounds(History(records)), records[-1])
    wanted = {id(record) for record in found.records}
    places = {id(record): number for number, record in enumerate(records, first) if id(record) in wanted}
    return Why(records[-1], found, places, line_of(session, records[-1]))


def line_of(session: Session, record: Record) -> str:
    """The line of a node's own log from which this event was concluded; "": none is known."""
    folder = session.facts.directory
    return line_behind(Path(folder), record) if folder and record.node != HARNESS else ""


def why_lines(session: Session, why: Why, width: int) -> Sequence[Line]:
    names = session.store.names
    lines = [*_event(why.record, why, names, width), line(), head("what it tells")]
    lines += [each for name, value in facts_of(why.record, names) for each in _fact(name, value, width)]
    if why.line:
        lines += [line(), head("the line of its log"), *wrapped(why.line, width, indent=1)]
    lines += [line(), head("why", "" if why.chain.levels else "nothing before it led to it, as far as anybody told")]
    for level in why.chain.levels:
        lines += wrapped(f"↑ {how(level, names)}", width, "dim", indent=12)
        for ground in level:
            lines += _event(ground.record, why, names, width)
    if why.chain.more:
        lines += wrapped(f"… and {why.chain.more} more like these", width, "dim", indent=12)
    return clipped(lines, width)


def _event(record: Record, why: Why, names: Names, width: int) -> list[Line]:
    """Its time, its sign, and its words as long as they are."""
    place = why.places.get(id(record))
    target = f"event:{place}" if place is not None else ""
    sign, role = symbol_of(record)
    words = wrapped(told(record, names), width, "plain", target, indent=14)
    time = cell(rounded(record.time).removesuffix(" s"), 10, "dim", target, right=True)
    return [(time, Span(" ", "plain", target), Span(sign, role, target), Span("  ", "plain", target), *words[0][1:]),
            *words[1:]]  # fmt: skip


def facts_of(record: Record, names: Names) -> list[tuple[str, str]]:
    """What stands in the history of it, with names in the place of members."""
    facts = [("kind", type(record.event).__name__), ("time", rounded(record.time))]
    if record.node != HARNESS:
        facts += [("node", f"{record.node}, its event {record.sequence}, as {record.incarnation}")]
        facts += [("begun by", _begun_by(record))]
    told = [(field.name, getattr(record.event, field.name)) for field in msgspec.structs.fields(record.event)]
    facts += [(name, _value(value, names)) for name, value in told if (name, value) != ("inferred", ())]
    return [(name, value) for name, value in facts if name not in SAID_ALREADY]


def _begun_by(record: Record) -> str:
    cause = record.cause
    if cause is None:
        return "neither a message nor a timer"
    after = f"after event {cause.after}, {'in its step' if cause.told else 'in a later step'}"
    return f"a timer that was set {after}" if cause.kind == TIMER else f"{cause.kind}, sent {after} of its sender"


def _value(value: object, names: Names) -> str:
    match value:
        case Member():
            return names.member(value)
        case str():
            return names.spoken(value) or '""'
        case tuple() | list():
            return f"[{' '.join(_value(each, names) for each in value)}]"
    return str(value)


def _fact(name: str, value: str, width: int) -> list[Line]:
    said = wrapped(value, width, indent=14)
    return [(cell(f" {name}", 14, "dim"), *said[0][1:]), *said[1:]]
