"""CPU load in virtual time: each node runs in turns, with drawn spells between them in which it executes nothing.

A spell lasts for up to half a heartbeat interval, and the turn after it for one part in `busy` of that spell. Messages
and calls that come meanwhile wait, and run in order in the next turn; the node's clock runs on, as in a pause."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Final

from shaketable.harness.worlds.sim.heap import Heap
from shaketable.harness.worlds.sim.node import SimNode
from shaketable.node.core.env import MILLISECOND, Micros

SHORTEST_TURN: Final[Micros] = MILLISECOND


class Loads:
    def __init__(self, seed: int, heap: Heap, heartbeat_interval: Micros) -> None:
        self._seed = seed
        self._heap = heap
        self._longest = heartbeat_interval // 2
        self._busy: dict[int, int] = {}
        """of each load that lasts, by its number"""

    def begin(self, number: int, busy: int, nodes: Iterable[SimNode]) -> None:
        self._busy[number] = busy
        for node in nodes:
            self._take_turns(number, node)

    def end(self, number: int, nodes: Iterable[SimNode]) -> None:
        del self._busy[number]
        for node in nodes:
            node.feed(number)

    def started(self, node: SimNode) -> None:
        for number in self._busy:
            self._take_turns(number, node)

    def _take_turns(self, number: int, node: SimNode) -> None:
        rng = random.Random(f"{self._seed}/load {number}/{node.name}/{node.life}")

        def wait() -> None:
            busy = self._busy.get(number)
            if busy is None or node.ended:
                return
            node.starve(number)
            spell = 1 + rng.randrange(self._longest)
            self._heap.call_later(spell, lambda: run(max(SHORTEST_TURN, spell // busy)))

        def run(turn: Micros) -> None:
            if number in self._busy and not node.ended:
                node.feed(number)
                self._heap.call_later(turn, wait)

        self._heap.call_later(rng.randrange(self._longest), wait)
