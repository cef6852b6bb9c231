"""The relay of datagrams: each link has a port of its own, where what its sender sends comes in, is drawn for, and goes
on to the receiver. It is ours, as nothing else does so by a seed that both worlds share.

It runs in a thread of its own with a loop of its own: no datagram waits for what the harness has to do meanwhile, and
all of it ends with the harness. A caller from outside awaits that it is done."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from shaketable.harness.errors import UserError
from shaketable.harness.faults.datagrams import Datagrams, Tally
from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.faults.table import DatagramFault, Link, arrow
from shaketable.node.core.env import SECOND

T = TypeVar("T")

HOST: Final = "127.0.0.1"
LARGEST: Final = 1 << 16
ROOM: Final = 1 << 20
"""so many bytes may wait at one link; the kernel may give less"""


class Ports(NamedTuple):
    host: str
    listen: int
    upstream: int
    """the receiver's"""


class _LinkEnd:
    """Where the datagrams of one link come in, and from where they go on."""

    def __init__(self, link: Link, ports: Ports) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._upstream = HOST, ports.upstream
        try:
            self.socket.setblocking(False)
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
            self.socket.bind((ports.host, ports.listen))
        except OSError as error:
            self.socket.close()
            where = f"port {ports.listen} for the datagrams of link {arrow(link)}"
            raise UserError(f"{where} cannot be had: {error.strerror}") from error

    def receive(self) -> bytes | None:
        try:
            return self.socket.recv(LARGEST)
        except OSError:  # nothing is there after all
            return None

    def send(self, data: bytes) -> None:
        """Datagrams that the kernel has no room for are lost, as datagrams are."""
        with contextlib.suppress(OSError):
            self.socket.sendto(data, self._upstream)


class DatagramRelay:
    """All links of one run."""

    def __init__(self, seed: int, caught: Callable[[int, Link], None]) -> None:
        """`caught` is called in the relay's thread: this fault has come upon its first datagram, on this link."""
        self._faults = Datagrams(seed)
        self._caught = caught
        self._ends: dict[Link, _LinkEnd] = {}
        self._states: dict[Link, LinkState] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    async def open(self, ports: Mapping[Link, Ports]) -> None:
        """Those that are not open yet."""
        new = {link: each for link, each in ports.items() if link not in self._ends}
        if new:
            if self._loop is None:
                self._start()
            await self._in_thread(self._open(new))

    async def apply(self, states: Mapping[Link, LinkState]) -> None:
        """Before any link is open too."""
        if self._loop is None:
            self._states.update(states)
        else:
            await self._in_thread(self._apply(states))

    async def begin(self, number: int, fault: DatagramFault) -> None:
        closed = next((link for link in fault.links if link not in self._ends), None)
        if closed is not None:
            raise UserError(f"nothing is sent by datagrams over the link {arrow(closed)}")
        await self._in_thread(self._begin(number, fault))

    async def end(self, number: int) -> Tally:
        return await self._in_thread(self._end(number))

    def close(self) -> None:
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop = self._thread = None

    # In the thread

    def _start(self) -> None:
        loop = self._loop = asyncio.new_event_loop()

        self._thread = threading.Thread(target=self._run, args=(loop,), name="datagram-relay", daemon=True)
        self._thread.start()

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.run_forever()
        for end in self._ends.values():
            loop.remove_reader(end.socket)
            end.socket.close()
        loop.close()

    async def _in_thread(self, work: Coroutine[Any, Any, T]) -> T:
        assert self._loop is not None
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def _open(self, ports: Mapping[Link, Ports]) -> None:
        loop = asyncio.get_running_loop()
        for link, each in ports.items():
            end = self._ends[link] = _LinkEnd(link, each)
            loop.add_reader(end.socket, self._pass_on, loop, link, end)

    def _pass_on(self, loop: asyncio.AbstractEventLoop, link: Link, end: _LinkEnd) -> None:
        data = end.receive()
        if data is None:
            return
        fate = self._faults.fate(link, self._states.get(link, SOUND))
        for number in fate.caught_first:
            self._caught(number, link)
        for later in fate.arrivals:
            if later:
                loop.call_later(later / SECOND, end.send, data)
            else:
                end.send(data)

    async def _apply(self, states: Mapping[Link, LinkState]) -> None:
        self._states.update(states)

    async def _begin(self, number: int, fault: DatagramFault) -> None:
        self._faults.begin(number, fault)

    async def _end(self, number: int) -> Tally:
        return self._faults.end(number)
