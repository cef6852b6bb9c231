"""Messages with a value that is larger than a chunk: they travel in parts, so that no heartbeat waits behind them.

From rulings 3.11. They go one after the other to each member, in streams of their own that no migration holds up. Such
a message counts when all of it has come. If that fails it is lost like any other message, and its asker asks again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.events import ChunkRefused
from shaketable.node.messages import (
    Address,
    Backup,
    ChunkReceived,
    MalformedMessage,
    Member,
    Message,
    OperationAnswer,
    Part,
    Uuid,
    decode,
    encode,
)
from shaketable.node.why import Because, Why, because


class Large(NamedTuple):
    """A message that waits, or is on its way."""

    message: Message
    request: int
    asks: bool
    """else it answers that request"""


class Parts:
    def __init__(self, state: PartitionState, *, handle: Callable[[Message], None]) -> None:
        self._state = state
        self._handle = handle
        self._streams = Streams(state, of=Part)
        self._waiting: dict[Member, deque[Large]] = {}
        """by receiver; the first is on its way"""
        self._coming: dict[Member, str] = {}
        """by sender, its last stream"""
        self._count = 0

    # The sender's side

    def under_way(self, to: Member) -> bool:
        """A message that is not to overtake those has to wait behind them."""
        return to in self._waiting if self._waiting else False  # to hash a member takes long

    def bring_a_write(self, to: Uuid, partition: int) -> bool:
        member = self._state.member(to)
        return member in self._waiting and any(
            isinstance(each.message, Backup) and each.message.partition == partition for each in self._waiting[member]
        )

    def ask(self, to: Address, request: int, message: Callable[[int], Message]) -> None:
        """Not again while it is on its way."""
        if to == self._state.membership.me.address:
            self._state.send(to, message(request))
        elif (member := self._member(to)) is not None and not self._waits(member, request, asks=True):
            self._add(member, Large(message(request), request, True))

    def answer(self, to: Address, message: OperationAnswer) -> None:
        if to == self._state.membership.me.address:
            self._state.send(to, message)
        elif (member := self._member(to)) is not None and not self._waits(member, message.request, asks=False):
            self._add(member, Large(message, message.request, False))

    def _member(self, address: Address) -> Member | None:
        return next((member for member in self._state.membership.view.members if member.address == address), None)

    def _waits(self, to: Member, request: int, *, asks: bool) -> bool:
        return any(each.request == request and each.asks == asks for each in self._waiting.get(to, ()))

    def _add(self, to: Member, large: Large) -> None:
        waiting = self._waiting.setdefault(to, deque())
        waiting.append(large)
        if len(waiting) == 1:
            self._begin(to)

    def _begin(self, to: Member) -> None:
        """The first for which somebody still waits."""
        waiting = self._waiting[to]
        while waiting and waiting[0].asks and not self._state.requests.is_open(waiting[0].request):
            waiting.popleft()
        if not waiting:
            del self._waiting[to]
            return
        self._count += 1
        stream = f"message {self._count} of {self._state.me}"
        self._streams.send(to, stream, encode(waiting[0].message), partial(self._ended, to))

    def _ended(self, to: Member, done: bool, reason: Because | None) -> None:
        if to in self._waiting:
            self._waiting[to].popleft()
            self._begin(to)

    def on_part_received(self, message: ChunkReceived) -> None:
        self._streams.on_chunk_received(message)

    def link_up(self, to: Address) -> None:
        self._streams.link_up(to)

    # The receiver's side

    def on_part(self, message: Part) -> None:
        sender, stream = message.sender, message.stream
        if message.number == 1 and not self._streams.refusal(message) and not self._streams.knows(stream):
            self._streams.forget(self._coming.get(sender, ""))  # its sender has given it up, for this one comes
            self._coming[sender] = stream
            self._streams.expect(sender, stream, partial(self._came, sender, stream))
        self._streams.on_chunk(message)

    def _came(self, sender: Member, stream: str, data: bytes) -> None:
        del self._coming[sender]
        try:
            message = decode(data)
            if message.sender != sender:
                raise MalformedMessage("it names another sender")
        except MalformedMessage as error:
            self._state.env.report(ChunkRefused(sender, stream, 0, *because(Why.UNREADABLE, error)))
            return
        self._handle(message)

    def members_changed(self, removed: Sequence[Member]) -> None:
        for member in removed:
            self._waiting.pop(member, None)
            self._coming.pop(member, None)
        self._streams.members_changed(removed)
