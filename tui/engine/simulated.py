"""A simulated run for the screens: virtual time passes as fast as it is told to, stands still, or goes step by step.

It is simulated in short slices, so that an order never waits long."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Final

from shaketable.harness.records import Record
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.core.env import SECOND
from shaketable.node.legacy import make_member
from shaketable.tui.engine.outlet import Outlet
from shaketable.tui.engine.playing import Play
from shaketable.tui.engine.protocol import Begin, Said

SLICE: Final = 0.02
"""wall seconds"""
AT_ONCE: Final = 100
"""things that happen between two looks at the clock"""
HURRIED: Final = 0.25
"""wall seconds that it may be late; what it is later than that is forgotten"""
STILL: Final = 600 * SECOND
"""virtual time in which a node that lives does something"""


class SimulatedPlay(Play):
    world: SimWorld

    def __init__(self, begin: Begin, transport: asyncio.WriteTransport) -> None:
        super().__init__(begin)
        self.world = SimWorld(self.options.seed, self.settings, make_member)
        self.outlet = Outlet(transport, self.world.records)
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._speed = begin.speed
        self._goal = 0
        """while it is halted: it goes on until so many records have come"""
        self._anchor = (0.0, 0)
        """a moment of the wall clock, and the virtual time that belongs to it"""

    @property
    def records(self) -> list[Record]:
        return self.world.records

    async def _prepare(self) -> bool:
        return not self.stopping

    async def _close(self) -> None: ...

    async def _live(self) -> None:
        assert self._run is not None
        self.world.on_endless = self._run.driver.give_up
        self._begin_anew()
        self._loop.call_soon(self._tick)
        await self._ended

    def set_speed(self, speed: float | None) -> None:
        if speed is not None and not (math.isfinite(speed) and speed >= 0):
            self.outlet.say(Said(f"a speed is 0 or more virtual seconds a second, not {speed}", True))
            return
        self._speed, self._goal = speed, 0
        self._begin_anew()

    def step_on(self, events: int) -> None:
        self.set_speed(0)
        self._goal = len(self.records) + max(1, events)

    def _begin_anew(self) -> None:
        self._anchor = (self._loop.time(), self.world.time)

    def _tick(self) -> None:
        if self._ended.done():
            return
        try:
            wait = self._slice()
            self.keep()
        except BaseException as error:
            self._ended.set_exception(error)
            return
        if self._is_over() or not self.world.heap:
            self._ended.set_result(None)
        else:
            self._loop.call_later(wait, self._tick)

    def _slice(self) -> float:
        """How long to wait until the next one."""
        if self.outlet.behind and not self.stopping:
            self._begin_anew()
            return SLICE
        if self.stopping or self._speed is None:
            self._run_while(lambda: True, AT_ONCE)
            return SLICE if self._stands_still() else 0
        if self._goal:
            self._run_while(lambda: len(self.records) < self._goal, 1)
            if len(self.records) < self._goal:
                return 0
            self._goal = 0
        self._run_to(self._due())
        return SLICE

    def _is_enough(self) -> bool:
        return self._is_over() or (self._speed is None and self._stands_still())

    def _stands_still(self) -> bool:
        """By hand, and no node lives that would do anything: years would pass in a moment, and with them the limit."""
        at = self.world.heap.next_at() if self._by_hand and not self.stopping else None
        return at is not None and at - self.world.time > STILL

    def _due(self) -> int:
        """The virtual time that it is to be by now."""
        began, at = self._anchor
        passed = round((self._loop.time() - began) * (self._speed or 0) * SECOND)
        return max(at + passed, self.world.time)  # halted, it does what is due at this very moment

    def _run_to(self, due: int) -> None:
        heap = self.world.heap

        def comes_first() -> bool:
            at = heap.next_at()
            return at is not None and at <= due

        self._run_while(comes_first, 1)
        if self._is_over() or not heap:
            return
        if not comes_first():
            heap.pass_to(due)
        elif (due - self.world.time) / SECOND > HURRIED * (self._speed or 0):
            self._begin_anew()

    def _run_while(self, so: Callable[[], bool], most: int) -> None:
        ends, world = self._loop.time() + SLICE, self.world
        while world.heap and not self._is_enough() and so():
            world.run(self._is_enough, most)
            if self._loop.time() > ends:
                break

    def _is_over(self) -> bool:
        assert self._run is not None
        return self._run.driver.outcome is not None
