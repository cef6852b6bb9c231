"""Messages that go by UDP unicast: one socket, from which each leaves for its relay, and to which all come.

There is no connection, so a node does not know what became of a datagram, and never waits for one. A datagram is as
untrusted as a frame of a link: strange and broken frames are dropped and counted with those."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Mapping
from typing import Final

from shaketable.node.events.base import Mark
from shaketable.node.gms.datagrams import ANY_KIND, Kinds, by_datagram
from shaketable.node.messages import Address, MalformedMessage, Message, decode
from shaketable.node.process.frames import MALFORMED, MESSAGE, EncodeOnce, UselessFrame, decode_frame
from shaketable.node.process.outlink import monotonic
from shaketable.node.process.transport import MOST_AT_ONCE, PortTaken, Self

LARGEST_DATAGRAM: Final = 65_507
"""what IPv4 carries"""
NO_LINK: Final = "to an address without a link"
NO_DATAGRAM: Final = "of a kind that no datagram carries"
_ROOM: Final = 1 << 20
"""so many bytes may wait for a node that sleeps; the kernel may give less"""


class Datagrams:
    def __init__(
        self,
        me: Self,
        kinds: Kinds,
        received: Callable[[Message, Mark], None],
        drop: Callable[[str], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """`drop` counts what was of no use, by its reason."""
        self._me = me
        self._kinds = kinds
        self._received = received
        self._drop = drop
        self._loop = loop
        self._relays: dict[Address, tuple[str, int]] = {}
        self._sent: dict[Address, int] = {}
        self._encode = EncodeOnce()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _ROOM)

    def bind(self, port: int) -> None:
        """The number of the port at which the node takes connections: of UDP it is another port."""
        try:
            self._socket.bind(("127.0.0.1", port))
        except OSError as error:
            why = os.strerror(error.errno or 0)
            raise PortTaken(f"{self._me.address} cannot take datagrams at port {port}: {why}") from error
        self._loop.add_reader(self._socket.fileno(), self._drain)

    def add_links(self, ports: Mapping[Address, int]) -> None:
        """Where the relay of each link takes datagrams: at the port of the link's proxy, of UDP."""
        for address, port in ports.items():
            if address != self._me.address:
                self._relays[address] = "127.0.0.1", port

    def close(self) -> None:
        self._loop.remove_reader(self._socket.fileno())
        self._socket.close()

    def send(self, to: Address, message: Message, mark: Mark = 0) -> bool:
        """Whether it is one that goes this way; the others go by the link."""
        if not by_datagram(self._kinds, message):
            return False
        sequence = self._sent.get(to, 0) + 1
        frame = self._me.frame(_way(to), MESSAGE, self._encode(message), mark, 0, 0, sequence, monotonic())
        if len(frame) > LARGEST_DATAGRAM:
            return False
        relay = self._relays.get(to)
        if relay is None:
            self._drop(NO_LINK)
            return True
        self._sent[to] = sequence
        try:
            self._socket.sendto(frame, relay)
        except OSError as error:  # the kernel has no room for it: it is lost, as datagrams are
            self._drop(os.strerror(error.errno or 0))
        return True

    def _drain(self) -> None:
        """The loop calls again if there is more."""
        for _ in range(MOST_AT_ONCE):
            if self._socket.fileno() < 0:
                return  # closed by what came
            try:
                data = self._socket.recv(LARGEST_DATAGRAM)
            except BlockingIOError:
                return
            except OSError:
                continue
            self._take(data)

    def _take(self, data: bytes) -> None:
        try:
            frame = decode_frame(data, self._me.token, _way(self._me.address))
            if frame.kind != MESSAGE:
                raise UselessFrame(MALFORMED)
            message = decode(frame.body)
        except UselessFrame as useless:
            self._drop(str(useless))
            return
        except MalformedMessage:
            self._drop(MALFORMED)
            return
        if isinstance(message, ANY_KIND):
            self._received(message, frame.mark)
        else:
            self._drop(NO_DATAGRAM)


def _way(to: Address) -> str:
    """It is none of the link there: a frame of one is no frame of the other."""
    return f"datagrams to {to}"
