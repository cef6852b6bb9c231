"""A transport with ears, a tiny TCP proxy in front of it, and tests that are coroutines."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

from tests.waiting import HANG

from shaketable.harness.worlds.real.ports import free_ports
from shaketable.node.events import Event
from shaketable.node.messages import Address, LeaveRequest, Member, Message
from shaketable.node.process.transport import Self, Transport
from shaketable.node.shaking.shell import Sent

A, B = "127.0.0.1:5701", "127.0.0.1:5702"
TOKEN = b"t" * 16
INTERVAL = 50_000


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), 2 * HANG))

    return run


def message(n: int, sender: Address = A) -> Message:
    return LeaveRequest(Member(sender, "uuid"), n)


def sent(n: int) -> Sent:
    return message(n), 0


class Ears:
    """What a transport tells its node."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.links: list[tuple[Address, bool]] = []
        self.events: list[Event] = []
        self.probes: list[tuple[int, Address]] = []

    @property
    def numbers(self) -> list[int]:
        return [m.request for m in self.messages if isinstance(m, LeaveRequest)]

    def received(self, message: Message, mark: int) -> None:
        self.messages.append(message)

    def link_changed(self, to: Address, up: bool) -> None:
        self.links.append((to, up))

    def report(self, event: Event) -> None:
        self.events.append(event)

    def probe_heard(self, nonce: int, sender: Address, sent: int, heard: int) -> None:
        assert heard >= sent
        self.probes.append((nonce, sender))


@asynccontextmanager
async def transport(
    address: Address, *, token: bytes = TOKEN, process: int = 0, port: int | None = None, interval: int = INTERVAL
) -> AsyncIterator[tuple[Transport, Ears, int]]:
    """Bound, unless the port is 0."""
    ears = Ears()
    made = Transport(Self(address, process, token, interval, frozenset((A, B))), ears, asyncio.get_running_loop())
    port = free_ports(1)[0] if port is None else port
    try:
        if port:
            made.bind(port)
        yield made, ears, port
    finally:
        made.close()


class Proxy:
    """Passes bytes to `upstream`, swallows them, or refuses connections."""

    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        (self.port,) = free_ports(1)
        self.swallows = False
        self.connections = 0
        self._server: asyncio.Server | None = None
        self._open: list[asyncio.StreamWriter] = []
        self._passing: set[asyncio.Task[None]] = set()

    async def accept(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)

    async def refuse(self) -> None:
        """Connections drop, new ones are refused."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.drop()

    def drop(self) -> None:
        for writer in self._open:
            writer.transport.abort()
        self._open.clear()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open.append(writer)
        try:
            upstream_reader, upstream_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        except OSError:
            writer.close()
            return
        self._open.append(upstream_writer)
        await asyncio.gather(self._pass(reader, upstream_writer, True), self._pass(upstream_reader, writer, False))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, forth: bool) -> None:
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                if not (forth and self.swallows):
                    writer.write(data)
        writer.close()


@asynccontextmanager
async def proxy(upstream: int) -> AsyncIterator[Proxy]:
    made = Proxy(upstream)
    await made.accept()
    try:
        yield made
    finally:
        await made.refuse()
