"""Two members of which the first streams to the second, and what became of it."""

from __future__ import annotations

import random
from typing import Any

from tests.node.cluster.partition.members_on_wires import Nodes

from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.config import DEFAULT, Settings
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import ChunkRefused
from shaketable.node.messages import Chunk, ChunkReceived, Message


class Pair(Nodes):
    """The first streams to the second."""

    def __init__(self, base: Settings = DEFAULT, **changed: Any) -> None:
        super().__init__(2, base, **changed)
        self.streams = [Streams(node.state, of=Chunk) for node in self.nodes]
        for node, streams in zip(self.nodes, self.streams, strict=True):
            node.handle = lambda message, streams=streams: _hand(streams, message)  # type: ignore[misc]
        self.sender, self.receiver = self.streams
        self.there, self.back = self.wire(0, 1), self.wire(1, 0)
        self.ended: list[tuple[str, bool, str]] = []
        self.got: list[tuple[str, bytes]] = []

    def send(self, name: str, data: bytes) -> None:
        self.sender.send(self.members[1], name, data, lambda done, why: self.ended.append((name, done, str(why or ""))))

    def expect(self, name: str) -> None:
        self.receiver.expect(self.members[0], name, lambda data: self.got.append((name, data)))

    def both(self, name: str, data: bytes) -> None:
        self.expect(name)
        self.send(name, data)

    def run(self, time: Micros = 3600 * SECOND) -> None:
        self.world.run(time)

    def until_ended(self, count: int = 1, time: Micros = 3600 * SECOND) -> None:
        self.world.run(time, lambda: len(self.ended) == count)

    @property
    def chunks(self) -> list[Chunk]:
        """As they left, without questions how far the stream is."""
        return [m for _, m in self.nodes[0].sent if isinstance(m, Chunk) and m.number]

    def refusals(self) -> list[str]:
        return [event.reason for event in self.nodes[1].events if isinstance(event, ChunkRefused)]


def _hand(streams: Streams, message: Message) -> None:
    if isinstance(message, Chunk):
        streams.on_chunk(message)
    elif isinstance(message, ChunkReceived):
        streams.on_chunk_received(message)


def data_of(size: int) -> bytes:
    return random.Random(size).randbytes(size)
