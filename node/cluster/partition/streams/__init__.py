"""Streams of bytes between two members, in acknowledged chunks.

For the data of migrations, for those that mend a backup, and for large values (`parts.py`); from the text on avoiding
data loss on migration, where the data of a partition travel from its owner. `pace.py` says how much may be under way on
a link at once.

The name of a stream is used once only: whoever starts over takes another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.streams.outgoing import Link
from shaketable.node.cluster.partition.streams.receiving import Receiver
from shaketable.node.core.env import Micros
from shaketable.node.events import ChunkRefused
from shaketable.node.messages import Address, Chunk, ChunkReceived, Member, Part
from shaketable.node.why import Because, Why, because


class Streams:
    """Both ends. Neither is ever asked to send to itself."""

    def __init__(self, state: PartitionState, *, of: type[Chunk | Part]) -> None:
        self._state = state
        self._of = of
        self._links: dict[Member, Link] = {}
        self._receiver = Receiver(state)

    # The sender's end

    def send(self, to: Member, stream: str, data: bytes, done: Callable[[bool, Because | None], None]) -> None:
        """`done(True, None)` when the last chunk is acknowledged, `done(False, reason)` when the receiver wants no more
        or has left the list; never before this has returned. Streams to one member go one after the other."""
        if not self._state.membership.is_member(to):
            self._state.env.call_later(0, lambda: done(False, because(Why.RECEIVER_NO_MEMBER)))
            return
        if to not in self._links:
            self._links[to] = Link(self._state, to=to, of=self._of)
        self._links[to].add(stream, data, done)

    def cancel(self, stream: str) -> None:
        """Given up, whether or not it has begun; nobody is told."""
        for link in self._links.values():
            link.cancel(stream)

    def on_chunk_received(self, message: ChunkReceived) -> None:
        link = self._links.get(message.sender)
        if link is not None and not self.refusal(message):
            link.acknowledged(message)

    def link_up(self, to: Address) -> None:
        """My link there is up again: what was under way on it may be lost, and is asked about at once."""
        for member, link in self._links.items():
            if member.address == to:
                link.is_up()

    # The receiver's end

    def expect(self, sender: Member, stream: str, done: Callable[[bytes], None]) -> None:
        """`done` with all the data, once, after the last chunk is acknowledged."""
        self._receiver.expect(sender, stream, done)

    def knows(self, stream: str) -> bool:
        """It comes to me, or has come."""
        return self._receiver.knows(stream)

    def forget(self, stream: str) -> None:
        """No more of it is wanted; its sender learns that by the next chunk."""
        self._receiver.forget(stream)

    def came_at(self, sender: Member) -> Micros:
        """When it last got on with any of its streams to me; 0 if it never has. They go one after the other, so one
        that does not begin yet is not stuck while another one goes on."""
        return self._receiver.came_at(sender)

    def on_chunk(self, message: Chunk | Part) -> None:
        if refusal := self.refusal(message):
            self._state.env.report(ChunkRefused(message.sender, message.stream, message.number, *refusal))
        else:
            self._receiver.receive(message)

    def refusal(self, message: Chunk | Part | ChunkReceived) -> Because | None:
        """Why I do not answer: the message is for another identity, or comes from a stranger."""
        if elsewhere := self._state.not_mine(message.target):
            return elsewhere
        return None if self._state.membership.is_member(message.sender) else because(Why.SENT_BY_A_STRANGER)

    def members_changed(self, removed: Sequence[Member]) -> None:
        gone = [link for member in removed if (link := self._links.pop(member, None)) is not None]
        self._receiver.members_left(removed)
        for link in gone:
            link.has_left()
