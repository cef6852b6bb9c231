"""The partition table: who holds which replica of each partition, under one version that only grows.

From the text on avoiding data loss on migration, 1.1: only the master changes it, and raises its version with each
change; all others follow. A table never changes; what a change makes is another table."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final
from zlib import crc32

from shaketable.node.messages import NOBODY, NOWHERE, Row, TableState, Uuid


class Table:
    __slots__ = ("_held", "_state", "rows", "version")

    def __init__(self, version: int, rows: Sequence[Row]) -> None:
        self.version = version
        self.rows: tuple[Row, ...] = tuple([row if row and row[-1] is not None else _trimmed(row) for row in rows])
        """none with an empty index at its end, so that two rows are equal if the same members hold the same"""
        self._state: TableState | None = None
        self._held: Counter[Uuid] | None = None

    @classmethod
    def of(cls, state: TableState) -> Table:
        names: dict[int, Uuid | None] = dict(enumerate(state.uuids))
        names[NOBODY] = None
        table = cls(state.version, [tuple([names[place] for place in row]) for row in state.places()])
        table._state = state
        return table

    def state(self) -> TableState:
        """Its form on the wire."""
        if self._state is None:
            uuids = tuple(sorted(self.held()))
            width = max((len(row) for row in self.rows), default=0)
            places: dict[Uuid | None, int] = {uuid: place for place, uuid in enumerate(uuids)}
            places[None] = NOBODY
            flat = [places[row[index]] if index < len(row) else NOBODY for row in self.rows for index in range(width)]
            self._state = TableState(self.version, uuids, width, struct.pack(f"<{len(flat)}H", *flat))
        return self._state

    @property
    def stamp(self) -> int:
        """A checksum of the content, without the version."""
        state = self.state()
        return crc32(state.holders, crc32(" ".join(state.uuids).encode()))

    def held(self) -> Counter[Uuid]:
        """How many replicas each holds."""
        if self._held is None:
            self._held = Counter(uuid for row in self.rows for uuid in row if uuid is not None)
        return self._held

    def owner(self, partition: int) -> Uuid | None:
        row = self.rows[partition] if partition < len(self.rows) else ()
        return row[0] if row else None

    def index_of(self, partition: int, uuid: Uuid) -> int:
        row = self.rows[partition] if partition < len(self.rows) else ()
        return row.index(uuid) if uuid in row else NOWHERE

    def with_rows(self, rows: Mapping[int, Row]) -> Table:
        """One version later."""
        changed = list(self.rows)
        for partition, row in rows.items():
            changed[partition] = row
        return Table(self.version + 1, changed)

    def at_version(self, version: int) -> Table:
        """The same content."""
        return Table(version, self.rows)


def _trimmed(row: Row) -> Row:
    length = len(row)
    while length and row[length - 1] is None:
        length -= 1
    return row[:length]


NO_TABLE: Final = Table(0, ())
