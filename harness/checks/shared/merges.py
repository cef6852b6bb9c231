"""The merges of a run: which part goes over to which, and the way of each member from its last word to the next list.

A master's events as it begins are put together with those of its members as they go, and with the identity that each of
them has next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from shaketable.harness.history.history import History, Process
from shaketable.harness.records import NodeSpawned, Record
from shaketable.node.core.env import Micros
from shaketable.node.events import MergeBegan, Merged, MergeFailed, Merging, Started
from shaketable.node.messages import Uuid


class Journey(NamedTuple):
    """Of one member: from the end of its identity until the next one is admitted, or not."""

    record: Record
    event: Merging
    former: Process
    next: Process | None
    arrived: Record | None
    end: Micros
    """when it was admitted, gave up, or ended; else the end of the run"""


@dataclass(slots=True, eq=False)
class Merge:
    record: Record
    event: MergeBegan
    master: Process
    journeys: list[Journey]

    @property
    def begin(self) -> Micros:
        return self.record.time

    def end(self, history: History) -> Micros:
        """When the last of its members has arrived somewhere, whoever led them: their master may be dead by then."""
        ends = [journey.end for journey in self.journeys]
        if not any(journey.former is self.master for journey in self.journeys):
            ends.append(self.master.ended.time if self.master.ended is not None else history.end)
        return max(ends)


class Merges:
    def __init__(self, history: History) -> None:
        self._history = history
        self._lives: dict[str, list[Process]] = {}
        for process in history.processes.values():
            self._lives.setdefault(process.node, []).append(process)
        self._started = {record.incarnation: record.time for record in history.of(Started)}
        self.journeys = [self._journey(record) for record in history.of(Merging) if record.time <= history.end]
        self.merges = list(self._merges())

    def _merges(self) -> Iterator[Merge]:
        for record in self._history.of(MergeBegan):
            event = record.event
            if record.time <= self._history.end:
                uuids = frozenset(member.uuid for member in event.members)
                with_it = [j for j in self.journeys if j.event.peer == event.peer and j.former.uuid in uuids]
                yield Merge(record, event, self._history.processes[record.node, record.incarnation], with_it)

    def of(self, journey: Journey) -> Merge | None:
        """The one to which it belongs: its own master had begun it."""
        return next((merge for merge in self.merges if journey in merge.journeys), None)

    def _journey(self, record: Record[Merging]) -> Journey:
        event = record.event
        former = self._history.processes[record.node, record.incarnation]
        next_one = self._next(former, record)
        arrived = self._told(Merged, next_one.uuid if next_one is not None else "")
        failed = self._told(MergeFailed, next_one.uuid if next_one is not None else "")
        ends = [each.time for each in (arrived, failed) if each is not None]
        ends += [next_one.ended.time] if next_one is not None and next_one.ended is not None else []
        return Journey(record, event, former, next_one, arrived, min(ends, default=self._history.end))

    def _next(self, former: Process, record: Record) -> Process | None:
        """Of the same process of the machine."""
        lives = self._lives[former.node]
        place = lives.index(former) + 1
        if place >= len(lives):
            return None
        begun = self._started.get(lives[place].uuid, record.time)
        spawned = [r.time for r in self._history.of(NodeSpawned) if r.event == NodeSpawned(former.node)]
        return None if any(record.time < time <= begun for time in spawned) else lives[place]

    def _told(self, kind: type[Merged] | type[MergeFailed], uuid: Uuid) -> Record | None:
        return next((record for record in self._history.of(kind) if record.incarnation == uuid), None)
