"""All sockets between nodes: one ROUTER for incoming messages, and a link to each peer for outgoing ones.

They are plain ZeroMQ sockets. Each is read when the event loop says that its descriptor is readable, to the end or to a
cap, because the descriptor tells changes only. Sending never waits. Stale, strange and broken frames are dropped and
counted. A link on which nothing was sent for a heartbeat interval carries a small probe that the protocol never
sees."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

import zmq

from shaketable.node.core.env import Micros
from shaketable.node.events import Event, FramesDropped, LinkHeard, LinkSilent, MessagesLost
from shaketable.node.events.base import Mark
from shaketable.node.messages import Address, MalformedMessage, Message, decode
from shaketable.node.process.control import LinkFacts
from shaketable.node.process.frames import (
    LARGEST_FRAME,
    MALFORMED,
    MESSAGE,
    OLD_GENERATION,
    PROBE,
    REPEATED,
    UNKNOWN_SENDER,
    EncodeOnce,
    Frame,
    Gaps,
    Generations,
    Numbers,
    UselessFrame,
    decode_frame,
    encode_frame,
    probe_body,
)
from shaketable.node.process.lateness import Lateness
from shaketable.node.process.outlink import CLOSED, UP, OutLink, monotonic

MOST_AT_ONCE: Final = 256
"""frames taken in before timers get their turn"""
SILENT_AFTER: Final = 3
"""probe intervals"""


class PortTaken(Exception):
    """One sentence: somebody listens there already."""


class Handler(Protocol):
    """What the transport tells. It may do so while something else is being told: the driver keeps the order."""

    def received(self, message: Message, mark: Mark) -> None: ...
    def link_changed(self, to: Address, up: bool) -> None: ...
    def report(self, event: Event) -> None: ...
    def probe_heard(self, nonce: int, sender: Address, sent: Micros, heard: Micros) -> None: ...


@dataclass(frozen=True, slots=True)
class Self:
    address: Address
    process: int
    token: bytes
    probe_interval: Micros
    peers: frozenset[Address] = frozenset()
    """the configured addresses; those that it is given links to count like them"""

    def frame(
        self,
        link: str,
        kind: int,
        body: bytes,
        mark: Mark,
        message: int,
        generation: int,
        sequence: int,
        sent: Micros,
    ) -> bytes:
        """`link`: the address of its other end; of datagrams it is another one. `message`: the number of this one."""
        frame = Frame(self.address, self.process, generation, sequence, sent, kind, body, mark, message)
        return encode_frame(frame, self.token, link)


class Transport:
    def __init__(self, me: Self, handler: Handler, loop: asyncio.AbstractEventLoop) -> None:
        self._me = me
        self._handler = handler
        self._loop = loop
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        # One link more than a node has takes three files and a little memory; the default of 1023 sockets is for 500.
        self._context.set(zmq.MAX_SOCKETS, 16_384)
        self._router: zmq.Socket[bytes] | None = None
        self._links: dict[Address, OutLink] = {}
        self._refused: set[Address] = set()
        """addresses without a link that somebody wanted to send to: answered like a refused connection, once"""
        self._generations = Generations()
        self._numbers = Numbers()
        self._gaps = Gaps()
        self._lateness = Lateness(me.probe_interval, handler.report)
        self._silence = Silence(me.probe_interval, handler.report)
        self._encode = EncodeOnce()
        self._useless = Useless(me.probe_interval, handler.report)
        self._next_probe: asyncio.TimerHandle | None = None
        self._probes_due: Micros = 0
        self.received = 0

    @property
    def useless(self) -> Mapping[str, int]:
        return self._useless.counts

    def drop(self, reason: str) -> None:
        """Something that came to the node on another way was of no use."""
        self._useless.add(reason, monotonic())

    def facts(self) -> dict[Address, LinkFacts]:
        return {a: LinkFacts(x.state, x.generation, x.sent, x.dropped) for a, x in self._links.items()}

    # Opening and closing

    def bind(self, port: int) -> None:
        router: zmq.Socket[bytes] = self._context.socket(zmq.ROUTER)
        for option, value in (
            (zmq.LINGER, 0),
            (zmq.BACKLOG, 4096),  # a stopped node's queue must not fill up, or the proxies before it hang
            (zmq.MAXMSGSIZE, 4 * LARGEST_FRAME),  # above that libzmq hangs up on the sender; up to it we count
        ):
            router.setsockopt(option, value)
        try:
            router.bind(f"tcp://127.0.0.1:{port}")
        except zmq.ZMQError as error:
            router.close(0)
            why = zmq.strerror(error.errno or 0)
            raise PortTaken(f"{self._me.address} cannot listen at port {port}: {why}") from error
        self._router = router
        self._loop.add_reader(router.fileno(), self._drain)
        self._loop.call_soon(self._drain)
        self._probe_all()

    def add_links(self, ports: Mapping[Address, int], handshake_limit: Micros) -> None:
        for link in self._links.values():
            link.set_handshake_limit(handshake_limit)
        for address, port in ports.items():
            if address != self._me.address and address not in self._links:
                self._refused.discard(address)
                changed = partial(self._handler.link_changed, address)
                endpoint = f"tcp://127.0.0.1:{port}"
                self._links[address] = OutLink(self._context, endpoint, handshake_limit, changed, self._watch)

    def disconnect(self, to: Address, linger_millis: int = 0) -> None:
        """Frames that it was handed before may leave for so long."""
        link = self._links.get(to)
        if link is not None:
            link.close(linger_millis)

    def close(self, linger_millis: int = 0) -> None:
        if self._next_probe is not None:
            self._next_probe.cancel()
        for link in self._links.values():
            link.close(linger_millis)
        if self._router is not None:
            self._loop.remove_reader(self._router.fileno())
            self._router.close(0)
        self._context.term()

    def _watch(self, descriptor: int, callback: Callable[[], None] | None) -> None:
        if callback is None:
            self._loop.remove_reader(descriptor)
        else:
            self._loop.add_reader(descriptor, callback)

    # Sending

    def send(self, to: Address, *messages: tuple[Message, Mark]) -> bool:
        """Whether the link took them, which are of one step."""
        link = self._links.get(to)
        if link is None:
            if to not in self._refused and to != self._me.address:
                self._refused.add(to)
                self._loop.call_soon(self._handler.link_changed, to, False)
            return False
        first, link.messages = link.messages + 1, link.messages + len(messages)
        make, encode = self._me.frame, self._encode
        frames = [partial(make, to, MESSAGE, encode(each), mark, n) for n, (each, mark) in enumerate(messages, first)]
        return link.send(monotonic(), *frames)

    def probe(self, to: Address, nonce: int = 0, padding: int = 0) -> Micros | None:
        """When it was sent, None if the link did not take it. One with a nonce is evidence: it never waits in our own
        queue for a link to come up, and only makes a link come up that the node has hung up."""
        link, now = self._links.get(to), monotonic()
        if nonce and link is not None and link.state != UP:
            link.reopen()
            return None
        if link is None or not link.send(now, partial(self._me.frame, to, PROBE, probe_body(nonce, padding), 0, 0)):
            return None
        return now

    def _probe_all(self) -> None:
        interval, now = self._me.probe_interval, monotonic()
        self._next_probe = self._loop.call_later(interval / 1_000_000, self._probe_all)
        self.probe_idle_links()
        if self._probes_due and now - self._probes_due > interval:
            self._silence.start_afresh(now)
        self._probes_due = now + interval
        self._lateness.look(now)
        self._silence.look(now)
        self._useless.look(now)

    def probe_idle_links(self) -> None:
        """A link that the node itself hung up stays so; all others show whether they are alive. Where a message has
        left since the last time, that shows it: mostly heartbeats do, and probes too would double the nodes' work."""
        for address, link in self._links.items():
            if link.state != CLOSED and link.sent == link.sent_before:
                self.probe(address)
            link.sent_before = link.sent

    # Receiving

    def _drain(self) -> None:
        router = self._router
        for _ in range(MOST_AT_ONCE):
            if router is None or router.closed:
                return
            try:
                parts = router.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            except zmq.ZMQError:
                return  # closed while a step ran
            if len(parts) < 2:
                self._useless.add(MALFORMED, monotonic())
            for part in parts[1:]:
                self._take(part)
        self._loop.call_soon(self._drain)

    def _take(self, data: bytes) -> None:
        now = monotonic()
        try:
            frame = decode_frame(data, self._me.token, self._me.address)
            message = decode(frame.body) if frame.kind == MESSAGE else None
            known = self._admit(frame)
        except UselessFrame as useless:
            self._useless.add(str(useless), now)
            return
        except MalformedMessage:
            self._useless.add(MALFORMED, now)
            return
        self.received += 1
        link = self._links.get(frame.sender)
        if link is not None:
            link.hurry(now)
        if known:
            self._silence.heard(frame.sender, now)
            self._lateness.came(frame.sender, frame.sent, now)
        if message is not None:
            if known and (gap := self._gaps.before(frame, now)) is not None:
                self._handler.report(MessagesLost(frame.sender, *gap))
            self._handler.received(message, frame.mark)
        elif frame.nonce:
            self._handler.probe_heard(frame.nonce, frame.sender, frame.sent, now)

    def _admit(self, frame: Frame) -> bool:
        """Whether its sender is known. Of one that is not nothing is remembered, so that made-up addresses leave
        nothing behind. Its messages count nevertheless: who joins late may be faster than the word that it is there."""
        known = frame.sender in self._links or frame.sender in self._me.peers
        if known and not self._generations.admits(frame):
            raise UselessFrame(OLD_GENERATION)
        if known and not self._numbers.admits(frame):
            raise UselessFrame(REPEATED)
        if not known and frame.kind == PROBE:
            raise UselessFrame(UNKNOWN_SENDER)
        return known


class Silence:
    """From whom frames come, and from whom they no longer do."""

    def __init__(self, interval: Micros, report: Callable[[Event], None]) -> None:
        self._limit = SILENT_AFTER * interval
        self._report = report
        self._last: dict[Address, Micros] = {}
        self._silent: dict[Address, bool] = {}

    def heard(self, address: Address, now: Micros) -> None:
        self._last[address] = now
        if self._silent.get(address, True):
            self._silent[address] = False
            self._report(LinkHeard(address))

    def look(self, now: Micros) -> None:
        for address, last in self._last.items():
            if now - last > self._limit and not self._silent[address]:
                self._silent[address] = True
                self._report(LinkSilent(address))

    def start_afresh(self, now: Micros) -> None:
        """The process itself slept: that nothing was heard meanwhile says nothing."""
        for address in self._last:
            self._last[address] = now


class Useless:
    """Counts what was dropped; tells the first of each reason, and then at most once an interval."""

    def __init__(self, interval: Micros, report: Callable[[Event], None]) -> None:
        self._interval = interval
        self._report = report
        self._told: dict[str, tuple[Micros, int]] = {}
        self.counts: dict[str, int] = {}

    def add(self, reason: str, now: Micros) -> None:
        self.counts[reason] = self.counts.get(reason, 0) + 1
        self._tell(reason, now)

    def look(self, now: Micros) -> None:
        for reason in self.counts:
            self._tell(reason, now)

    def _tell(self, reason: str, now: Micros) -> None:
        at, told = self._told.get(reason, (-self._interval, 0))
        count = self.counts[reason]
        if count > told and now - at >= self._interval:
            self._told[reason] = (now, count)
            self._report(FramesDropped(reason, count - told))
