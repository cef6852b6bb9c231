"""The node's end of its control socket: a plain stream socket that no fault touches.

A record given to `say` is in the kernel's buffer before `say` returns, so it survives a SIGKILL of this process. If the
harness is far behind, the rest is kept here, and the node does not block. If the harness is lost, the node ends."""

from __future__ import annotations

import asyncio
import select
import socket
from collections import deque
from collections.abc import Callable
from typing import Final

from shaketable.node.process.control import NotUnderstood, Order, Records, Said, Spoken

MOST_UNSENT: Final = 64 << 20


class Line:
    def __init__(self, to: str | int, lost: Callable[[], None], spoken: Spoken | None = None) -> None:
        """`to`: the path of a socket, or the number of one that is connected. `spoken`: how, by default in records."""
        self._lost = lost
        fileno = to if isinstance(to, int) else None
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=fileno)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        if isinstance(to, str):
            self._socket.connect(to)
        self._socket.setblocking(False)
        self._spoken = spoken or Records()
        self._unsent = bytearray()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.orders: deque[Order | NotUnderstood] = deque()
        """what has come and was not looked at yet"""

    def attach(self, loop: asyncio.AbstractEventLoop, come: Callable[[], None]) -> None:
        """From now on the loop calls `come` when there are orders."""
        self._loop = loop

        def readable() -> None:
            self._read()
            come()

        loop.add_reader(self._socket.fileno(), readable)

    def say(self, *forms: Said) -> None:
        """One or several, in one write."""
        data = self._spoken.encode(forms)
        if not self._unsent:
            data = data[self._write(data) :]
            if data and self._loop is not None:
                self._loop.add_writer(self._socket.fileno(), self._write_on)
        self._unsent += data
        if len(self._unsent) > MOST_UNSENT:
            self._lost()

    def wait(self, limit: float | None = None) -> None:
        """Blocks until orders come or the limit (in seconds) has passed; nothing else goes on meanwhile."""
        happened = self._poll(select.POLLIN | (select.POLLOUT if self._unsent else 0), limit)
        if happened & select.POLLOUT:
            self._write_on()
        if happened & ~select.POLLOUT:
            self._read()

    def flush(self, limit: float) -> None:
        """The last words of a process; blocks for them at most so long."""
        while self._unsent and self._poll(select.POLLOUT, limit):
            self._write_on()

    def _poll(self, events: int, limit: float | None) -> int:
        """What of it can be done without waiting. Not by `select`, which raises for descriptors from 1024 on."""
        poll = select.poll()
        poll.register(self._socket, events)
        return sum(happened for _, happened in poll.poll(None if limit is None else 1000 * limit))

    def _write(self, data: bytes | bytearray) -> int:
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            self._lost()
            return len(data)

    def _write_on(self) -> None:
        del self._unsent[: self._write(self._unsent)]
        if not self._unsent and self._loop is not None:
            self._loop.remove_writer(self._socket.fileno())

    def _read(self) -> None:
        try:
            data = self._socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._lost()
            return
        self.orders.extend(self._spoken.feed(data))
