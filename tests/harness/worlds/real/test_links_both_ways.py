"""Links whose connections carry both directions: what is done to one of them is done to it alone, and is seen."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import until

from shaketable.harness.faults.actions import NoEffect
from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.systems.system import Place
from shaketable.harness.worlds.real.counted import Counted
from shaketable.harness.worlds.real.datagram_relay import DatagramRelay
from shaketable.harness.worlds.real.fabric import LinkFabric
from shaketable.harness.worlds.real.kept_ports import KeptPorts
from shaketable.harness.worlds.real.links import BothWays, RealLinks
from shaketable.harness.worlds.real.nodes import RealNode
from shaketable.node.core.env import SECOND
from shaketable.node.process.outlink import monotonic

CUT = LinkState(cut=True)
BLACKHOLE = LinkState(blackhole=True)
SLOW = LinkState(latency=200_000)
THERE, BACK = ("n1", "n2"), ("n2", "n1")


class Talker:
    """A member of a kind: it says a word on each of its connections all the time, and counts what it hears."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.heard: list[float] = []
        self.ended = 0
        self.silent = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def listen(self) -> None:
        self._server = await asyncio.start_server(self.talk, "127.0.0.1", self.port)

    async def reaches(self, host: str, port: int) -> bool:
        try:
            await self.dial(host, port)
        except ConnectionRefusedError:
            return False
        return True

    async def dial(self, host: str, port: int) -> None:
        self._do(self.talk(*await asyncio.open_connection(host, port)))

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._do(self._say(writer))
        with suppress(ConnectionError):
            while await reader.read(1 << 16):
                self.heard.append(asyncio.get_running_loop().time())
        self.ended += 1
        writer.close()

    async def _say(self, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while not writer.is_closing():
                if not self.silent:
                    writer.write(b"a word")
                await asyncio.sleep(0.5)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.add(asyncio.get_running_loop().create_task(work))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server is not None:
            self._server.close()


@dataclass
class Pair:
    links: RealLinks
    nodes: dict[str, RealNode]
    talkers: dict[str, Talker] = field(default_factory=dict)

    async def listens(self, name: str) -> None:
        await self.talkers[name].listen()
        self.nodes[name].listens = self.nodes[name].running = True
        await self.links.receiver_changed(name)

    async def move(self, states: Mapping[tuple[str, str], LinkState]) -> str:
        return (await self.links.move(states)).how

    async def connected(self) -> None:
        await self.listens("n1")
        await self.listens("n2")
        await self.talkers["n1"].dial("127.1.1.2", self.talkers["n2"].port)
        await until(lambda: self.talkers["n1"].heard and self.talkers["n2"].heard)

    async def dials_again(self, port: int) -> None:
        """The stream lacks what was swallowed, so its connection ends when the black hole heals."""
        dialling = self.talkers["n1"]
        await until(lambda: dialling.ended)
        while not await dialling.reaches("127.1.1.2", port):
            """For a moment there is no proxy."""

    async def hears(self, name: str) -> None:
        heard = self.talkers[name].heard
        count = len(heard)
        await until(lambda: len(heard) > count)

    async def hears_nothing(self, name: str) -> bool:
        count = len(self.talkers[name].heard)
        await asyncio.sleep(1.2)
        return len(self.talkers[name].heard) == count


@asynccontextmanager
async def two(fabric: LinkFabric, in_a_row: int = 1) -> AsyncIterator[Pair]:
    kept = KeptPorts()
    ports = [kept.one_more(in_a_row) for _ in range(2)]
    nodes = {
        name: RealNode(Place(name, number, port, Path(), Path()), f"{name}:{port}", 1)
        for number, (name, port) in enumerate(zip(("n1", "n2"), ports, strict=True), 1)
    }
    layout = BothWays(in_a_row)

    def hindrance(name: str) -> str:
        return "" if nodes[name].running else f"{name} is not running"

    evidence = Counted(lambda link: layout.ends(link, nodes), hindrance)
    links = RealLinks(fabric, nodes, evidence, DatagramRelay(1, lambda number, link: None), layout)
    pair = Pair(links, nodes, {name: Talker(node.port) for name, node in nodes.items()})
    await links.open(nodes)
    try:
        yield pair
    finally:
        for talker in pair.talkers.values():
            await talker.close()
        kept.close()


async def test_a_link_is_refused_until_its_receiver_listens_and_when_it_is_gone(fabric: LinkFabric) -> None:
    async with two(fabric) as pair:
        port = pair.talkers["n2"].port
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.1.1.2", port)
        await pair.connected()
        pair.nodes["n2"].listens = False
        await pair.links.receiver_changed("n2")
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.1.1.2", port)
        pair.nodes["n2"].running = False
        assert await pair.move({THERE: BLACKHOLE}) == "read back only: n2 is not running"


async def test_a_link_of_one_that_comes_later_is_open_to_those_that_listen_already(fabric: LinkFabric) -> None:
    async with two(fabric) as pair:
        await pair.listens("n2")
        kept = KeptPorts()
        late = kept.one_more()
        pair.nodes["n3"] = RealNode(Place("n3", 3, late, Path(), Path()), f"n3:{late}", 1)
        await pair.links.open(pair.nodes)
        (await asyncio.open_connection("127.1.3.2", pair.talkers["n2"].port))[1].close()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.1.2.3", late)
        kept.close()


@pytest.mark.parametrize("link", [THERE, BACK])
async def test_a_black_hole_swallows_one_direction_of_a_connection(link: tuple[str, str], fabric: LinkFabric) -> None:
    sender, receiver = link
    async with two(fabric) as pair:
        await pair.connected()
        seen = await pair.move({link: BLACKHOLE})
        assert seen.endswith("bytes went in and none came out")
        assert await pair.hears_nothing(receiver)
        await pair.hears(sender)
        seen, _ = await asyncio.gather(pair.move({link: SOUND}), pair.dials_again(pair.talkers["n2"].port))
        assert seen == "bytes come out again"
        await pair.hears(receiver)


@pytest.mark.long
@pytest.mark.parametrize("link", [THERE, BACK])
@pytest.mark.parametrize("latency", [200, 800])
async def test_a_slow_link_is_slow_one_way(latency: int, link: tuple[str, str], fabric: LinkFabric) -> None:
    """Also where more goes in before anything has come out."""
    async with two(fabric) as pair:
        await pair.connected()
        seen = await pair.move({link: LinkState(latency=latency * 1000)})
        assert seen == f"bytes took {latency * 3 // 4} ms or more"


async def test_where_nobody_speaks_nothing_is_seen(fabric: LinkFabric, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shaketable.harness.worlds.real.counted.EVIDENCE_LIMIT", 1.0)
    async with two(fabric) as pair:
        await pair.connected()
        pair.talkers["n1"].silent = True
        while not await pair.hears_nothing("n2"):
            """What it had said before is still on its way."""
        asked = monotonic()
        seen = await pair.links.move({THERE: BLACKHOLE})
        assert seen.how == "read back only: nothing was sent over it"
        assert seen.made is not None
        assert asked <= seen.made <= monotonic() - 0.9 * SECOND, "it was there all the time that nothing showed it"


async def test_a_cut_is_of_both_directions(fabric: LinkFabric) -> None:
    async with two(fabric) as pair:
        await pair.connected()
        with pytest.raises(NoEffect, match=r"n1->n2 cannot be cut one way: a connection carries both directions"):
            await pair.move({THERE: CUT})
        seen = await pair.move({THERE: CUT, BACK: CUT})
        assert seen == "2 links: its port takes no connection, and none is left"
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.1.1.2", pair.talkers["n2"].port)
        seen = await pair.move({THERE: BLACKHOLE, BACK: SOUND})
        assert seen == "2 links: its port takes connections again", "and waits for no bytes of a fault that stays"


async def test_a_reset_drops_the_connections_whoever_opened_them(fabric: LinkFabric) -> None:
    async with two(fabric) as pair:
        with pytest.raises(NoEffect, match="the link n2->n1 is not up"):
            await pair.links.reset([BACK])
        await pair.connected()
        assert await pair.links.reset([BACK]) == "2 links: the connections that it had are gone"
        assert await pair.hears_nothing("n1")
        with pytest.raises(NoEffect, match="the link n2->n1 is not up"):
            await pair.links.reset([BACK])


async def with_second_port(pair: Pair) -> Talker:
    second = pair.talkers["second"] = Talker(pair.talkers["n2"].port + 1)
    await second.listen()
    await pair.listens("n1")
    await pair.listens("n2")
    return second


async def test_a_second_port_of_a_node_is_cut_with_its_link(fabric: LinkFabric) -> None:
    async with two(fabric, in_a_row=2) as pair:
        second = await with_second_port(pair)
        for port in (second.port - 1, second.port):
            (await asyncio.open_connection("127.1.1.2", port))[1].close()
        await pair.move({THERE: CUT, BACK: CUT})
        for port in (second.port - 1, second.port):
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.1.1.2", port)


@pytest.mark.long
async def test_bytes_through_a_second_port_are_swallowed_and_counted_with_its_link(fabric: LinkFabric) -> None:
    async with two(fabric, in_a_row=2) as pair:
        second = await with_second_port(pair)
        await pair.talkers["n1"].dial("127.1.1.2", second.port)
        await until(lambda: second.heard and pair.talkers["n1"].heard)
        seen = await pair.move({THERE: BLACKHOLE})
        assert seen.endswith("bytes went in and none came out")
        assert await pair.hears_nothing("second")
        await pair.hears("n1")
        seen, _ = await asyncio.gather(pair.move({THERE: SOUND}), pair.dials_again(second.port))
        assert seen == "bytes come out again"
        await pair.hears("second")
        assert await pair.links.reset([THERE]) == "2 links: the connections that it had are gone"


@pytest.mark.long
async def test_a_fault_that_does_nothing_is_noticed(fabric: LinkFabric, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shaketable.harness.worlds.real.counted.EVIDENCE_LIMIT", 2.0)
    async with two(fabric) as pair:
        await pair.connected()

        async def nothing(states: object) -> None:
            return None

        monkeypatch.setattr(fabric, "apply_all", nothing)
        with pytest.raises(NoEffect, match="n1->n2 was to swallow everything, and bytes come out of it"):
            await pair.move({THERE: BLACKHOLE})
        with pytest.raises(NoEffect, match="n2->n1 was to be slow, and bytes come out of it too soon"):
            await pair.move({BACK: SLOW})
        with pytest.raises(NoEffect, match="still takes connections or has some"):
            await pair.move({THERE: CUT, BACK: CUT})


@pytest.mark.long
async def test_what_a_slow_link_has_inside_is_not_taken_for_swallowed(
    fabric: LinkFabric, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shaketable.harness.worlds.real.counted.EVIDENCE_LIMIT", 4.0)
    slow = LinkState(latency=750_000)
    async with two(fabric) as pair:
        await pair.connected()
        await pair.move({THERE: slow})

        async def nothing(states: object) -> None:
            return None

        monkeypatch.setattr(fabric, "apply_all", nothing)
        with pytest.raises(NoEffect, match="n1->n2 was to swallow everything, and bytes come out of it"):
            await pair.move({THERE: replace(slow, blackhole=True)})
