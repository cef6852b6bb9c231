"""A recorded run is read in slices: first where each line is and when it happened, then the order of all.

Nothing but the head of each line is decoded here. The order is that of a history, exactly: by time, node, incarnation
and sequence. Each file holds one node's records, mostly in this order already; so files are merged window by window."""

from __future__ import annotations

import re
import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, count, islice, repeat
from mmap import ACCESS_READ, mmap
from operator import add, attrgetter, le
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.errors import shortened
from shaketable.tui.model.history.codes import Codes
from shaketable.tui.model.history.kinds import CODES, INSTALLED, UNKNOWN
from shaketable.tui.model.history.lines import Head, Lines

CHUNK: Final = 1 << 20
"""bytes that are read in one slice: some ten milliseconds' work"""
SAMPLE: Final = 500
WINDOW: Final = 16
"""samples of times in a window of the merge"""
INDEXED: Final = 0.6
"""how much of the work is done when all heads are read, and the rest is to be merged"""

_key: Final = attrgetter("time", "node", "incarnation", "sequence")
_told: Final = attrgetter("kind", "incarnation", "detail.client", "detail.outcome")
_node: Final = attrgetter("node")
_kind: Final = attrgetter("kind")
_time: Final = attrgetter("time")


class _Detail(msgspec.Struct, frozen=True, gc=False):
    client: str = ""
    outcome: str = ""


class _Entry(Head, frozen=True, gc=False):
    """A head, and what is known of a client's operation without decoding all of it."""

    detail: _Detail = _Detail()


def _extend(numbers: array[int], by: Sequence[int]) -> None:
    """Five times as quick as the array's own way."""
    numbers.frombytes(struct.pack(f"{len(by)}{numbers.typecode}", *by))


class _File:
    """One file as it is indexed."""

    def __init__(self, path: Path, codes: Codes) -> None:
        self.path = path
        self._code_of = codes
        with path.open("rb") as file:
            self.size = path.stat().st_size
            self.data: bytes | mmap = mmap(file.fileno(), 0, access=ACCESS_READ) if self.size else b""
        self.starts, self.lengths, self.times = array("Q"), array("I"), array("q")
        self.kinds = bytearray()
        self.codes = array("I")
        """of each line, see `codes`"""
        self.damaged = 0
        """lines that cannot be read"""
        self.views: dict[int, int] = {}
        """by line, the version of the list that it installs"""
        self.nodes: dict[str, bool] = {}
        self.sorted = True
        self._last: tuple[int, str, str, int] | None = None

    @property
    def node(self) -> str:
        return next(iter(self.nodes), "")

    def read(self, notes: list[str]) -> Iterator[int]:
        """Yields how many bytes of it are read."""
        at, number, decode = 0, 0, msgspec.json.Decoder(_Entry).decode_lines
        while at < self.size:
            end = self.data.find(b"\n", min(at + CHUNK, self.size))
            end = self.size if end < 0 else end + 1
            chunk = self.data[at:end]
            lines = chunk.split(b"\n")
            if not lines[-1]:
                lines.pop()
            try:
                heads: Sequence[Head] = decode(chunk)
                if len(heads) != len(lines):
                    raise ValueError
                codes = list(map(self._code_of.__getitem__, map(_told, heads)))
                starts = list(map(add, accumulate(map(len, lines[:-1]), initial=at), count()))
            except (ValueError, RecursionError):
                heads, starts, lines = self._one_by_one(lines, at, number, notes, end == self.size)
                codes = [0] * len(heads)
            self._take(heads, starts, lines)
            _extend(self.codes, codes)
            number += len(lines)
            at = end
            yield at

    def _one_by_one(
        self, lines: list[bytes], at: int, number: int, notes: list[str], last: bool
    ) -> tuple[list[Head], list[int], list[bytes]]:
        """Where some are none: those are left out, and that is said."""
        heads, starts, good = [], [], []
        for nth, line in enumerate(lines, 1):
            try:
                heads.append(msgspec.json.decode(line, type=Head))
                starts.append(at)
                good.append(line)
            except (ValueError, RecursionError) as error:
                self.damaged += 1
                if last and nth == len(lines) and self.data[self.size - 1 :] != b"\n":
                    notes.append(f"{self.path} ends within line {number + nth}: that event is lost")
                else:
                    notes.append(
                        f"{self.path} line {number + nth} is no line of a history, and left out: {shortened(error)}"
                    )
            at += len(line) + 1
        return heads, starts, good

    def _take(self, heads: Sequence[Head], starts: list[int], lines: list[bytes]) -> None:
        if not heads:
            return
        keys = list(map(_key, heads))
        if self._last is not None and self._last > keys[0]:
            self.sorted = False
        self.sorted = self.sorted and all(map(le, keys, islice(keys, 1, None)))
        self._last = keys[-1]
        self.nodes.update(dict.fromkeys(map(_node, heads), True))
        kinds = bytes(map(CODES.get, map(_kind, heads), repeat(UNKNOWN)))
        for found in re.finditer(re.escape(bytes((INSTALLED,))), kinds):
            self.views[len(self.kinds) + found.start()] = heads[found.start()].version or 0
        _extend(self.starts, starts)
        _extend(self.lengths, list(map(len, lines)))
        _extend(self.times, list(map(_time, heads)))
        self.kinds += kinds

    def keys(self) -> list[tuple[int, str, str, int]]:
        """Read once more: wanted only where they are not in order."""
        ends = map(sum, zip(self.starts, self.lengths, strict=True))
        head = msgspec.json.Decoder(Head).decode
        return [_key(head(self.data[a:b])) for a, b in zip(self.starts, ends, strict=True)]

    def sort(self) -> None:
        keys = self.keys()
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self.views = {new: self.views[old] for new, old in enumerate(order) if old in self.views}
        self.starts = array("Q", map(self.starts.__getitem__, order))
        self.lengths = array("I", map(self.lengths.__getitem__, order))
        self.times = array("q", map(self.times.__getitem__, order))
        self.kinds = bytearray(map(self.kinds.__getitem__, order))
        self.codes = array("I", map(self.codes.__getitem__, order))


class Index:
    """Of a whole run, once `read` has come to its end."""

    def __init__(self, paths: list[Path]) -> None:
        codes = Codes()
        self.files = [_File(path, codes) for path in paths]
        self.bytes = sum(file.size for file in self.files)
        self.notes: list[str] = []
        self.lines = Lines()
        self.times = array("q")
        self.kinds = bytearray()
        self.codes = array("I")
        """of each record, see `codes`; empty where the files are not as we write them"""
        self.nodes = array("H")
        """of each record, which of `names` has told it"""
        self.names: list[str] = []

    def read(self) -> Iterator[float]:
        """Yields between two slices of work, with how much is done."""
        done = 0
        for file in self.files:
            for at in file.read(self.notes):
                yield INDEXED * (done + at) / self.bytes
            done += file.size
            if not file.sorted and len(file.nodes) == 1:
                file.sort()
        told = sorted((file for file in self.files if file.nodes), key=lambda file: file.node)
        unknown = sum(file.kinds.count(UNKNOWN) for file in told)
        if unknown:
            self.notes.append(f"{unknown} events are of kinds that are not known here: they stand as unreadable")
        self.lines.data = [file.data for file in told]
        self.lines.starts = [file.starts for file in told]
        self.lines.lengths = [file.lengths for file in told]
        self.names = sorted({name: True for file in told for name in file.nodes})
        if len(self.names) == len(told) and all(len(file.nodes) == 1 for file in told):
            for part in self._merge(told):
                yield INDEXED + (1 - INDEXED) * part
        else:
            self._sort_whole(told)
        yield 1.0

    def view(self, place: int) -> int:
        """The version of the list that is installed there."""
        return self._views[self.lines.files[place]][self.lines.numbers[place]]

    def _merge(self, told: list[_File]) -> Iterator[float]:
        self._views = [file.views for file in told]
        samples = sorted(time for file in told for time in file.times[::SAMPLE])
        borders = [*samples[WINDOW::WINDOW], None]
        total, begins = sum(len(file.times) for file in told), [0] * len(told)
        for border in borders:
            times, files, numbers, kinds, codes = array("q"), array("H"), array("I"), bytearray(), array("I")
            for which, (file, begin) in enumerate(zip(told, begins, strict=True)):
                end = len(file.times) if border is None else bisect_left(file.times, border, begin)
                times += file.times[begin:end]
                kinds += file.kinds[begin:end]
                codes += file.codes[begin:end]
                files += array("H", [which]) * (end - begin)
                _extend(numbers, range(begin, end))
                begins[which] = end
            # Files stand in the order of their nodes, and a sort leaves what is equal in its order.
            values = times.tolist()
            order = sorted(range(len(values)), key=values.__getitem__)
            _extend(self.times, sorted(values))
            self.kinds += bytes(map(kinds.__getitem__, order))
            _extend(self.codes, list(map(codes.tolist().__getitem__, order)))
            _extend(self.lines.files, list(map(files.tolist().__getitem__, order)))
            _extend(self.lines.numbers, list(map(numbers.tolist().__getitem__, order)))
            yield len(self.times) / total if total else 1.0
        self.nodes = self.lines.files

    def _sort_whole(self, told: list[_File]) -> None:
        """A file with several nodes, or a node with several files: nobody writes such, but they can be read."""
        self._views = [file.views for file in told]
        keys = [(key, which, number) for which, file in enumerate(told) for number, key in enumerate(file.keys())]
        keys.sort()
        code = {name: number for number, name in enumerate(self.names)}
        for key, which, number in keys:
            self.times.append(key[0])
            self.nodes.append(code[key[1]])
            self.lines.files.append(which)
            self.lines.numbers.append(number)
            self.kinds.append(told[which].kinds[number])
