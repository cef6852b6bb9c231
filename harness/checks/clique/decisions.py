"""The decisions about partial disconnections in a history: what each says, and what its master had been told before.

A collection of reports begins afresh with each decision, taken or dropped. While the master searches, it already
collects for the next decision. So what it was told just before a decision may belong to either. That is why these
checks keep each state since the decision before. The harness's fold (seen/reports.py) has only the present state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from shaketable.harness.checks.shared.search_time import SEARCH
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    DisconnectionResolved,
    DisconnectionUnresolved,
    Event,
    MasterFollowed,
    MemberRemoved,
    SuspicionsReported,
)
from shaketable.node.messages import Member, Uuid

Pair = tuple[Uuid, Uuid]
"""without direction: the smaller uuid first"""
Told = dict[Uuid, tuple[Record, frozenset[Uuid]]]
"""by reporter: the record, and whom it suspects"""


class State(NamedTuple):
    begin: Micros
    told: Told
    taken_back: bool = False
    """a reporter no longer suspects one that it suspected"""


@dataclass(slots=True)
class Decided:
    record: Record
    event: DisconnectionResolved
    process: Process
    first_report: Micros
    """since when somebody has suspected somebody, as the master was told"""
    began: Micros
    """when its search began, or a little before"""
    states: Sequence[State]
    """what it was told since the decision before, in order"""

    @property
    def now(self) -> Told:
        return self.states[-1].told

    def known(self) -> Iterator[Told]:
        """What the master knew at some moment of its search, the newest first."""
        for state in reversed(self.states):
            yield state.told
            if state.begin < self.began:
                return

    def lately_sound(self, pairs: frozenset[Pair], *, since: Micros, until: Micros) -> frozenset[Pair]:
        """Those of which, at some moment from then until then, the master was not told that they are broken."""
        ends = (*(state.begin for state in self.states[1:]), self.record.time)
        found: set[Pair] = set()
        for state, end in zip(self.states, ends, strict=True):
            if end > since and state.begin <= until:
                found |= pairs - broken_in(state.told)
        return frozenset(found)

    @property
    def unsettled(self) -> frozenset[Pair]:
        """What was reported, and does not count yet."""
        return frozenset(pair(one.uuid, other.uuid) for one, other in self.event.unsettled)

    @property
    def stay(self) -> list[Member]:
        leave = frozenset(m.uuid for m in self.event.leave)
        return [m for m in self.event.members if m.uuid not in leave]


def pair(one: Uuid, other: Uuid) -> Pair:
    return (one, other) if one < other else (other, one)


def pairs_of(reports: Iterable[tuple[Uuid, Iterable[Uuid]]]) -> frozenset[Pair]:
    return frozenset(pair(who, whom) for who, suspected in reports for whom in suspected)


def broken_in(told: Told) -> frozenset[Pair]:
    return pairs_of((who, whom) for who, (_, whom) in told.items())


def decisions(history: History) -> list[Decided]:
    """In order of time. Nothing is read where nothing was decided."""
    deciding = {record.incarnation: None for record in history.of(DisconnectionResolved) if record.time <= history.end}
    if not deciding:
        return []
    kinds: tuple[type[Event], ...]
    kinds = SuspicionsReported, MemberRemoved, DisconnectionResolved, DisconnectionUnresolved, MasterFollowed
    records = [r for kind in kinds for r in history.of(kind) if r.incarnation in deciding and r.time <= history.end]
    records.sort(key=lambda r: (r.incarnation, r.sequence))
    found = [
        decided
        for uuid, told in groupby(records, key=lambda r: r.incarnation)
        for decided in _decisions_of(history.by_uuid[uuid], list(told))
    ]
    return sorted(found, key=lambda decided: (decided.record.time, decided.record.node))


def _decisions_of(process: Process, records: Sequence[Record]) -> Iterator[Decided]:
    states: list[State] = [State(0, {})]
    since: Micros = 0
    for record in records:
        now = states[-1].told
        match record.event:
            case SuspicionsReported(peer, suspected):
                after = {who: told for who, told in now.items() if who != peer.uuid}
                if suspected:
                    after[peer.uuid] = record, frozenset(m.uuid for m in suspected)
                since = since if now else record.time
                taken_back = peer.uuid in now and not now[peer.uuid][1].issubset(m.uuid for m in suspected)
                states.append(State(record.time, after, taken_back))
            case MemberRemoved(peer):
                states.append(State(record.time, _without(now, peer.uuid)))
            case DisconnectionResolved() as event:
                began = record.time - SEARCH * event.work
                yield Decided(record, event, process, since, began, tuple(states))
                states, since = _afresh(now, began, record.time)
            case DisconnectionUnresolved(_, timed_out, work):
                began = record.time if timed_out else record.time - SEARCH * work
                states, since = _afresh(now, began, record.time)
            case MasterFollowed(master) if master.uuid != process.uuid:
                states = [State(record.time, {})]  # a follower collects nothing


def _without(told: Told, gone: Uuid) -> Told:
    left = {who: (record, whom - {gone}) for who, (record, whom) in told.items() if who != gone}
    return {who: (record, whom) for who, (record, whom) in left.items() if whom}


def _afresh(told: Told, since: Micros, now: Micros) -> tuple[list[State], Micros]:
    """Reports that came while it searched begin the next collection."""
    kept = {who: (record, whom) for who, (record, whom) in told.items() if record.time > since}
    return [State(now, kept)], min((record.time for record, _ in kept.values()), default=now)
