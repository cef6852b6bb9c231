"""One direction of one connection through the built-in relay, and what its toxics do to the bytes.

A reader takes chunks in and notes when they came, a writer hands them out when they are due; both look at the toxics
as they are at that moment. So a change takes effect at once, and nothing has to be moved out of the way first."""

import asyncio
import random
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

CHUNK = 32 * 1024
HELD_BY_LATENCY = 1024
"""chunks; other toxics hold back one at a time, and the kernel the rest"""


@dataclass(slots=True)
class Toxic:
    name: str
    type: str
    stream: str
    toxicity: float = 1.0
    attributes: dict[str, int] = field(default_factory=dict)


class Stream:
    def __init__(self, toxics: list[Toxic], source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        """`toxics` is the proxy's own list for this direction; it tells us of changes by `changed`."""
        self._toxics = toxics
        self._source = source
        self._to = to
        self._held: deque[tuple[float, float, bytes]] = deque()
        self._ended = False
        self._writing = False
        self._something = asyncio.Event()
        self._room = asyncio.Event()
        self._idle: asyncio.TimerHandle | None = None
        self._awake: list[Toxic] = []
        self.changed()

    def changed(self) -> None:
        """Toxicity is a draw for each connection, taken when a toxic comes or changes."""
        self._awake = [toxic for toxic in self._toxics if random.random() < toxic.toxicity]
        self._something.set()
        self._room.set()
        self._watch_idle()

    async def run(self) -> None:
        """Until the source has ended and all that was held is handed out."""
        reading = asyncio.create_task(self._read())
        try:
            await self._write()
        finally:
            reading.cancel()
            if self._idle:
                self._idle.cancel()

    # -- in

    async def _read(self) -> None:
        try:
            while data := await self._source.read(CHUNK):
                self._watch_idle()
                if self._awake and self._awake[0].type == "timeout":
                    continue
                if not self._awake and not self._held and not self._writing:
                    self._to.write(data)
                    await self._to.drain()
                    continue
                while len(self._held) >= (HELD_BY_LATENCY if self._first("latency") else 1):
                    self._room.clear()
                    await self._room.wait()
                self._held.append((_now(), random.uniform(-1, 1), data))
                self._something.set()
        except OSError:
            pass  # reset by its peer: an end like any other
        finally:
            self._ended = True
            self._something.set()

    def _watch_idle(self) -> None:
        """A timeout of more than 0 closes the connection after that long without data."""
        if self._idle:
            self._idle.cancel()
        toxic = self._first("timeout")
        if toxic and toxic.attributes["timeout"] > 0:
            delay = toxic.attributes["timeout"] / 1000
            self._idle = asyncio.get_running_loop().call_later(delay, self._source.feed_eof)

    # -- out

    async def _write(self) -> None:
        with suppress(OSError):
            while True:
                while not self._held:
                    if self._ended:
                        return
                    await self._pause(None)
                self._writing = True
                await self._until_due()
                data = self._held.popleft()[2]
                self._room.set()
                # A black hole at the head of the chain lets go what had passed it before.
                if not any(toxic.type == "timeout" for toxic in self._awake[1:]):
                    for piece in self._cut_up(data):
                        await self._send(piece)
                self._writing = False

    async def _until_due(self) -> None:
        arrived, luck, _ = self._held[0]
        while toxic := self._first("latency"):
            due = arrived + (toxic.attributes["latency"] + luck * toxic.attributes["jitter"]) / 1000
            if due <= _now():
                return
            await self._pause(due)

    def _cut_up(self, data: bytes) -> list[bytes]:
        toxic = self._first("slicer")
        if toxic is None:
            return [data]
        average, variation = toxic.attributes["average_size"], toxic.attributes["size_variation"]
        pieces, at = [], 0
        while at < len(data):
            size = max(1, average + random.randint(-variation, variation))
            pieces.append(data[at : at + size])
            at += size
        return pieces

    async def _send(self, piece: bytes) -> None:
        rest = piece
        while rest:
            portion = rest
            began = _now()
            while toxic := self._first("bandwidth"):
                rate = toxic.attributes["rate"]  # KB/s, which is bytes a millisecond
                portion = rest[: rate * 100] if rate else rest
                due = began + len(portion) / rate / 1000 if rate else None
                if due is not None and due <= _now():
                    break
                await self._pause(due)
            else:
                portion = rest
            self._to.write(portion)
            await self._to.drain()
            rest = rest[len(portion) :]
        began = _now()
        while toxic := self._first("slicer"):
            due = began + toxic.attributes["delay"] / 1_000_000
            if due <= _now():
                return
            await self._pause(due)

    def _first(self, kind: str) -> Toxic | None:
        return next((toxic for toxic in self._awake if toxic.type == kind), None)

    async def _pause(self, until: float | None) -> None:
        """Until then, or until something changed."""
        self._something.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await self._something.wait()


def _now() -> float:
    return asyncio.get_running_loop().time()
