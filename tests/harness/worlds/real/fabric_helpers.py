"""A receiver behind a link, a sender in front of it, and what the fabric said meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.waiting import HANG, until

from shaketable.harness.worlds.real.fabric import LinkFabric, LinkPorts, free_ports
from shaketable.harness.worlds.real.toxiproxy import Client

"""For what must happen; never waited for in full unless something is wrong."""

Make = Callable[[str], LinkFabric]
"""Makes a fabric for what `--toxiproxy` was given."""


@dataclass
class Told:
    """What the fabric said."""

    said: list[str] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


class Receiver:
    """What a link leads to: collects bytes, may answer, and counts connections."""

    def __init__(self) -> None:
        (self.port,) = free_ports(1)
        self.bytes = b""
        self.reads: list[tuple[float, int]] = []
        self.connections = 0
        self.open: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._collect, "127.0.0.1", self.port)

    async def _collect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open.append(writer)
        try:
            while data := await reader.read(65536):
                self.bytes += data
                self.reads.append((asyncio.get_running_loop().time(), len(data)))
        except ConnectionError:
            pass
        finally:
            self.open.remove(writer)
            writer.close()

    async def stop(self) -> None:
        if self._server:
            self._server.close()

        def gone() -> bool:
            """Again and again: one may just have been accepted."""
            for writer in self.open:
                writer.transport.abort()
            return not self.open

        await until(gone)


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    await receiver.start()
    try:
        yield receiver
    finally:
        await receiver.stop()


@dataclass
class Sender:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def ended(self) -> bool:
        """True for an end in good order, which is what FIN says; a reset raises."""
        return await asyncio.wait_for(self.reader.read(), HANG) == b""


async def connect(port: int) -> Sender:
    return Sender(*await asyncio.open_connection("127.0.0.1", port))


async def refused(port: int) -> bool:
    try:
        (await connect(port)).writer.close()
    except ConnectionRefusedError:
        return True
    return False


async def link_to(fabric: LinkFabric, port: int, name: str = "n1->n2") -> LinkPorts:
    link = LinkPorts(name, free_ports(1)[0], port)
    await fabric.open([link])
    return link


def client_of(fabric: LinkFabric) -> Client:
    """To look behind its back."""
    assert fabric._server is not None
    return fabric._server.client
