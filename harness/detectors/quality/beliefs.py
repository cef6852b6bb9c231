"""Reads from the records of a run when each member trusted each other one. Pure.

An observer trusts a process while its list has that process and it does not suspect it. A member of a group suspects
also whom its master says to be in doubt. A member of a group that asks to be added again forgets its doubts
with its next list. If one is added again, the others forget their doubts of it. Where members are a set, the set is
the list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from shaketable.harness.checks.groups.reading import ADD
from shaketable.harness.records import NodeEnded, Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    MembersSeen,
    NotificationPublished,
    NotificationTaken,
    ReadmissionAsked,
    Started,
    Suspected,
    SuspicionEnded,
    ViewInstalled,
)
from shaketable.node.messages import Member, Uuid

KINDS: Final = (
    Started,
    NodeEnded,
    ViewInstalled,
    MembersSeen,
    Suspected,
    SuspicionEnded,
    ReadmissionAsked,
    NotificationPublished,
    NotificationTaken,
)
"""the events that are read"""


@dataclass(slots=True)
class Life:
    """Of one process."""

    name: str
    begin: Micros
    end: Micros
    """its crash, or the end of the records"""


@dataclass(slots=True)
class Trust:
    begin: Micros
    end: Micros | None = None
    """None: it has not ended as far as the records go, or the observer ended first"""


@dataclass(slots=True)
class Beliefs:
    lives: dict[Uuid, Life] = field(default_factory=dict)
    trusts: dict[tuple[Uuid, Uuid], list[Trust]] = field(default_factory=dict)
    """by the observer and the process that it is about, in their order"""


def beliefs(records: Iterable[Record], gone: Mapping[Uuid, Micros], end: Micros, *, doubts: bool = True) -> Beliefs:
    """`gone`: when a machine went, whose process ends in the records later. `end`: of the records. Without `doubts`
    only the list counts: what an application acts upon."""
    reader = _Reader(gone, end, doubts)
    for record in records:
        reader.read(record)
    return reader.beliefs


class _Reader:
    def __init__(self, gone: Mapping[Uuid, Micros], end: Micros, doubts: bool) -> None:
        self._doubts = doubts
        self._gone = gone
        self._end = end
        self.beliefs = Beliefs()
        self._runs: dict[str, Uuid] = {}
        """by node, its process"""
        self._lists: dict[Uuid, dict[Uuid, bool]] = {}
        self._suspects: dict[Uuid, dict[Uuid, bool]] = {}
        self._begin_anew: dict[Uuid, bool] = {}

    def read(self, record: Record) -> None:
        observer, event = record.incarnation, record.event
        match event:
            case Started(member=member):
                self._runs[record.node] = member.uuid
                end = self._gone.get(member.uuid, self._end)
                self.beliefs.lives[member.uuid] = Life(record.node, record.time, end)
                self._lists[member.uuid], self._suspects[member.uuid] = {}, {}
            case NodeEnded(peer=name):
                ended = self._runs.pop(name, None)
                if ended is not None:
                    life = self.beliefs.lives[ended]
                    life.end = min(life.end, record.time)
            case ViewInstalled(members=members) | MembersSeen(members=members):
                self._install(observer, {member.uuid: True for member in members}, record.time)
            case Suspected(peer=peer) if self._doubts:
                self._suspects[observer][peer.uuid] = True
                self._turn(observer, peer.uuid, record.time)
            case ReadmissionAsked():
                self._begin_anew[observer] = True
            case SuspicionEnded(peer=peer):
                self._forget(observer, peer, record.time)
            case NotificationPublished(peer=peer, change=change) | NotificationTaken(peer=peer, change=change):
                if change == ADD:
                    self._forget(observer, peer, record.time)

    def _install(self, observer: Uuid, now: dict[Uuid, bool], time: Micros) -> None:
        before, self._lists[observer] = self._lists[observer], now
        forgets = self._begin_anew.pop(observer, False)
        self._suspects[observer] = {each: True for each in self._suspects[observer] if each in now and not forgets}
        for about in dict.fromkeys((*before, *now)):
            self._turn(observer, about, time)

    def _forget(self, observer: Uuid, about: Member | None, time: Micros) -> None:
        if about is not None and self._suspects[observer].pop(about.uuid, False):
            self._turn(observer, about.uuid, time)

    def _turn(self, observer: Uuid, about: Uuid, time: Micros) -> None:
        if observer == about or time >= self.beliefs.lives[observer].end:
            return
        spans = self.beliefs.trusts.setdefault((observer, about), [])
        trusted = bool(spans) and spans[-1].end is None
        trusts = about in self._lists[observer] and about not in self._suspects[observer]
        if trusts and not trusted:
            spans.append(Trust(time))
        elif trusted and not trusts:
            spans[-1].end = time
