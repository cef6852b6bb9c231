"""The records of a recorded run as they lie on the disk: a line becomes a record when somebody looks at it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from mmap import mmap
from typing import overload

import msgspec

from shaketable.harness.errors import shortened
from shaketable.harness.history.codec import CodecError, from_line
from shaketable.harness.history.reading import TrueTime
from shaketable.harness.records import Record
from shaketable.node.events import Event


class Head(msgspec.Struct, frozen=True, gc=False):
    """What places a line in the history, and what marks are made of."""

    time: TrueTime
    node: str
    incarnation: str
    sequence: int
    kind: str
    version: int | None = None


class Unreadable(Event, frozen=True):
    """Stands in the place of an event that cannot be read; nothing is known of it but when and by whom."""

    reason: str


@dataclass(slots=True)
class Lines(Sequence[Record]):
    """In history order, of one file for each node."""

    data: list[bytes | mmap] = field(default_factory=list)
    starts: list[array[int]] = field(default_factory=list)
    """of each file, where its lines begin"""
    lengths: list[array[int]] = field(default_factory=list)
    files: array[int] = field(default_factory=lambda: array("H"))
    """of each record, in which file it is"""
    numbers: array[int] = field(default_factory=lambda: array("I"))
    """and which line of that file"""

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> list[Record]: ...
    def __getitem__(self, place: int | slice) -> Record | list[Record]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        return record_of(self.line(place))

    def line(self, place: int) -> bytes:
        file, number = self.files[place], self.numbers[place]
        start = self.starts[file][number]
        return self.data[file][start : start + self.lengths[file][number]]

    def between(self, start: int, stop: int) -> Iterator[Record]:
        """The same as one after the other, and quicker."""
        data, starts, lengths = self.data, self.starts, self.lengths
        for file, number in zip(self.files[start:stop], self.numbers[start:stop], strict=True):
            at = starts[file][number]
            line = data[file][at : at + lengths[file][number]]
            try:
                record = from_line(line)
            except CodecError:
                record = record_of(line)
            yield record

    def close(self) -> None:
        for each in self.data:
            if isinstance(each, mmap):
                each.close()


def record_of(line: bytes) -> Record:
    try:
        return from_line(line)
    except CodecError as error:
        head = msgspec.json.decode(line, type=Head)
        return Record(head.time, head.node, head.incarnation, head.sequence, Unreadable(shortened(error)))
