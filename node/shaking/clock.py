"""A node's own clock: true time, but for jumps and a rate that chaos may set.

Pure and the same in both worlds. Integers only, so that a timer is never early by the very clock that it asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from shaketable.node.core.env import Micros

_MILLION: Final = 1_000_000


class NodeClock:
    """Reads true time until it is told otherwise; never goes back."""

    __slots__ = ("_local", "_rate", "_true", "_true_now", "was_set")

    def __init__(self, true_now: Callable[[], Micros]) -> None:
        self._true_now = true_now
        # At true time `_true` it read `_local`; since then it goes `_rate` microseconds a true second.
        self._true = self._local = 0
        self._rate = _MILLION
        self.was_set = False
        """False: it reads true time"""

    def now(self) -> Micros:
        return self._local + (self._true_now() - self._true) * self._rate // _MILLION

    def jump(self, by: Micros) -> None:
        if by < 0:
            raise ValueError(f"a monotonic clock does not go back (a jump by {by} us)")
        self._begin_afresh(self._rate)
        self._local += by

    def set_rate(self, ppm: int) -> None:
        """From now on so many millionths fast, or slow if below zero."""
        if ppm <= -_MILLION:
            raise ValueError(f"a clock that is {-ppm} millionths slow stands still or goes back")
        self._begin_afresh(_MILLION + ppm)

    def true_time_of(self, local: Micros) -> Micros:
        """The first true time at which `now()` is at least `local`, if nobody sets the clock before.

        A time that was reached before the clock was last set gives the true time of that setting."""
        ahead = local - self._local
        return self._true + max(0, -(-ahead * _MILLION // self._rate))

    def _begin_afresh(self, rate: int) -> None:
        self.was_set = True
        true = self._true_now()
        self._local += (true - self._true) * self._rate // _MILLION
        self._true = true
        self._rate = rate
