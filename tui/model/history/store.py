"""The history that a screen shows: records in order, growing while a run lives.

A live run's records stand in the order in which they came, as its world saw them; a recorded run's in history order,
and each is decoded only when somebody looks at it. Time, kind and node of each are at hand without that."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from shaketable.harness import records as h
from shaketable.harness.history.names import Names
from shaketable.harness.records import Record
from shaketable.node import events as e
from shaketable.node.core.env import Micros
from shaketable.tui.model.history.indexing import Index
from shaketable.tui.model.history.kinds import (
    BEGAN,
    CODE_OF,
    FAULT,
    INSTALLED,
    MARKS,
    NAMED,
    STARTED,
    STEP,
    UNKNOWN,
    VIEW,
)
from shaketable.tui.model.history.lines import Lines
from shaketable.tui.model.history.memo import Memo

_NOTABLE = re.compile(b"[" + re.escape(bytes((*MARKS, INSTALLED, STARTED, NAMED, BEGAN))) + b"]")

MOST_LATE: Final = 20_000
"""records between the time at which something was told and its place in a live history"""

__all__ = ["FAULT", "STEP", "VIEW", "Store"]


class Store:
    def __init__(self, records: Iterable[Record] = (), *, complete: bool = False) -> None:
        self._records: list[Record] | Lines = []
        self._times: array[int] = array("q")
        """never falling: what came late stands at the time at which it came"""
        self._kinds = bytearray()
        self._nodes: array[int] = array("H")
        self._node_names: list[str] = []
        self._node_codes: dict[str, int] = {}
        self.marks: dict[str, list[int]] = {FAULT: [], VIEW: [], STEP: []}
        """of each kind the places in the history, in order; "view": a node installs a list of another version"""
        self.codes = array("I")
        """of a recorded run, see `codes`; else empty"""
        self._versions: dict[str, int] = {}
        self._found: dict[tuple[Micros, str, str, int], int] = {}
        self.names = Names()
        self.memo = Memo()
        """of the session that shows it"""
        self.complete = complete
        """nothing will come any more"""
        self.extend(records)

    def __len__(self) -> int:
        return len(self._records)

    def __getitem__(self, place: int) -> Record:
        return self._records[place]

    def __iter__(self) -> Iterator[Record]:
        return self.between(0, len(self))

    def between(self, start: int, stop: int) -> Iterator[Record]:
        """The records at these places, in order."""
        if isinstance(self._records, Lines):
            return self._records.between(start, stop)
        return islice(self._records, start, stop)

    def kind(self, place: int) -> int:
        """Its code, see `kinds`; the record is not decoded for it."""
        return self._kinds[place]

    def node(self, place: int) -> str:
        return self._node_names[self._nodes[place]]

    def told_by(self, start: int, stop: int) -> list[str]:
        """The nodes that have told the records at these places."""
        return list(map(self._node_names.__getitem__, self._nodes[start:stop]))

    def where(self, kinds: re.Pattern[bytes], start: int, stop: int) -> list[int]:
        """The places between these two whose kinds' codes match; no record is decoded for it."""
        return [found.start() for found in kinds.finditer(self._kinds, start, stop)]

    # What comes

    def extend(self, records: Iterable[Record]) -> None:
        for record in records:
            self._append(record)

    def _append(self, record: Record) -> None:
        assert isinstance(self._records, list), "a recorded run gets no more records"
        place, event = len(self._records), record.event
        kind = CODE_OF.get(type(event), UNKNOWN)
        self._records.append(record)
        self._times.append(max(record.time, self._times[-1]) if self._times else record.time)
        self._kinds.append(kind)
        code = self._node_codes.get(record.node)
        if code is None:
            code = self._node_codes[record.node] = len(self._node_names)
            self._node_names.append(record.node)
        self._nodes.append(code)
        if isinstance(event, e.ViewInstalled):
            self._installed(place, record.node, event.version)
        elif kind in MARKS:
            self.marks[MARKS[kind]].append(place)
        else:
            self._learn(event)

    def _installed(self, place: int, node: str, version: int) -> None:
        if self._versions.get(node) != version:
            self._versions[node] = version
            self.marks[VIEW].append(place)

    def _learn(self, event: e.Event) -> None:
        if isinstance(event, e.Started):
            self.names.learn_life(event.member)
        elif isinstance(event, h.NodeNamed):
            self.names.learn(event.peer, event.address)
        elif isinstance(event, h.RunBegan):
            self.names.infers = event.system.infers

    def adopt(self, index: Index) -> None:
        """All of a recorded run."""
        self._records, self._times, self._kinds = index.lines, index.times, index.kinds
        self._nodes, self._node_names = index.nodes, index.names
        self.codes = index.codes
        self._node_codes = {name: code for code, name in enumerate(index.names)}
        for found in _NOTABLE.finditer(self._kinds):
            place = found.start()
            kind = self._kinds[place]
            if kind == INSTALLED:
                self._installed(place, self.node(place), index.view(place))
            elif kind in MARKS:
                self.marks[MARKS[kind]].append(place)
            else:
                self._learn(self._records[place].event)

    # Times and places

    @property
    def end(self) -> Micros:
        return self._times[-1] if self._times else 0

    def time_at(self, place: int) -> Micros:
        """The time at which so many records have happened."""
        return self._times[min(place, len(self._times)) - 1] if place > 0 and self._times else 0

    def place_of(self, time: Micros) -> int:
        """How many records have happened by then."""
        return bisect_right(self._times, time)

    def find(self, time: Micros, node: str, incarnation: str, sequence: int) -> int | None:
        """The place of this very record. One that came late stands later than its time says, but not by much."""
        asked = (time, node, incarnation, sequence)
        found = self._found.get(asked)
        if found is None:
            found = self._search(asked)
            if found is not None:
                self._found[asked] = found
        return found

    def _search(self, asked: tuple[Micros, str, str, int]) -> int | None:
        code, first = self._node_codes.get(asked[1]), bisect_left(self._times, asked[0])
        if code is None:
            return None
        for place in range(first, min(first + MOST_LATE, len(self))):
            if self._nodes[place] == code:
                record = self._records[place]
                if record[:4] == asked:
                    return place
                if record.time > asked[0] and isinstance(self._records, Lines):
                    return None
        return None

    def next_mark(self, place: int, kinds: Iterable[str]) -> int | None:
        """How many records have happened when the next one of these marks just has."""
        found = [marks[i] + 1 for kind in kinds if (i := bisect_left(marks := self.marks[kind], place)) < len(marks)]
        return min(found, default=None)

    def mark_before(self, place: int, kinds: Iterable[str]) -> int | None:
        found = [marks[i - 1] + 1 for kind in kinds if (i := bisect_left(marks := self.marks[kind], place - 1)) > 0]
        return max(found, default=None)
