"""A node's datagrams: what it sends arrives as it was, and whatever else comes is dropped, counted and forgotten."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from collections.abc import AsyncIterator

import pytest
from tests.node.process.process_helpers import INTERVAL, TOKEN, A, B, Ears, in_loop, message
from tests.waiting import until

from shaketable.harness.worlds.real.ports import free_ports
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import Micros
from shaketable.node.gms.datagrams import ANY_KIND, MOST_SEATS, PINGS, by_datagram, datagram_kinds
from shaketable.node.messages import (
    HealthMessage,
    Member,
    Message,
    Notification,
    Notified,
    Ping,
    Reign,
    Seat,
    Stamp,
    SwimAck,
    SwimPing,
    SwimPingTried,
    SwimPingWanted,
    encode,
)
from shaketable.node.process import frames
from shaketable.node.process.datagrams import LARGEST_DATAGRAM, NO_DATAGRAM, NO_LINK, Datagrams
from shaketable.node.process.frames import MALFORMED, MESSAGE, OTHER_VERSION, PROBE, STRANGER, probe_body
from shaketable.node.process.transport import PortTaken, Self

ME = Member(A, "uuid-of-a")
REIGN = Reign(ME, 0, 1, 9, "")
STAMP = Stamp("domain", "group", "core", 0, 1)
HEARTBEAT = HealthMessage(ME, STAMP, "alive", REIGN)
PING = Ping(ME, STAMP, 3)


def notified(seats: int, address: str = A) -> Notified:
    view = tuple(Seat(Member(address, f"{n:036}"), "core", 1 << 59, 1 << 59, 1 << 59) for n in range(seats))
    return Notified(ME, STAMP, REIGN, Notification(9, "add", view[0], view, 9, False, None), True)


def kinds(udp: str) -> tuple[type[Message], ...]:
    return datagram_kinds(DEFAULT.with_values({"family": "gms", "gms_udp": udp}))


class Post:
    """The datagrams of one node, and what came of those that came to it."""

    def __init__(self, address: str, udp: str) -> None:
        self.me = Self(address, 0, TOKEN, INTERVAL)
        self.ears = Ears()
        self.dropped: list[str] = []
        loop = asyncio.get_running_loop()
        self.datagrams = Datagrams(self.me, kinds(udp), self.ears.received, self.dropped.append, loop)
        (self.port,) = free_ports(1)
        self.datagrams.bind(self.port)


@contextlib.asynccontextmanager
async def posts(udp: str = "both") -> AsyncIterator[tuple[Post, Post]]:
    a, b = Post(A, udp), Post(B, udp)
    a.datagrams.add_links({A: a.port, B: b.port})
    try:
        yield a, b
    finally:
        a.datagrams.close()
        b.datagrams.close()


def test_which_kinds_go_by_datagram() -> None:
    assert kinds("none") == ()
    assert kinds("heartbeats") == (HealthMessage, *PINGS)
    assert (SwimPing, SwimAck, SwimPingWanted, SwimPingTried) == PINGS
    assert kinds("notifications") == (Notified,)
    assert kinds("both") == (HealthMessage, *PINGS, Notified) == ANY_KIND
    assert datagram_kinds(DEFAULT.with_values({"gms_udp": "both"})) == (), "a cluster sends none"
    assert by_datagram(kinds("heartbeats"), HEARTBEAT)
    assert not by_datagram(kinds("heartbeats"), notified(1))
    assert not by_datagram(kinds("both"), PING)
    assert not by_datagram((), HEARTBEAT)


def test_the_largest_view_that_goes_so_fits_into_one() -> None:
    longest = f"{'x' * 249}:57010"
    assert by_datagram(ANY_KIND, notified(MOST_SEATS, longest))
    me, largest = Self(longest, 1 << 60, TOKEN, INTERVAL), 1 << 60
    frame = me.frame(longest, MESSAGE, encode(notified(MOST_SEATS, longest)), largest, 0, 0, 1, largest)
    assert len(frame) <= LARGEST_DATAGRAM
    assert not by_datagram(ANY_KIND, notified(MOST_SEATS + 1))


@in_loop
async def test_messages_arrive_as_they_were() -> None:
    async with posts() as (a, b):
        for each in (HEARTBEAT, notified(3), HEARTBEAT):
            assert a.datagrams.send(B, each)
        await until(lambda: len(b.ears.messages) == 3)
        assert b.ears.messages == [HEARTBEAT, notified(3), HEARTBEAT]
        assert not b.dropped


@in_loop
async def test_what_is_of_no_such_kind_or_too_large_is_left_to_the_link() -> None:
    async with posts("heartbeats") as (a, b):
        assert not a.datagrams.send(B, PING)
        assert not a.datagrams.send(B, notified(1))
        huge = HealthMessage(ME, Stamp("x" * LARGEST_DATAGRAM, "group", "core", 0, 1), "alive", REIGN)
        assert not a.datagrams.send(B, huge)
        assert a.datagrams.send("127.0.0.1:5799", HEARTBEAT), "nobody knows a way there: it is lost"
        assert a.dropped == [NO_LINK]
        a.datagrams.send(B, HEARTBEAT)
        await until(lambda: b.ears.messages == [HEARTBEAT])


@in_loop
async def test_a_receiver_that_is_not_there_is_nobody_s_trouble() -> None:
    async with posts() as (a, b):
        b.datagrams.close()
        for _ in range(5):
            assert a.datagrams.send(B, HEARTBEAT)
            await asyncio.sleep(0.01)
        assert not a.dropped
        b.datagrams = Post(B, "both").datagrams


def frame_of(post: Post, kind: int, body: bytes, *, token: bytes = TOKEN, link: str = f"datagrams to {B}") -> bytes:
    time: Micros = 0
    return Self(post.me.address, 0, token, INTERVAL).frame(link, kind, body, 0, 0, 0, 1, time)


@in_loop
async def test_strange_and_broken_datagrams_are_dropped_and_counted() -> None:
    async with posts() as (a, b):
        good = frame_of(a, MESSAGE, encode(HEARTBEAT))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            for data, reason in (
                (b"", MALFORMED),
                (b"hello", MALFORMED),
                (good[:30], MALFORMED),
                (good[:4] + b"\xff" + good[5:], OTHER_VERSION),
                (frame_of(a, MESSAGE, encode(HEARTBEAT), token=b"u" * 16), STRANGER),
                (frame_of(a, MESSAGE, encode(HEARTBEAT), link=B), STRANGER),  # of the link, or of another node
                (frame_of(a, MESSAGE, encode(HEARTBEAT), link=f"datagrams to {A}"), STRANGER),
                (frame_of(a, MESSAGE, b"\x80\x04."), MALFORMED),
                (frame_of(a, PROBE, probe_body(1)), MALFORMED),
                (frame_of(a, MESSAGE, encode(PING)), NO_DATAGRAM),
                (frame_of(a, MESSAGE, encode(message(1))), NO_DATAGRAM),
            ):
                b.dropped.clear()
                stranger.sendto(data, ("127.0.0.1", b.port))
                await until(lambda: b.dropped)
                assert b.dropped == [reason], data
            assert not b.ears.messages
            stranger.sendto(good, ("127.0.0.1", b.port))
            await until(lambda: b.ears.messages == [HEARTBEAT])


@in_loop
async def test_no_bytes_do_worse_than_be_dropped() -> None:
    rng = random.Random(11)
    async with posts() as (a, b):
        good = frame_of(a, MESSAGE, encode(notified(2)))
        for n in range(20_000):
            data = bytearray(good)
            for _ in range(rng.randrange(1, 6)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            if n % 3 == 0:
                del data[rng.randrange(len(data)) :]
            if n % 4 and len(data) >= frames._SEALED:  # as a node of the run, which alone can do so
                data[5 : frames._SEALED] = frames._seal(TOKEN, f"datagrams to {B}", data[frames._SEALED :])
            b.datagrams._take(rng.randbytes(rng.randrange(300)) if n % 5 == 0 else bytes(data))
        assert len(b.dropped) + len(b.ears.messages) == 20_000
        assert min(b.dropped.count(MALFORMED), b.dropped.count(STRANGER), len(b.ears.messages)) > 100
        assert all(isinstance(each, ANY_KIND) for each in b.ears.messages)


@in_loop
async def test_a_port_that_is_taken_is_told_in_a_sentence() -> None:
    async with posts() as (a, b):
        other = Datagrams(a.me, (), a.ears.received, a.dropped.append, asyncio.get_running_loop())
        with pytest.raises(PortTaken, match=f"{A} cannot take datagrams at port {b.port}: Address already in use"):
            other.bind(b.port)
        other.close()
