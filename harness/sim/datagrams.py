"""Datagrams in virtual time: they keep their order on a link until a fault says otherwise, and know no connection.

Who gets one is whoever runs at that address when it arrives, be it another incarnation than the one it was sent to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaketable.harness.datagrams import Datagrams
from shaketable.harness.faults import DatagramFault, Link, arrow
from shaketable.harness.records import DatagramCaught
from shaketable.node.env import Micros
from shaketable.node.messages import Message

if TYPE_CHECKING:
    from shaketable.harness.sim.network import SimLink
    from shaketable.harness.sim.world import SimWorld


class SimDatagrams:
    def __init__(self, world: SimWorld) -> None:
        self._world = world
        self._faults = Datagrams(world.seed)
        self._last: dict[Link, Micros] = {}

    def begin(self, number: int, fault: DatagramFault) -> str:
        self._faults.begin(number, fault)
        return "it is drawn for each datagram of the simulated links"

    def end(self, number: int) -> str:
        return self._faults.end(number).words()

    def send(self, link: SimLink, message: Message) -> None:
        world, name = self._world, link.name
        fate = self._faults.fate(name, link.state)
        for number in fate.caught_first:
            world.record(DatagramCaught(number, arrow(name)))
        at = max(world.time + link.delay(), self._last.get(name, 0) + 1)
        self._last[name] = at
        for later in fate.arrivals:
            world.call_later(at + later - world.time, lambda: self._arrive(name, message))

    def _arrive(self, link: Link, message: Message) -> None:
        node = self._world.nodes.get(link[1])
        if node is not None and node.listening:
            node.take(message)
