"""The partition table: who holds which replica of each partition, under one version that only grows.

From text 3.1.1: only the master changes it, and raises its version with each change; all others follow. A table never
changes; what a change makes is another table, which shares all other rows."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from zlib import crc32

from shaketable.node.messages import NOBODY, NOWHERE, Row, TableState, Uuid

FIRST: Final = 1
"""the version by which partitions are assigned: nobody has data before"""


class Table:
    __slots__ = ("_before", "_changes", "_held", "_state", "_state_before", "rows", "version")

    def __init__(self, version: int, rows: Sequence[Row]) -> None:
        self.version = version
        self.rows: tuple[Row, ...] = tuple([row if row and row[-1] is not None else _trimmed(row) for row in rows])
        """none with an empty index at its end, so that two rows are equal if the same members hold the same"""
        self._state: TableState | None = None
        self._held: Counter[Uuid] | None = None
        self._before: tuple[Row, ...] | None = None
        """the rows of the table from which it came by `_changes`"""
        self._changes: tuple[int, ...] = ()
        self._state_before: TableState | None = None

    @classmethod
    def of(cls, state: TableState, before: Table) -> Table:
        """`before` is what I have: in most cases a few rows differ, and the others need not be read."""
        known = before.state()
        alike = (state.uuids, state.width, len(state.holders)) == (known.uuids, known.width, len(known.holders))
        if alike:
            differing = _differing(state.holders, known.holders, 2 * state.width)
            table = before._changed(dict(zip(differing, _rows_of(state, differing), strict=True)), state.version)
        else:
            table = cls(state.version, _rows_of(state, range(_partitions_of(state))))
        table._state = state
        return table

    def state(self) -> TableState:
        """Its form on the wire."""
        if self._state is None:
            uuids = tuple(sorted(self.held()))
            width = max(1, max(map(len, self.rows))) if self.rows else 0
            before = self._state_before
            if before is not None and (before.uuids, before.width) == (uuids, width):
                holders = bytearray(before.holders)
                for partition in self._changes:
                    places = _places_of([self.rows[partition]], uuids, width)
                    holders[partition * len(places) : (partition + 1) * len(places)] = places
                self._state = TableState(self.version, uuids, width, bytes(holders))
            else:
                self._state = TableState(self.version, uuids, width, _places_of(self.rows, uuids, width))
            self._state_before = None
        return self._state

    @property
    def stamp(self) -> int:
        """A checksum of the content, without the version."""
        state = self.state()
        return crc32(state.holders, crc32(" ".join(state.uuids).encode()))

    def held(self) -> Counter[Uuid]:
        """How many replicas each holds."""
        if self._held is None:
            self._held = Counter([uuid for row in self.rows for uuid in row if uuid is not None])
        return self._held

    def owner(self, partition: int) -> Uuid | None:
        row = self.rows[partition] if partition < len(self.rows) else ()
        return row[0] if row else None

    def index_of(self, partition: int, uuid: Uuid) -> int:
        row = self.rows[partition] if partition < len(self.rows) else ()
        return row.index(uuid) if uuid in row else NOWHERE

    def changes_since(self, before: Table) -> Iterable[int]:
        """The partitions whose rows differ, and perhaps others."""
        return self._changes if self._before is before.rows else range(len(self.rows))

    def with_rows(self, rows: Mapping[int, Row]) -> Table:
        """One version later."""
        return self._changed(rows, self.version + 1)

    def at_version(self, version: int) -> Table:
        """The same content."""
        return self._changed({}, version)

    def _changed(self, rows: Mapping[int, Row], version: int) -> Table:
        table = Table(version, ())
        changed, held = list(self.rows), Counter(self.held())
        for partition, row in rows.items():
            held.subtract([uuid for uuid in changed[partition] if uuid is not None])
            changed[partition] = trimmed = _trimmed(row)
            held.update([uuid for uuid in trimmed if uuid is not None])
        table.rows = tuple(changed)
        table._held = +held
        table._before, table._changes, table._state_before = self.rows, tuple(rows), self._state
        return table


def _trimmed(row: Row) -> Row:
    length = len(row)
    while length and row[length - 1] is None:
        length -= 1
    return row[:length]


def _partitions_of(state: TableState) -> int:
    return len(state.holders) // (2 * state.width) if state.width else 0


def _places_of(rows: Sequence[Row], uuids: Sequence[Uuid], width: int) -> bytes:
    places: dict[Uuid | None, int] = {uuid: place for place, uuid in enumerate(uuids)}
    places[None] = NOBODY
    flat = [places[uuid] for row in rows for uuid in (*row, *[None] * (width - len(row)))]
    return struct.pack(f"<{len(flat)}H", *flat)


def _rows_of(state: TableState, partitions: Iterable[int]) -> list[Row]:
    names: dict[int, Uuid | None] = dict(enumerate(state.uuids))
    names[NOBODY] = None
    places = struct.Struct(f"<{state.width}H")
    return [
        tuple([names[place] for place in places.unpack_from(state.holders, partition * places.size)])
        for partition in partitions
    ]


def _differing(these: bytes, those: bytes, size: int) -> list[int]:
    """Which pieces of this size differ: whatever is the same is compared as a whole."""
    found = []
    open_ends = [(0, len(these) // size)]
    while open_ends:
        first, end = open_ends.pop()
        if these[first * size : end * size] == those[first * size : end * size]:
            continue
        if end - first == 1:
            found.append(first)
        else:
            middle = (first + end) // 2
            open_ends += [(middle, end), (first, middle)]
    return found


NO_TABLE: Final = Table(0, ())
