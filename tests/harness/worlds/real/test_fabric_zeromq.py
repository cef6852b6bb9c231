"""The links as nodes use them: a DEALER here, a ROUTER there, one direction. The nodes' transport is built on what a
cut and a black hole mean to ZeroMQ."""

import asyncio
from collections.abc import Iterator

import pytest
import zmq
from tests.harness.worlds.real.fabric_helpers import link_to
from tests.waiting import until

from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.worlds.real.fabric import LinkFabric, free_ports


class Line:
    """Numbers sent, and those that came out at the other end."""

    def __init__(self) -> None:
        self._context = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        (self.port,) = free_ports(1)
        self._router.bind(f"tcp://127.0.0.1:{self.port}")
        self._dealer = self._context.socket(zmq.DEALER)
        for option, value in (
            (zmq.LINGER, 0),
            (zmq.IMMEDIATE, 1),
            (zmq.SNDHWM, 64),
            (zmq.RECONNECT_IVL, 100),
            (zmq.HANDSHAKE_IVL, 1000),
        ):
            self._dealer.setsockopt(option, value)
        self._next = 0
        self.got: list[int] = []

    def connect(self, port: int) -> None:
        self._dealer.connect(f"tcp://127.0.0.1:{port}")

    def send(self) -> int | None:
        """The number that was handed over, None if there is no connection to hand it to."""
        try:
            self._dealer.send(b"%d" % self._next, zmq.NOBLOCK)
        except zmq.Again:
            return None
        self._next += 1
        return self._next - 1

    def receive(self) -> None:
        try:
            while True:
                self.got.append(int(self._router.recv_multipart(zmq.NOBLOCK)[1]))
        except zmq.Again:
            return

    async def arrives(self, number: int | None) -> None:
        def arrived() -> bool:
            self.receive()
            return bool(self.got) and self.got[-1] == number

        await until(arrived)

    async def flows(self) -> None:
        """Until a number that is sent from now on arrives."""
        fresh = self._next

        def arrived() -> bool:
            self.send()
            self.receive()
            return bool(self.got) and self.got[-1] >= fresh

        await until(arrived)

    async def settle(self) -> None:
        await asyncio.sleep(0.3)
        self.receive()

    def close(self) -> None:
        self._dealer.close()
        self._router.close(linger=0)
        self._context.term()


@pytest.fixture
def line() -> Iterator[Line]:
    line = Line()
    yield line
    line.close()


async def test_a_cut_is_noticed_by_the_sender_and_replays_nothing(fabric: LinkFabric, line: Line) -> None:
    link = await link_to(fabric, line.port)
    line.connect(link.listen)
    await line.flows()
    await fabric.apply(link.name, LinkState(cut=True))
    await until(lambda: line.send() is None)
    await line.settle()
    before = len(line.got)
    last = line.got[-1]
    await fabric.apply(link.name, SOUND)
    await line.flows()
    assert line.got == sorted(set(line.got))
    assert line.got[before] > last


async def test_a_black_hole_is_not_noticed_and_ends_without_a_gap(fabric: LinkFabric, line: Line) -> None:
    link = await link_to(fabric, line.port)
    line.connect(link.listen)
    await line.flows()
    await line.settle()
    for _ in range(5):
        await fabric.apply(link.name, LinkState(blackhole=True))
        lost = {line.send() for _ in range(20)}
        assert None not in lost
        await line.settle()
        await fabric.apply(link.name, SOUND)
        first = line.send()
        assert first is not None  # no reconnect: the very first one passes
        await line.arrives(first)
        assert not lost & set(line.got)
    assert line.got == sorted(set(line.got))


async def test_a_slow_link_keeps_the_order(fabric: LinkFabric, line: Line) -> None:
    link = await link_to(fabric, line.port)
    line.connect(link.listen)
    await line.flows()
    await fabric.apply(link.name, LinkState(latency=100_000, jitter=90_000))
    sent = []
    for _ in range(50):
        sent.append(line.send())
        await asyncio.sleep(0.01)
    await line.arrives(sent[-1])
    assert line.got[-50:] == sent
