"""One proxy of the built-in relay: a port that listens, the connections through it and the toxics on them."""

import asyncio
from typing import Any

from shaketable.harness.worlds.real.relay_stream import Stream, Toxic

DIRECTIONS = ("upstream", "downstream")


class Connection:
    """Ends as a whole: when one direction has ended, so has the other."""

    def __init__(self, chains: dict[str, list[Toxic]], reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._chains = chains
        self._reader = reader
        self._ends = [writer]
        self._dropped = False
        self.streams: dict[str, Stream] = {}

    async def run(self, host: str, port: int) -> None:
        try:
            # A dead upstream is met only now: whoever connected sees a connection that closes at once.
            reader, writer = await asyncio.open_connection(host, port)
            self._ends.append(writer)
            if self._dropped:
                return
            self.streams = {
                "upstream": Stream(self._chains["upstream"], self._reader, writer),
                "downstream": Stream(self._chains["downstream"], reader, self._ends[0]),
            }
            runs = [asyncio.create_task(stream.run()) for stream in self.streams.values()]
            await asyncio.wait(runs, return_when=asyncio.FIRST_COMPLETED)
            for run in runs:
                run.cancel()
            await asyncio.wait(runs)
        except OSError:
            pass
        finally:
            for end in self._ends:
                end.close()

    def drop(self) -> None:
        """At once, with all that is on its way. The peers see FIN (RST if they sent what nobody has read)."""
        self._dropped = True
        for end in self._ends:
            end.transport.abort()


class Proxy:
    def __init__(self, name: str, listen: str, upstream: str) -> None:
        self.name = name
        self.listen = listen
        self.upstream = upstream
        self.toxics: list[Toxic] = []
        self._chains: dict[str, list[Toxic]] = {direction: [] for direction in DIRECTIONS}
        self._server: asyncio.Server | None = None
        self._connections: set[Connection] = set()

    @property
    def enabled(self) -> bool:
        return self._server is not None

    async def enable(self) -> None:
        if self._server is None:
            host, port = _address(self.listen)
            self._server = await asyncio.start_server(self._accept, host, port, backlog=1024)
            port = self._server.sockets[0].getsockname()[1]
            self.listen = f"{host}:{port}"

    def disable(self) -> None:
        if self._server:
            self._server.close()
            self._server = None
        for connection in self._connections:
            connection.drop()

    def add(self, toxic: Toxic) -> None:
        self.toxics.append(toxic)
        self._chains[toxic.stream].append(toxic)
        self.changed(toxic.stream)

    def remove(self, toxic: Toxic) -> None:
        self.toxics.remove(toxic)
        self._chains[toxic.stream].remove(toxic)
        if toxic.type == "timeout":
            # As the real server does: what was swallowed would be missing in the middle.
            for connection in self._connections:
                connection.drop()
        self.changed(toxic.stream)

    def changed(self, direction: str) -> None:
        for connection in self._connections:
            if stream := connection.streams.get(direction):
                stream.changed()

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "listen": self.listen,
            "upstream": self.upstream,
            "enabled": self.enabled,
            "Logger": {},
            "toxics": [toxic_as_json(toxic) for toxic in self.toxics],
        }

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(self._chains, reader, writer)
        if not self.enabled:
            connection.drop()  # accepted by the kernel just before the port closed
            return
        self._connections.add(connection)
        try:
            await connection.run(*_address(self.upstream))
        finally:
            self._connections.discard(connection)


def toxic_as_json(toxic: Toxic) -> dict[str, Any]:
    whole = toxic.toxicity == int(toxic.toxicity)
    return {
        "attributes": toxic.attributes,
        "name": toxic.name,
        "type": toxic.type,
        "stream": toxic.stream,
        "toxicity": int(toxic.toxicity) if whole else toxic.toxicity,
    }


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise OSError(f"address {text}: no host:port")
    return host or "127.0.0.1", int(port)
