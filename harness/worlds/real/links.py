"""Moves links between states, and sees for itself that they are so before it says that they are (evidence.py)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Container, Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Final, Protocol

from shaketable.harness.errors import UserError
from shaketable.harness.faults.actions import NoEffect
from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.faults.table import Link, arrow
from shaketable.harness.worlds.real.counted import Ends
from shaketable.harness.worlds.real.datagram_relay import DatagramRelay, Ports
from shaketable.harness.worlds.real.evidence import Evidence, Seen, in_words
from shaketable.harness.worlds.real.fabric import FabricError, LinkFabric, LinkPorts, free_ports
from shaketable.harness.worlds.real.nodes import RealNode
from shaketable.node.core.env import Micros
from shaketable.node.messages import Address
from shaketable.node.process.control import LOOPBACK
from shaketable.node.process.outlink import monotonic

BOTH_WAYS: Final = "a connection carries both directions"


class Layout(Protocol):
    """Where links listen, and what their connections carry."""

    both_ways: bool
    """each connection carries both directions"""

    def of(self, links: Iterable[Link], nodes: Mapping[str, RealNode]) -> list[LinkPorts]: ...

    def proxies(self, link: Link) -> list[str]:
        """To which all is done that is done to this link, by their names."""


class OneWay:
    """A port of its own for each link: a node that connects through it only sends."""

    both_ways = False

    def of(self, links: Iterable[Link], nodes: Mapping[str, RealNode]) -> list[LinkPorts]:
        links = list(links)
        return [
            LinkPorts(arrow(link), port, nodes[link[1]].port)
            for link, port in zip(links, free_ports(len(links)), strict=True)
        ]

    def proxies(self, link: Link) -> list[str]:
        return [arrow(link)]


class BothWays:
    """A loopback address of its own for each link, at which it has the ports of its receiver; and a second one, where
    what comes out of it is counted. Closed until the receiver listens: to a member it is one thing to be refused, and
    another to be accepted and dropped."""

    both_ways = True

    def __init__(self, ports: int = 1) -> None:
        """`ports`: at so many in a row each node listens."""
        self._each = range(ports)

    def of(self, links: Iterable[Link], nodes: Mapping[str, RealNode]) -> list[LinkPorts]:
        made = []
        for a, b in links:
            ends = self.ends((a, b), nodes)
            names = zip(self.proxies((a, b)), self.proxies((b, a)), strict=True)
            for (name, back), (door, port), (mouth, _) in zip(names, ends.doors, ends.mouths, strict=True):
                made.append(LinkPorts(name, port, port, door, mouth, back=back, closed=not nodes[b].listens))
                made.append(LinkPorts(f"{name}~out", port, port, mouth, LOOPBACK))
        return made

    def proxies(self, link: Link) -> list[str]:
        return [f"{arrow(link)}~{i + 1}" if i else arrow(link) for i in self._each]

    def ends(self, link: Link, nodes: Mapping[str, RealNode]) -> Ends:
        a, b = (nodes[name] for name in link)
        path = f"{a.number}.{b.number}"
        ports = [b.port + i for i in self._each]
        doors, mouths = (tuple((f"127.{n}.{path}", port) for port in ports) for n in (1, 2))
        return Ends(doors, mouths)


class RealLinks:
    """All links of one run, by the names of their two nodes."""

    def __init__(
        self,
        fabric: LinkFabric,
        nodes: Mapping[str, RealNode],
        evidence: Evidence,
        datagrams: DatagramRelay,
        layout: Layout,
    ) -> None:
        self._fabric = fabric
        self._datagrams = datagrams
        self._nodes = nodes
        self._evidence = evidence
        self._layout = layout
        self._ports: dict[Link, LinkPorts] = {}
        self._state: dict[Link, LinkState] = {}

    async def open(self, names: Iterable[str]) -> None:
        """A link for every ordered pair of these nodes that has none yet."""
        pairs = [pair for a, b in combinations(names, 2) for pair in ((a, b), (b, a))]
        new = [pair for pair in pairs if pair not in self._ports]
        if not new:
            return
        made = self._layout.of(new, self._nodes)
        named = {link.name: link for link in made}
        self._ports.update({pair: named[arrow(pair)] for pair in new})
        await self._do(self._fabric.open(made))

    async def open_for_datagrams(self, senders: Container[str]) -> None:
        """The datagrams of these nodes have a port at each of their links, of the same number as its proxy's."""
        mine = {link: ports for link, ports in self._ports.items() if link[0] in senders}
        ends = {link: Ports(at.host, at.listen, self._nodes[link[1]].port) for link, at in mine.items()}
        await self._datagrams.open(ends)

    def ports_from(self, name: str) -> dict[Address, int]:
        """Where this node reaches each other one."""
        return {self._nodes[b].address: ports.listen for (a, b), ports in self._ports.items() if a == name}

    def hosts_from(self, name: str) -> dict[str, str]:
        """And on which loopback address, by the names of the others."""
        return {b: ports.host for (a, b), ports in self._ports.items() if a == name}

    def ends_to(self, name: str) -> frozenset[str]:
        """The addresses where the link server listens for those who want to reach it."""
        to_it = [ports for link, ports in self._ports.items() if link[1] == name]
        return frozenset(host for ports in to_it for host in (ports.host, ports.upstream_host))

    def port(self, link: Link) -> int | None:
        ports = self._ports.get(link)
        return None if ports is None else ports.listen

    async def receiver_changed(self, name: str) -> None:
        """It listens from now on, or no longer."""
        if self._layout.both_ways:
            to_it = [link for link in self._ports if link[1] == name]
            await self._put({link: self._placed(link) for link in to_it})

    def _placed(self, link: Link) -> LinkState:
        """What its proxy has to be."""
        state = self._state.get(link, SOUND)
        shut = self._layout.both_ways and not self._nodes[link[1]].listens
        return replace(state, cut=True) if shut else state

    async def move(self, states: Mapping[Link, LinkState]) -> Seen:
        """Returns how we know that all of them are so; raises `NoEffect` if one cannot be seen to be."""
        made = None
        if self._layout.both_ways:
            self._refuse_half_cuts(states)
        before = {link: self._placed(link) for link in states}
        self._state.update(states)
        now = {link: self._placed(link) for link in states}
        await self._datagrams.apply(states)

        async def change() -> None:
            nonlocal made
            await self._put(now)
            made = monotonic() if self._evidence.waits else None

        how = in_words(await self._evidence.of(states, before, now, change))
        return Seen(how, made)

    def _refuse_half_cuts(self, states: Mapping[Link, LinkState]) -> None:
        for link, state in states.items():
            back = states.get(link[::-1], self._state.get(link[::-1], SOUND))
            if state.cut != back.cut:
                raise NoEffect(f"{arrow(link)} cannot be cut one way: {BOTH_WAYS}")

    async def reset(self, links: Iterable[Link]) -> str:
        wanted = dict.fromkeys(links)
        if self._layout.both_ways:
            wanted.update(dict.fromkeys([link[::-1] for link in wanted]))

        async def change() -> None:
            proxies = [proxy for link in wanted for proxy in self._layout.proxies(link)]
            await asyncio.gather(*(self._do(self._fabric.reset(proxy)) for proxy in proxies))

        return in_words(await self._evidence.of_resets(wanted, change))

    async def drained(self, link: Link, limit: Micros) -> bool:
        """Whether all that was sent over this link has arrived, as far as anybody can tell."""
        return await self._evidence.drained(link, self._state.get(link, SOUND), limit)

    async def _put(self, states: Mapping[Link, LinkState]) -> None:
        proxies = {proxy: state for link, state in states.items() for proxy in self._layout.proxies(link)}
        await self._do(self._fabric.apply_all(proxies))

    async def _do(self, call: Awaitable[None]) -> None:
        try:
            await call
        except (FabricError, UserError) as error:
            raise NoEffect(str(error)) from error
