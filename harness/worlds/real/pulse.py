"""Whether the harness itself comes to its moments in time. If not, it may have missed what a node did in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.process.lateness import LATE
from shaketable.node.process.outlink import monotonic

INTERVAL: Final[Micros] = 250 * MILLISECOND


class Pulse:
    def __init__(self, late: Callable[[Micros], None]) -> None:
        """`late` is told by how much it was late."""
        self._late = late
        self._next: asyncio.TimerHandle | None = None

    def start(self) -> None:
        due = monotonic() + INTERVAL
        self._next = asyncio.get_running_loop().call_later(INTERVAL / SECOND, self._beat, due)

    def stop(self) -> None:
        if self._next is not None:
            self._next.cancel()

    def _beat(self, due: Micros) -> None:
        lateness = monotonic() - due
        if lateness >= LATE:
            self._late(lateness)
        self.start()
