"""Whether this process runs when it has something to do, and how long frames are under way to it: what a busy machine
does to a node. What the process computes itself is no doing of the machine's, and is taken off."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from shaketable.node.core.env import MILLISECOND, Micros
from shaketable.node.events import Event, FramesLate, StoodStill
from shaketable.node.messages import Address

LATE: Final[Micros] = 500 * MILLISECOND
"""less is not told"""


def computed() -> Micros:
    """By this process, so far."""
    return time.process_time_ns() // 1000


class Lateness:
    def __init__(self, report: Callable[[Event], None], computed: Callable[[], Micros] = computed) -> None:
        self._report = report
        self._computed = computed
        self._due: Micros | None = None
        self._computed_before = computed()
        """by the last look"""
        self._under_way: dict[Address, Micros] = {}
        """by sender, what was told last of frames that are late"""

    def look(self, now: Micros, interval: Micros) -> None:
        """The process looks once an interval, unless it cannot."""
        computed = self._computed()
        if self._due is not None:
            stood = now - self._due - (computed - self._computed_before)
            if stood >= LATE:
                self._report(StoodStill(stood))
        self._due, self._computed_before = now + interval, computed

    def came(self, sender: Address, sent: Micros, now: Micros) -> None:
        """A frame."""
        if now - sent < LATE:
            if self._under_way:
                self._under_way.pop(sender, None)
            return
        late = now - sent - (self._computed() - self._computed_before)
        if late >= 2 * self._under_way.get(sender, LATE // 2):
            self._under_way[sender] = late
            self._report(FramesLate(sender, late))
