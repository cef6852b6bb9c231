"""What the engine says to the reader of its pipe: words at once, records as fast as they are taken and no faster.

Records that nobody has taken yet wait in the history, where they are anyway, so a slow reader costs no memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from shaketable.harness.history import codec
from shaketable.harness.records import Record
from shaketable.tui.engine.protocol import EVENTS, Word, frame_of, framed

ENOUGH: Final = 512 * 1024
"""bytes that wait in the pipe's own buffer: then no more records are put into it"""
A_FRAME: Final = 250
"""records: the reader looks at its clock between two frames"""
BEHIND: Final = 5_000
"""records: a simulation waits for a reader that is so far behind"""


class Outlet:
    def __init__(self, transport: asyncio.WriteTransport, records: Sequence[Record]) -> None:
        self._transport = transport
        self._records = records
        self._sent = 0

    @property
    def behind(self) -> bool:
        return len(self._records) - self._sent > BEHIND

    def say(self, word: Word) -> None:
        """After all that has happened before it, unless the reader is too far behind for that."""
        self.pass_on()
        self._write(framed(word))

    def pass_on(self) -> None:
        while self._sent < len(self._records) and self._transport.get_write_buffer_size() < ENOUGH:
            some = self._records[self._sent : self._sent + A_FRAME]
            self._sent += len(some)
            self._write(frame_of(EVENTS, codec.to_lines(some)))

    def write(self, frame: bytes) -> None:
        self.pass_on()
        self._write(frame)

    async def drained(self) -> None:
        """All has been handed to the system, or the reader has gone."""
        while not self._transport.is_closing():
            self.pass_on()
            if self._sent == len(self._records) and not self._transport.get_write_buffer_size():
                return
            await asyncio.sleep(0.01)

    def _write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)


class _Writing(asyncio.BaseProtocol):
    def connection_lost(self, _: Exception | None) -> None:
        """The reader has gone: what that means is for the other pipe to say."""


async def writing_to(file: Any) -> asyncio.WriteTransport:
    transport, _ = await asyncio.get_running_loop().connect_write_pipe(_Writing, file)
    transport.set_write_buffer_limits(high=2 * ENOUGH)
    return transport


class Reading(asyncio.Protocol):
    """Hands on what comes through a pipe, and its end."""

    def __init__(self, heard: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._heard = heard
        self._ended = ended

    def data_received(self, data: bytes) -> None:
        self._heard(data)

    def connection_lost(self, _: Exception | None) -> None:
        self._ended()
