"""Whether this process runs when it has something to do, and how long frames are under way to it: what a busy machine
does to a node. The process's own computing is no doing of the machine's, and is taken off."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import Event, FramesLate, StoodStill
from shaketable.node.messages import Address

LATE: Final[Micros] = 500 * MILLISECOND
"""less is not told, unless the process has to look more often"""
AGAIN: Final[Micros] = 5 * SECOND
"""of frames that are late it is told so often, and when it has doubled"""


def computed() -> Micros:
    """By this process, so far."""
    return time.process_time_ns() // 1000


class Lateness:
    def __init__(
        self, interval: Micros, report: Callable[[Event], None], computed: Callable[[], Micros] = computed
    ) -> None:
        """The process looks once an `interval`, unless it cannot."""
        self._interval = interval
        self._late = min(LATE, interval)
        self._report = report
        self._computed = computed
        self._due: Micros | None = None
        self._computed_before = computed()
        """by the last look"""
        self._told: dict[Address, tuple[Micros, Micros]] = {}
        """by sender, when frames were told last to be late, and how late"""

    def look(self, now: Micros) -> None:
        computed = self._computed()
        if self._due is not None:
            stood = now - self._due - (computed - self._computed_before)
            if stood >= self._late:
                self._report(StoodStill(stood))
        self._due, self._computed_before = now + self._interval, computed

    def came(self, sender: Address, sent: Micros, now: Micros) -> None:
        """A frame."""
        if now - sent < self._late:
            return
        late = now - sent - (self._computed() - self._computed_before)
        at, told = self._told.get(sender, (now, self._late // 2))
        if late >= 2 * told or (late >= self._late and now - at >= AGAIN):
            self._told[sender] = now, late
            self._report(FramesLate(sender, late))
