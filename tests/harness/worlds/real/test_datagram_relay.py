"""The relay of datagrams over real sockets: what its faults do there is what was drawn, link by link."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import pytest
from tests.waiting import until

from shaketable.harness.errors import UserError
from shaketable.harness.faults.datagrams import Datagrams
from shaketable.harness.faults.link_kinds import DELAY_DATAGRAMS as DELAY
from shaketable.harness.faults.link_kinds import LOSE_DATAGRAMS as LOSE
from shaketable.harness.faults.link_kinds import REPEAT_DATAGRAMS as REPEAT
from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.faults.table import DatagramFault, Link
from shaketable.harness.worlds.real.datagram_relay import HOST, DatagramRelay, Ports
from shaketable.harness.worlds.real.ports import free_ports

FORTH, BACK = ("n1", "n2"), ("n2", "n1")
SEED = 3
MANY = 200


class Line:
    """Numbers sent on one link, and those that came out at its other end."""

    def __init__(self, relay: DatagramRelay, link: Link) -> None:
        self.relay = relay
        self.link = link
        self.ports = Ports(HOST, *free_ports(2))
        self.got: list[int] = []
        self._next = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.bind((HOST, self.ports.upstream))

    async def open(self) -> None:
        await self.relay.open({self.link: self.ports})
        asyncio.get_running_loop().add_reader(self._socket, self._receive)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

    def _receive(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self.got.append(int(self._socket.recv(100)))

    def send(self) -> int:
        self._next += 1
        self._socket.sendto(b"%d" % self._next, (HOST, self.ports.listen))
        return self._next

    async def passes(self) -> None:
        number = self.send()
        await until(lambda: number in self.got)

    async def send_many(self, many: int) -> None:
        """Not faster than the kernel's buffers take them."""
        for _ in range(many):
            self.send()
            await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def line(caught: list[tuple[int, Link]]) -> AsyncIterator[Line]:
    relay = DatagramRelay(SEED, lambda number, link: caught.append((number, link)))
    made = Line(relay, FORTH)
    await made.open()
    try:
        yield made
    finally:
        made.close()
        relay.close()


async def test_a_sound_link_passes_all_in_order() -> None:
    async with line([]) as here:
        await here.send_many(MANY)
        await until(lambda: len(here.got) == MANY)
        assert here.got == list(range(1, MANY + 1))


async def test_those_are_lost_that_the_draw_says_and_the_receipt_counts_them() -> None:
    caught: list[tuple[int, Link]] = []
    fault = DatagramFault(LOSE, (FORTH,), 30)
    drawn = Datagrams(SEED)
    drawn.begin(4, fault)
    expected = [n for n in range(1, MANY + 1) if drawn.fate(FORTH, SOUND).arrivals]
    sent = expected[-1]  # it arrives, so the relay has seen all of them by then
    async with line(caught) as here:
        await here.relay.begin(4, fault)
        await here.send_many(sent)
        await until(lambda: len(here.got) == len(expected))
        assert here.got == expected
        assert (await here.relay.end(4)).words() == f"{sent - len(expected)} of {sent} datagrams were lost"
        assert caught == [(4, FORTH)]
        await here.passes()


async def test_the_delayed_are_overtaken_and_the_repeated_come_twice() -> None:
    async with line([]) as here:
        await here.relay.begin(1, DatagramFault(DELAY, (FORTH,), 50, 100_000))
        await here.send_many(MANY)
        await until(lambda: len(here.got) == MANY)
        assert here.got != sorted(here.got)
        assert sorted(here.got) == list(range(1, MANY + 1))
        await here.relay.end(1)
        here.got.clear()
        await here.relay.begin(2, DatagramFault(REPEAT, (FORTH,), 100, 1_000))
        number = here.send()
        await until(lambda: here.got == [number, number])
        assert (await here.relay.end(2)).words() == "1 of 1 datagrams were repeated"


async def test_a_link_that_is_cut_or_a_black_hole_passes_none_until_it_is_whole() -> None:
    async with line([]) as here:
        for state in (LinkState(cut=True), LinkState(blackhole=True)):
            await here.relay.apply({FORTH: state, BACK: SOUND})
            lost = here.send()
            await here.relay.apply({FORTH: SOUND})
            await here.passes()
            assert lost not in here.got


async def test_a_link_s_state_from_before_it_was_opened_holds() -> None:
    relay = DatagramRelay(SEED, lambda number, link: None)
    await relay.apply({FORTH: LinkState(cut=True)})
    here = Line(relay, FORTH)
    try:
        await here.open()
        lost = here.send()
        await relay.apply({FORTH: SOUND})
        await here.passes()
        assert lost not in here.got
    finally:
        here.close()
        relay.close()


async def test_to_open_a_link_again_changes_nothing_and_one_that_is_not_open_takes_no_fault() -> None:
    async with line([]) as here:
        await here.relay.open({FORTH: here.ports})
        await here.passes()
        with pytest.raises(UserError, match="nothing is sent by datagrams over the link n2->n1"):
            await here.relay.begin(1, DatagramFault(LOSE, (FORTH, BACK), 10))
        await here.passes()


async def test_a_port_that_is_taken_is_told_in_a_sentence() -> None:
    async with line([]) as here:
        with pytest.raises(UserError, match=rf"port {here.ports.upstream} for the datagrams of link n2->n1"):
            await here.relay.open({BACK: Ports(HOST, here.ports.upstream, 1)})
        await here.passes()


async def test_a_relay_that_is_closed_keeps_no_port_and_closing_one_that_never_began_is_nothing() -> None:
    async with line([]) as here:
        listen = here.ports.listen
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as again:
        again.bind((HOST, listen))
    DatagramRelay(SEED, lambda number, link: None).close()
