"""The timers of a node, by its own clock: a heap, and one wake-up of the event loop for the earliest of them.

Never early by the node's clock. When the clock jumps or changes its rate, the wake-up is computed anew."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final

from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events.base import TIMER, Cause, Mark, cause_of
from shaketable.node.shaking.clock import NodeClock

MOST_AT_ONCE: Final = 100
"""steps of timers before sockets get their turn"""


class NodeTimer:
    __slots__ = ("callback", "mark")

    def __init__(self, callback: Callable[[], None], mark: Mark) -> None:
        self.callback: Callable[[], None] | None = callback
        self.mark = mark

    def cancel(self) -> None:
        self.callback = None


class Timers:
    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        clock: NodeClock,
        true_now: Callable[[], Micros],
        step: Callable[[Callable[[], None], Cause], None],
    ) -> None:
        """`step` runs what is due, as a step of its own."""
        self._loop = loop
        self._clock = clock
        self._true_now = true_now
        self._step = step
        self._heap: list[tuple[Micros, int, NodeTimer]] = []
        self._count = 0
        self._wake_up: asyncio.Handle | None = None
        self._running = False

    def call_later(self, delay: Micros, callback: Callable[[], None], mark: Mark = 0) -> NodeTimer:
        self._count += 1
        timer = NodeTimer(callback, mark)
        heappush(self._heap, (self._clock.now() + delay, self._count, timer))
        if self._heap[0][2] is timer:
            self.look_again()
        return timer

    def look_again(self) -> None:
        """The earliest timer or the clock has changed."""
        if self._running:
            return  # it looks when it has run what is due
        if self._wake_up is not None:
            self._wake_up.cancel()
            self._wake_up = None
        while self._heap and self._heap[0][2].callback is None:
            heappop(self._heap)
        if self._heap:
            wait = self._clock.true_time_of(self._heap[0][0]) - self._true_now()
            if wait > 0:
                self._wake_up = self._loop.call_later(wait / SECOND, self._run_due)
            else:
                self._wake_up = self._loop.call_soon(self._run_due)

    def stop(self) -> None:
        self._heap.clear()
        self.look_again()

    def _run_due(self) -> None:
        self._running = True
        try:
            for _ in range(MOST_AT_ONCE):
                # The loop may wake us a little early by this clock; then nothing is due yet.
                if not self._heap or self._heap[0][0] > self._clock.now():
                    break
                _, _, timer = heappop(self._heap)
                if timer.callback is not None:
                    self._step(timer.callback, cause_of(TIMER, timer.mark))
        finally:
            self._running = False
        self.look_again()
