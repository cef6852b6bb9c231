"""The chain of an event's grounds, level by level: itself, what it followed from, what those followed from ..., down to
faults and to what the script did. Each event stands in it once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from shaketable.harness.causes.grounds import Ground, Grounds, How
from shaketable.harness.checks.result import Proof, Violation
from shaketable.harness.history.history import History
from shaketable.harness.history.names import Names
from shaketable.harness.history.words.cluster import rounded, tell
from shaketable.harness.records import FaultAsked, Record, StepBegan

DEEPEST: Final = 60
WIDEST: Final = 8
"""events of a level; a chain is for people"""

Level = tuple[Ground, ...]


class Chain(NamedTuple):
    event: Record
    levels: tuple[Level, ...]
    """of its grounds, the nearest first"""
    more: int = 0
    """grounds that were left out, as a level had too many"""

    @property
    def records(self) -> list[Record]:
        return [self.event, *(ground.record for level in self.levels for ground in level)]


def chain(grounds: Grounds, event: Record) -> Chain:
    levels: list[Level] = []
    known, more = {id(event)}, 0
    last: Sequence[Record] = [event]
    while last and len(levels) < DEEPEST:
        level = []
        for record in last:
            if isinstance(record.event, FaultAsked | StepBegan):
                continue  # what was done to the cluster is the beginning of every story
            for ground in grounds.of(record):
                if id(ground.record) not in known:
                    known.add(id(ground.record))
                    level.append(ground)
        level.sort(key=lambda ground: ground.record[:4])
        more += max(0, len(level) - WIDEST)
        level = level[-WIDEST:]
        if level:
            levels.append(tuple(level))
        last = [ground.record for ground in level]
    return Chain(event, tuple(levels), more)


def chains_of(grounds: Grounds, violation: Violation) -> Iterator[Chain]:
    """Of its proofs, the last one first: the others often stand in its chain already."""
    shown: set[int] = set()
    for proof in reversed(violation.proof):
        record = record_of(grounds.history, proof)
        if record is not None and id(record) not in shown:
            told = chain(grounds, record)
            shown.update(map(id, told.records))
            yield told


def violation_text(grounds: Grounds, violation: Violation) -> Iterator[str]:
    """Its chains, with an empty line between two."""
    for number, told in enumerate(chains_of(grounds, violation)):
        if number:
            yield ""
        yield from chain_text(told, grounds.history.names)


def record_of(history: History, proof: Proof) -> Record | None:
    """None: the history has lost it."""
    asked = proof.time, proof.node, proof.incarnation, proof.sequence
    return next((record for record in history.records if record[:4] == asked), None)


def chain_text(told: Chain, names: Names) -> Iterator[str]:
    """One event a line, the latest first, and above each level how it led to what stands above."""
    yield _line(told.event, names)
    for level in told.levels:
        yield f"{'':12}↑ {how(level, names)}"
        for ground in level:
            yield _line(ground.record, names)
    if told.more:
        yield f"{'':12}… and {told.more} more like these"


def _line(record: Record, names: Names) -> str:
    return f"{rounded(record.time):>11} {tell(record, names)}"


def how(level: Level, names: Names) -> str:
    """How these led to what stands above. Those that did in one way are named together."""
    ways: dict[tuple[How, str], list[str]] = {}
    for ground in level:
        who = names.process(ground.record.node, ground.record.incarnation)
        of = ways.setdefault((ground.how, ground.message), [])
        if who not in of:
            of.append(who)
    return "; ".join(_said(how, message, listed(who)) for (how, message), who in ways.items())


def _said(how: How, message: str, who: str) -> str:
    match how:
        case How.STEP:
            return f"in the same step of {who}"
        case How.MESSAGE:
            return f"then {who} sent {message}"
        case How.TIMER:
            return f"then {who} set a timer"
        case How.LEARNT:
            return f"{who} knew this"
        case How.BROKEN:
            return "this stood behind it"
        case How.SCRIPT:
            return "the script asked for it"


def listed(names: Sequence[str]) -> str:
    """ "n1", "n1 and n2", "n1, n2 and n3"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
