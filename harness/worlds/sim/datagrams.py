"""Datagrams in virtual time: they keep their order on a link until a fault says otherwise, and know no connection.

The node that runs at the address when a datagram arrives gets it, even if it is another incarnation than the one that
the datagram was sent to."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.harness.faults.datagrams import Datagrams
from shaketable.harness.faults.table import DatagramFault, Link, arrow
from shaketable.harness.records import DatagramCaught
from shaketable.harness.worlds.sim.heap import Heap
from shaketable.harness.worlds.sim.network import SimLink
from shaketable.node.core.env import Micros
from shaketable.node.events import Event
from shaketable.node.events.base import Mark
from shaketable.node.messages import Message


class SimDatagrams:
    def __init__(
        self, seed: int, heap: Heap, record: Callable[[Event], None], arrive: Callable[[str, Message, Mark], None]
    ) -> None:
        """`arrive` hands one over to the node that runs under this name."""
        self._heap = heap
        self._record = record
        self._arrive = arrive
        self._faults = Datagrams(seed)
        self._last: dict[Link, Micros] = {}

    def begin(self, number: int, fault: DatagramFault) -> str:
        self._faults.begin(number, fault)
        return "it is drawn for each datagram of the simulated links"

    def end(self, number: int) -> str:
        return self._faults.end(number).words()

    def send(self, link: SimLink, message: Message, mark: Mark = 0) -> None:
        heap, name = self._heap, link.name
        fate = self._faults.fate(name, link.state)
        for number in fate.caught_first:
            self._record(DatagramCaught(number, arrow(name)))
        at = max(heap.time + link.delay(), self._last.get(name, 0) + 1)
        self._last[name] = at
        for later in fate.arrivals:
            heap.call_later(at + later - heap.time, lambda: self._arrive(name[1], message, mark))
