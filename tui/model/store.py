"""The history that a screen shows: records in order, growing while a run lives.

A live run's records stand in the order in which they came, as its world saw them; a recorded run's in history order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Final

from shaketable.harness import records as h
from shaketable.harness.recording.names import Names
from shaketable.harness.records import Record
from shaketable.node import events as e
from shaketable.node.env import Micros

FAULT: Final = "fault"
VIEW: Final = "view"
STEP: Final = "step"
_MARKS: Final[dict[type, str]] = {
    h.FaultAsked: FAULT,
    h.FaultTook: FAULT,
    h.FaultEnded: FAULT,
    h.FaultWithoutEffect: FAULT,
    h.NodeEnded: FAULT,
    h.StepBegan: STEP,
}


class Store:
    def __init__(self, records: Iterable[Record] = (), *, complete: bool = False) -> None:
        self._records: list[Record] = []
        self._times: list[Micros] = []
        """never falling: what came late stands at the time at which it came"""
        self.marks: dict[str, list[int]] = {FAULT: [], VIEW: [], STEP: []}
        """of each kind the places in the history, in order; "view": a node installs a list of another version"""
        self._versions: dict[str, int] = {}
        self.names = Names()
        self.complete = complete
        """nothing will come any more"""
        self.extend(records)

    def __len__(self) -> int:
        return len(self._records)

    def __getitem__(self, place: int) -> Record:
        return self._records[place]

    def extend(self, records: Iterable[Record]) -> None:
        for record in records:
            self._append(record)

    def _append(self, record: Record) -> None:
        place, event = len(self._records), record.event
        self._records.append(record)
        self._times.append(max(record.time, self._times[-1]) if self._times else record.time)
        mark = _MARKS.get(type(event))
        if mark is not None:
            self.marks[mark].append(place)
        elif type(event) is e.ViewInstalled:
            if self._versions.get(record.node) != event.version:
                self._versions[record.node] = event.version
                self.marks[VIEW].append(place)
        elif type(event) is e.Started:
            self.names.learn_life(event.member)
        if type(event) is h.NodeNamed:
            self.names.learn(event.peer, event.address)

    @property
    def end(self) -> Micros:
        return self._times[-1] if self._times else 0

    def time_at(self, place: int) -> Micros:
        """The time at which so many records have happened."""
        return self._times[min(place, len(self._times)) - 1] if place > 0 and self._times else 0

    def place_of(self, time: Micros) -> int:
        """How many records have happened by then."""
        return bisect_right(self._times, time)

    def next_mark(self, place: int, kinds: Iterable[str]) -> int | None:
        """How many records have happened when the next one of these marks just has."""
        found = [marks[i] + 1 for kind in kinds if (i := bisect_left(marks := self.marks[kind], place)) < len(marks)]
        return min(found, default=None)

    def mark_before(self, place: int, kinds: Iterable[str]) -> int | None:
        found = [marks[i - 1] + 1 for kind in kinds if (i := bisect_left(marks := self.marks[kind], place - 1)) > 0]
        return max(found, default=None)
