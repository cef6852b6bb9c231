"""Reads from the records of a run when each member trusted each other one. Pure.

An observer trusts a process while its list has that process and it does not suspect it. A member of a group suspects
also whom its master says to be in doubt. A member of a group that asks to be added again forgets its doubts
with its next list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from shaketable.harness.records import NodeEnded, Record
from shaketable.node.core.env import Micros
from shaketable.node.events import ReadmissionAsked, Started, Suspected, SuspicionEnded, ViewInstalled
from shaketable.node.messages import Uuid

KINDS: Final = (Started, NodeEnded, ViewInstalled, Suspected, SuspicionEnded, ReadmissionAsked)
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


def beliefs(records: Iterable[Record], gone: Mapping[Uuid, Micros], end: Micros) -> Beliefs:
    """`gone`: when a machine went, whose process ends in the records later. `end`: of the records."""
    reader = _Reader(gone, end)
    for record in records:
        reader.read(record)
    return reader.beliefs


class _Reader:
    def __init__(self, gone: Mapping[Uuid, Micros], end: Micros) -> None:
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
        if isinstance(event, Started):
            uuid = event.member.uuid
            self._runs[record.node] = uuid
            self.beliefs.lives[uuid] = Life(record.node, record.time, self._gone.get(uuid, self._end))
            self._lists[uuid], self._suspects[uuid] = {}, {}
        elif isinstance(event, NodeEnded):
            ended = self._runs.pop(event.peer, None)
            if ended is not None:
                life = self.beliefs.lives[ended]
                life.end = min(life.end, record.time)
        elif isinstance(event, ViewInstalled):
            before = self._lists[observer]
            now = self._lists[observer] = {member.uuid: True for member in event.members}
            forgets = self._begin_anew.pop(observer, False)
            self._suspects[observer] = {each: True for each in self._suspects[observer] if each in now and not forgets}
            for about in dict.fromkeys((*before, *now)):
                self._turn(observer, about, record.time)
        elif isinstance(event, Suspected):
            self._suspects[observer][event.peer.uuid] = True
            self._turn(observer, event.peer.uuid, record.time)
        elif isinstance(event, ReadmissionAsked):
            self._begin_anew[observer] = True
        elif isinstance(event, SuspicionEnded):
            self._suspects[observer].pop(event.peer.uuid, None)
            self._turn(observer, event.peer.uuid, record.time)

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
