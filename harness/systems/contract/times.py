"""The times that one process tells. Its clock is the monotonic clock of the machine, which is the harness's as well."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.core.env import SECOND, Micros
from shaketable.node.process.contract import MOST_A_SECOND
from shaketable.node.process.outlink import monotonic


class Times:
    def __init__(self, began: Micros | None = None, now: Callable[[], Micros] = monotonic) -> None:
        """`began`: when the process did, at the earliest; without it now."""
        self._now = now
        self._began = self._latest = self._second = now() if began is None else began
        self._in_second = 0

    def wrong(self, told: Micros) -> str:
        """Says what the process does that tells this time, where it cannot be the time; "": it can."""
        latest, now = self._latest, self._now()
        self._latest = max(latest, told)
        if told > now:
            return f"tells the time {told}, and it is {now}"
        if told < self._began:
            return f"tells the time {told}, and it was started at {self._began}"
        return f"tells a time that goes back by {latest - told} us" if told < latest else ""

    def too_many(self, told: Micros) -> str:
        """Says so, if this is an event too many in a second; "": it is not."""
        if told - self._second >= SECOND:
            self._second, self._in_second = told, 0
        self._in_second += 1
        return f"tells more than {MOST_A_SECOND:,} events in a second" if self._in_second > MOST_A_SECOND else ""
