"""How the harness talks to one process of a member: orders become bytes, and bytes become what it says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import msgspec

from shaketable.node.core.env import Micros
from shaketable.node.events import Event
from shaketable.node.messages import Uuid
from shaketable.node.process import control


class BrokenAfter(control.BrokenStream):
    """A member that says what no member says, after these: what it had said until then is good."""

    def __init__(self, why: str, said: Sequence[control.Said]) -> None:
        super().__init__(why)
        self.said = said


class Dialogue(Protocol):
    """With one process, from its first word after `Ready` on. It does no I/O and has no clock."""

    def order(self, order: control.Order) -> tuple[bytes, Sequence[control.Said]]:
        """What to send, and what is answered at once: a refusal of what such a member cannot do."""

    def heard(self, data: bytes) -> Sequence[control.Said]:
        """What these bytes say, with what was left over from before. `control.BrokenStream`: no member says that;
        `BrokenAfter`, where something good came before it."""

    def ended(self) -> Sequence[control.Said]:
        """The line has ended: what was still held back."""

    def take_troubles(self) -> Sequence[str]:
        """What of it cannot be understood, since this was asked last: the run is unknown."""


class Records:
    """The forms of control.py as they are, in MessagePack: how our own nodes talk."""

    def __init__(self) -> None:
        self._splitter = control.Splitter()

    def order(self, order: control.Order) -> tuple[bytes, Sequence[control.Said]]:
        return control.encode_record(order), ()

    def heard(self, data: bytes) -> Sequence[control.Said]:
        try:
            return [control.said_decoder.decode(body) for body in self._splitter.feed(data)]
        except (msgspec.MsgspecError, RecursionError) as error:
            raise control.BrokenStream(str(error)) from error

    def ended(self) -> Sequence[control.Said]:
        return ()

    def take_troubles(self) -> Sequence[str]:
        return ()


class Cut:
    """Bytes, cut into lines."""

    def __init__(self, longest: int, most: int | None) -> None:
        """`longest`: bytes of a line. `most`: lines in all; None: however many."""
        self._longest, self._most = longest, most
        self._lines = 0
        self._rest = bytearray()

    def lines(self, data: bytes) -> Iterator[bytes]:
        """Those that these bytes end. `control.BrokenStream`: it is too long, or there are too many."""
        self._rest += data
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            self._lines += 1
            if self._most is not None and self._lines > self._most:
                raise control.BrokenStream(f"more than {self._most:,} lines")
            self._check_length(line)
            yield bytes(line)
        self._check_length(self._rest)

    def _check_length(self, line: bytearray) -> None:
        if len(line) > self._longest:
            raise control.BrokenStream(f"a line of more than {self._longest:,} bytes")


class Lines(ABC):
    """What a program says that tells in lines: cut apart, its events numbered."""

    longest: int = control.LARGEST_RECORD
    """bytes of a line"""
    most: int | None = None
    """lines of a process"""

    def __init__(self) -> None:
        self._cut = Cut(self.longest, self.most)
        self._sequence = 0
        self._troubles: list[str] = []

    @abstractmethod
    def hear(self, line: bytes) -> Iterable[control.Said]:
        """`control.BrokenStream`: no member says that."""

    def heard(self, data: bytes) -> list[control.Said]:
        heard: list[control.Said] = []
        try:
            for line in self._cut.lines(data):
                heard += self.hear(line)
        except control.BrokenStream as broken:
            raise BrokenAfter(str(broken), heard) from broken
        return heard

    def ended(self) -> list[control.Said]:
        return []

    def reported(self, time: Micros, incarnation: Uuid, event: Event) -> control.Reported:
        self._sequence += 1
        return control.Reported(time, incarnation, self._sequence, control.raw_event(event))

    def trouble(self, what: str) -> None:
        self._troubles.append(what)

    def take_troubles(self) -> list[str]:
        troubles, self._troubles = self._troubles, []
        return troubles
