"""Takes in what the nodes say on their control sockets, and hands their events on as records of the run.

Each node's events come in its own order, without a gap; the order between nodes is for their times to say.

Any process of the machine can connect. One of another user is hung up at once. For one that has not said the run's
token we keep a few bytes, for a limited time, and its first bad word ends it."""

from __future__ import annotations

import asyncio
import hmac
import os
import socket
from collections.abc import Iterable
from contextlib import suppress
from struct import Struct
from typing import Final, Protocol

import msgspec

from shaketable.harness.errors import UserError
from shaketable.harness.records import Record
from shaketable.harness.systems.dialogue import BrokenAfter, Dialogue
from shaketable.node.core.env import Micros
from shaketable.node.process import control

LARGEST_GREETING: Final = 4096
"""bytes of what is said before the token is known"""
MOST_STRANGERS: Final = 1024
"""connections at once that have not said the token; of more the oldest has to go"""
UNTIL_THE_TOKEN: Final = 60.0
"""seconds; a node says it as it connects, and is not waited for as long"""
_BROKEN: Final = (UserError, ValueError, msgspec.MsgspecError, RecursionError)
"""of what a node says, or of how it is talked to: nothing more comes of it"""
_CREDENTIALS: Final = Struct("3i")
"""pid, uid and gid, as Linux tells them"""


class Listener(Protocol):
    """A listener is told what the nodes say."""

    def node_ready(self, peer: Peer) -> Dialogue | None:
        """How to talk with it; None: it was not spawned by us, or is not this process."""

    def node_said(self, peer: Peer, said: control.Said) -> None: ...
    def reported(self, record: Record) -> None: ...
    def not_understood(self, node: str, what: str) -> None: ...
    def node_broken(self, peer: Peer, reason: str) -> None:
        """It says what no node says, or nobody can talk to it: nothing more will be read of it."""


class Peer(asyncio.Protocol):
    """One node's connection, from its first word to the end of its process."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._greeting = bytearray()
        self._dialogue: Dialogue | None = None
        """once it is known who it is"""
        self._patience: asyncio.TimerHandle | None = None
        self._sequence = 0
        self._transport: asyncio.Transport | None = None
        self.node = ""
        """known once it has said so, with the run's token"""
        self.pid = 0
        self.last_word: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """done when all that it said was read"""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if not of_our_user(transport.get_extra_info("socket")):
            self.hang_up()
            return
        self._patience = asyncio.get_running_loop().call_later(UNTIL_THE_TOKEN, self.hang_up)
        self._observer.greeted_by(self)
        transport.set_write_buffer_limits(high=control.LARGEST_RECORD)

    def connection_lost(self, error: Exception | None) -> None:
        self._known()
        if error is not None and self.node:
            self._read_the_rest()
        self.hear_out()
        self._observer.lost(self)
        if not self.last_word.done():
            self.last_word.set_result(None)

    def hear_out(self) -> None:
        """Tells all that was held back: nothing that comes later counts."""
        if self._dialogue is None:
            return
        try:
            self._tell(self._dialogue, self._dialogue.ended())
        except _BROKEN as error:
            self._break(error)

    def _read_the_rest(self) -> None:
        """An order that finds the process gone ends the reading as well, though its last words may be unread."""
        assert self._transport is not None
        socket = self._transport.get_extra_info("socket")
        rest = bytearray()
        with suppress(OSError):
            while data := os.read(socket.fileno(), control.LARGEST_RECORD):
                rest += data
        self.data_received(bytes(rest))

    def data_received(self, data: bytes) -> None:
        try:
            if self._dialogue is None:
                data = self._greeted(data)
            if self._dialogue is not None:
                self._read(self._dialogue, data)
        except _BROKEN as error:
            self._break(error)

    def _break(self, error: Exception) -> None:
        self.hang_up()
        if self.node:
            self._observer.listener.node_broken(self, str(error))

    def _read(self, dialogue: Dialogue, data: bytes) -> None:
        try:
            said = dialogue.heard(data)
        except BrokenAfter as broken:
            self._tell(dialogue, broken.said)
            raise
        self._tell(dialogue, said)

    def _tell(self, dialogue: Dialogue, heard: Iterable[control.Said]) -> None:
        for said in heard:
            self._hear(said)
        for trouble in dialogue.take_troubles():
            self._observer.listener.not_understood(self.node, trouble)

    def order(self, order: control.Order) -> None:
        if self._dialogue is None or self._transport is None or self._transport.is_closing():
            return
        try:
            data, answers = self._dialogue.order(order)
        except _BROKEN as error:
            self._break(error)
            return
        if data:
            self._transport.write(data)
        for answer in answers:
            asyncio.get_running_loop().call_soon(self._hear_at_once, answer)

    def hang_up(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _greeted(self, data: bytes) -> bytes:
        """Takes its greeting, once it is whole, and hands back what follows."""
        self._greeting += data
        body, rest = control.first_record(bytes(self._greeting), LARGEST_GREETING)
        if body is None:
            return b""
        said = control.said_decoder.decode(body)
        if not isinstance(said, control.Ready) or not hmac.compare_digest(said.token, self._observer.token):
            raise control.BrokenStream("a stranger")
        self.node, self.pid = said.node, said.pid
        self._dialogue = self._observer.listener.node_ready(self)
        if self._dialogue is None:
            self.node = ""
            raise control.BrokenStream("a stranger with our token")
        self._known()
        return rest

    def _hear(self, said: control.Said) -> None:
        if isinstance(said, control.Reported):
            self._observer.listener.reported(self._record(said))
        else:
            self._observer.listener.node_said(self, said)

    def _hear_at_once(self, answer: control.Said) -> None:
        try:
            self._hear(answer)
        except _BROKEN as error:
            self._break(error)

    def _known(self) -> None:
        """Or gone: it is a stranger no more."""
        if self._patience is not None:
            self._patience.cancel()
        self._observer.strangers.pop(self, None)

    def _record(self, said: control.Reported) -> Record:
        self._sequence += 1
        if said.sequence != self._sequence:
            raise control.BrokenStream(f"event {said.sequence} came where {self._sequence} was due")
        event = control.event_decoder.decode(said.event)
        return Record(said.time - self._observer.began, self.node, said.incarnation, said.sequence, event, said.cause)


class Observer:
    def __init__(self, path: str, token: bytes, listener: Listener) -> None:
        self.path = path
        self.token = token
        self.listener = listener
        self.began: Micros = 0
        """CLOCK_MONOTONIC at the run's beginning"""
        self._server: asyncio.Server | None = None
        self._peers: set[Peer] = set()
        self.strangers: dict[Peer, None] = {}
        """those that have not said the token, the oldest first"""

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(self._new_peer, self.path, backlog=512)

    def _new_peer(self) -> Peer:
        return Peer(self)

    def greeted_by(self, peer: Peer) -> None:
        self._peers.add(peer)
        self.strangers[peer] = None
        if len(self.strangers) > MOST_STRANGERS:
            next(iter(self.strangers)).hang_up()

    def lost(self, peer: Peer) -> None:
        self._peers.discard(peer)

    def hear_out(self) -> None:
        for peer in tuple(self._peers):
            peer.hear_out()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for peer in tuple(self._peers):
            peer.hang_up()


def of_our_user(connection: socket.socket) -> bool:
    """Where the system tells it. Elsewhere the socket lies in a folder that other users cannot enter."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return bool(_CREDENTIALS.unpack(told)[1] == os.geteuid())
