"""All that other members stream to this one: chunks in their order and once each, whatever came of the links.

A chunk out of order, twice or of an unknown stream is refused with an event, and answered: with how far the stream is,
or that no more of it is wanted. Of a stream that has just ended the last acknowledgement is sent again, for it may have
been lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Final

from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.streams.outgoing import HOW_FAR
from shaketable.node.core.env import Micros
from shaketable.node.events import ChunkArrived, ChunkRefused
from shaketable.node.messages import Chunk, ChunkReceived, Member, Part
from shaketable.node.why import Because, Why, because

MOST_ENDED: Final = 256
"""streams that are remembered"""


class Arriving:
    def __init__(self, sender: Member, done: Callable[[bytes], None]) -> None:
        self.sender = sender
        self.done = done
        self.data = BytesIO()
        """gives out what it has gathered without a copy: there may be much of it"""
        self.number = 0
        """of the last chunk that has come"""
        self.untold = 0
        """bytes that have come since the last acknowledgement"""


class Receiver:
    def __init__(self, state: PartitionState) -> None:
        self._state = state
        self._env = state.env
        self._arriving: dict[str, Arriving] = {}
        self._ended: dict[str, tuple[Member, int]] = {}
        """with the number of its last chunk; the oldest are forgotten"""
        self._came_at: dict[Member, Micros] = {}
        """the last chunk of each that was the next of its stream"""

    def expect(self, sender: Member, stream: str, done: Callable[[bytes], None]) -> None:
        self._ended.pop(stream, None)
        self._arriving[stream] = Arriving(sender, done)

    def knows(self, stream: str) -> bool:
        """It comes, or has come."""
        return stream in self._arriving or stream in self._ended

    def forget(self, stream: str) -> None:
        self._arriving.pop(stream, None)

    def members_left(self, members: Sequence[Member]) -> None:
        """Nobody will ever send the rest."""
        self._arriving = {name: found for name, found in self._arriving.items() if found.sender not in members}
        self._ended = {name: found for name, found in self._ended.items() if found[0] not in members}
        for member in members:
            self._came_at.pop(member, None)

    def came_at(self, sender: Member) -> Micros:
        return self._came_at.get(sender, 0)

    def receive(self, chunk: Chunk | Part) -> None:
        arriving = self._arriving.get(chunk.stream)
        if arriving is None or arriving.sender != chunk.sender:
            self._of_no_stream(chunk)
            return
        expected = arriving.number + 1
        if chunk.number == expected:
            self._take(arriving, chunk)
        elif chunk.number == HOW_FAR:
            self._answer(chunk, expected - 1)
        else:
            reason = because(Why.HAS_COME) if chunk.number < expected else because(Why.OUT_OF_ORDER, expected)
            self._refuse(chunk, reason)
            self._answer(chunk, expected - 1)

    def _take(self, arriving: Arriving, chunk: Chunk | Part) -> None:
        arriving.number = chunk.number
        self._came_at[chunk.sender] = self._env.now()
        arriving.data.write(chunk.data)
        arriving.untold += len(chunk.data)
        if chunk.with_next and not chunk.last:
            return
        if isinstance(chunk, Chunk):
            self._env.report(ChunkArrived(chunk.sender, chunk.stream, chunk.number, arriving.untold, chunk.last))
        arriving.untold = 0
        self._answer(chunk, chunk.number)
        if chunk.last:
            del self._arriving[chunk.stream]
            self._ended[chunk.stream] = (chunk.sender, chunk.number)
            if len(self._ended) > MOST_ENDED:
                del self._ended[next(iter(self._ended))]
            arriving.done(arriving.data.getvalue())

    def _of_no_stream(self, chunk: Chunk | Part) -> None:
        sender, number = self._ended.get(chunk.stream, (None, 0))
        if sender != chunk.sender:
            self._refuse(chunk, because(Why.UNKNOWN_STREAM))
            self._answer(chunk, 0, because(Why.UNKNOWN_STREAM))
            return
        if chunk.number != HOW_FAR:
            self._refuse(chunk, because(Why.STREAM_ENDED))
        self._answer(chunk, number)

    def _refuse(self, chunk: Chunk | Part, reason: Because) -> None:
        self._env.report(ChunkRefused(chunk.sender, chunk.stream, chunk.number, *reason))

    def _answer(self, chunk: Chunk | Part, number: int, refusal: Because | None = None) -> None:
        me = self._state.membership.me
        answer = ChunkReceived(me, chunk.sender.uuid, chunk.stream, number, refusal)
        self._state.send(chunk.sender.address, answer)
