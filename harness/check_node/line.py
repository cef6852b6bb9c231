"""The line to one process under trial. Nothing here ever waits for the process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final

from shaketable.harness.check_node.told import THE_LINE, Broken
from shaketable.harness.systems.dialogue import Cut
from shaketable.node.process import contract, control

READ_AT_ONCE: Final = 1 << 16


class Line:
    def __init__(self, node: str, ours: socket.socket, hear: Callable[[bytes], None]) -> None:
        """`hear` is given each line; Broken: it breaks the contract."""
        self._node = node
        self._socket = ours
        self._hear = hear
        self._cut = Cut(contract.LONGEST_LINE, contract.MOST_LINES)
        self._unsent = bytearray()
        self._open = True
        self.broken: Broken | None = None
        self.ended = False
        """all processes that had its other end have closed that, and what was said before is heard"""
        ours.setblocking(False)

    @property
    def unsent(self) -> int:
        """bytes that the process leaves unread"""
        return len(self._unsent)

    def listen(self) -> None:
        if self.broken is None and not self.ended:
            asyncio.get_running_loop().add_reader(self._socket, self._read)

    def turn_away(self) -> None:
        """Nothing that is said there is read."""
        asyncio.get_running_loop().remove_reader(self._socket)

    def say(self, data: bytes) -> None:
        self._unsent += data
        self._write()

    def hang_up(self) -> None:
        if self._open:
            self._open = False
            self.turn_away()
            self._forget_the_rest()
            self._socket.close()

    def _write(self) -> None:
        try:
            del self._unsent[: self._socket.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # what is wrong with the process is found by its end
            self._unsent.clear()
        if self._unsent:
            asyncio.get_running_loop().add_writer(self._socket, self._write)
        else:
            self._forget_the_rest()

    def _forget_the_rest(self) -> None:
        self._unsent.clear()
        asyncio.get_running_loop().remove_writer(self._socket)

    def _read(self) -> None:
        try:
            data = self._socket.recv(READ_AT_ONCE)
        except OSError:
            data = b""
        if not data:
            self.ended = True
            self.turn_away()
            return
        try:
            for line in self._cut.lines(data):
                self._hear(line)
        except Broken as broken:
            self.broken = broken
        except control.BrokenStream as broken:
            self.broken = Broken(f"{self._node} says {broken}", THE_LINE)
        if self.broken is not None:
            self.turn_away()
