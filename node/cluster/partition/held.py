"""A map in one partition of one member: what is held of it, and up to which write nothing of it is missing.

From text 3.1.1 and rulings 3.9: who missed a write is known by it, and what two copies have between them a promoted
owner can put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import msgspec

from shaketable.node.core.env import Micros
from shaketable.node.messages import Does, Name, Number, Time, Value

Taken = Literal["held", "applied", "late"]
"""of a backup's write: it is held already, it is applied, or it came after later ones and cannot be"""


class Entry(msgspec.Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """What is held under one key, and what the policy of a merge may ask of it."""

    value: Value
    updated: Time
    """when it was last written, by the cluster's clock"""
    hits: Number
    """how often it was read or written; a backup learns of reads with the next write"""


class MapData(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A map in one partition, as it is held and as it travels."""

    name: Name
    version: Number
    """of the last write"""
    entries: dict[Name, Entry]
    last: dict[Name, Number]
    """by client, the number of its last write here: none is applied twice, whoever owns the partition by then. A write
    has no other result than that it was done"""


class Copy(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """What a backup has, whole or not, as it travels to an owner that was promoted before it."""

    data: MapData
    whole_to: Number
    newer: dict[Name, Number]


class Write(NamedTuple):
    """As a backup gets it."""

    version: int
    map: str
    client: str
    number: int
    does: Does
    key: str
    value: bytes
    updated: Micros = 0
    hits: int = 0


class Held:
    """A map in one partition of this member."""

    __slots__ = ("data", "newer", "whole_to")

    def __init__(self, data: MapData) -> None:
        self.data = data
        self.whole_to = data.version
        """no write up to this version is missing"""
        self.newer: dict[str, int] = {}
        """by key, put or removed: the version of its last write of those after a missing one"""

    @property
    def version(self) -> int:
        """0, which no map has that was written to, if a write is missing: so it never seems to be as its owner's."""
        return self.data.version if self.whole_to == self.data.version else 0

    @property
    def misses_a_write(self) -> bool:
        return self.whole_to < self.data.version

    def forget(self, is_over: Callable[[str], bool]) -> None:
        """Of these clients, which was their last write."""
        for client in [each for each in self.data.last if is_over(each)]:
            del self.data.last[client]

    def write(self, write: Write) -> None:
        """The owner's part of a write: it misses none."""
        self.data.last[write.client] = write.number
        change(self.data.entries, write)
        self.is_whole_at(write.version)

    def is_whole_at(self, version: int) -> None:
        self.whole_to = self.data.version = version
        self.newer.clear()

    def apply(self, write: Write) -> Taken:
        """A backup's part of a write."""
        version, client, number = write.version, write.client, write.number
        data = self.data
        if version <= self.whole_to:
            return "held"
        if version <= data.version:  # of those that are missing, or a repeated one
            return "held" if data.last.get(client) == number else "late"
        if version == data.version + 1 and self.whole_to == data.version:
            self.whole_to = version
        else:
            self.newer[write.key] = version
        data.version = version
        data.last[client] = number
        change(data.entries, write)
        return "applied"

    def copy(self) -> Copy:
        return Copy(self.data, self.whole_to, self.newer)

    def with_more(self, other: Copy) -> Held:
        """What this copy and another one have together: all that the wholer one has, and of the other each later write,
        unless the same key was written later still."""
        mine = self.copy()
        base, more = (other, mine) if other.whole_to > self.whole_to else (mine, other)
        entries, newer, last = dict(base.data.entries), dict(base.newer), dict(base.data.last)
        for key, version in more.newer.items():
            if version > max(base.whole_to, newer.get(key, 0)):
                newer[key] = version
                if key in more.data.entries:
                    entries[key] = more.data.entries[key]
                else:
                    entries.pop(key, None)
        for client, number in more.data.last.items():
            last[client] = max(number, last.get(client, 0))
        version = max(base.data.version, more.data.version)
        found = Held(MapData(base.data.name, version, entries, last))
        if base.whole_to < version:
            found.whole_to, found.newer = base.whole_to, newer
        return found


def change(entries: dict[str, Entry], write: Write) -> None:
    if write.does == "put":
        entries[write.key] = Entry(write.value, write.updated, write.hits)
    else:
        entries.pop(write.key, None)
