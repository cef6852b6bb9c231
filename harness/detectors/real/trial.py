"""One run under one condition on real processes, as a script plays it.

A machine that goes is a process that is stopped where it is: no connection says so. Deeds to members come one after
the other. Faults on links begin and end beside, for their evidence may take long."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from shaketable.harness.detectors.quality.conditions import Condition, Hands
from shaketable.harness.detectors.quality.course import Course
from shaketable.harness.faults.table import LinkFault, Pause
from shaketable.harness.scripting.cluster import Cluster, Injected, begins, beside
from shaketable.node.core.env import MILLISECOND, Micros
from shaketable.node.messages import Uuid

LOOK: Final[Micros] = 100 * MILLISECOND
Deed = Callable[[], Coroutine[Any, Any, None]]


class Times(NamedTuple):
    """Of all that are measured together."""

    period: Micros
    missed: int

    @property
    def window(self) -> Micros:
        return self.period * self.missed


class _On(NamedTuple):
    fault: LinkFault | Pause
    injected: Injected


class RealTrial(Course):
    def __init__(
        self, cluster: Cluster, names: Sequence[str], times: Times, seed: int, name: str, condition: Condition
    ) -> None:
        settings = cluster.settings
        asked = settings.suspicion_wait(len(names)) if settings.swims else 0
        super().__init__(names, times.period, times.window, asked, seed, name)
        self.names = names
        self.window = times.window
        self._cluster = cluster
        self._condition = condition
        self._begun = 0
        self._on: dict[int, _On] = {}
        self._to_end: dict[int, bool] = {}
        """that were to end before they had begun"""
        self._deeds: deque[Deed] = deque()
        self._due: list[tuple[Micros, int, Callable[[], None]]] = []
        """a heap: when each call is due, and in which order they were asked for"""
        self._calls = 0
        self._under_way = 0
        """so many faults on links are beginning or ending"""
        self._error: BaseException | None = None
        """of what went on beside"""

    async def run(self) -> None:
        """To its end, at which no fault on links is half begun or half ended."""
        await self._cluster.form(*self.names)
        await self.measure()
        await self._links_settle()

    # What a condition does

    @property
    def members(self) -> Hands:
        return self

    def begin(self, fault: LinkFault | Pause) -> int:
        self._begun += 1
        number = self._begun
        self._do(fault, lambda: self._begin(number, fault))
        return number

    def end(self, faults: Sequence[int]) -> None:
        for number in faults:
            on = self._on.pop(number, None)
            if on is None:
                self._to_end[number] = True
            else:
                self._do(on.fault, partial(self._cluster.heal, on.injected))

    def later(self, delay: Micros, call: Callable[[], None]) -> None:
        self._calls += 1
        heapq.heappush(self._due, (self.now() + delay, self._calls, call))

    def _do(self, fault: LinkFault | Pause, deed: Deed) -> None:
        if isinstance(fault, Pause):
            self._deeds.append(deed)
            return
        self._under_way += 1
        beside(self._cluster, deed(), self._over)

    def _over(self, result: Any, error: BaseException | None) -> None:
        self._under_way -= 1
        self._error = self._error or error

    async def _begin(self, number: int, fault: LinkFault | Pause) -> None:
        if isinstance(fault, Pause) and not self._cluster.seen.view(fault.node).running:
            return
        injected = await begins(self._cluster, fault)
        if number in self._to_end:
            await self._cluster.heal(injected)
        else:
            self._on[number] = _On(fault, injected)

    # The world

    async def begin_condition(self) -> None:
        assert self._condition.really is not None, "it was refused before anything began"
        self._condition.really(self)
        await self.settle()
        await self._links_settle()

    async def _links_settle(self) -> None:
        while self._under_way:
            await self._cluster.sleep(LOOK)

    def begin_to_count(self) -> None:
        """Nobody does: links carry bytes, and know of no messages."""

    def now(self) -> Micros:
        return self._cluster.seen.now()

    async def pass_time(self, delay: Micros) -> None:
        """Each call comes when it is due, or as soon as the deeds before it are done."""
        end = self.now() + delay
        await self.settle()
        while self._due and self._due[0][0] <= end:
            at, _, call = heapq.heappop(self._due)
            await self._sleep_until(at)
            call()
            await self.settle()
        await self._sleep_until(end)

    async def _sleep_until(self, at: Micros) -> None:
        if (left := at - self.now()) > 0:
            await self._cluster.sleep(left)
        if self._error is not None:
            raise self._error

    async def settle(self) -> None:
        while self._deeds:
            await self._deeds.popleft()()

    def lose(self, name: str) -> None:
        self.begin(Pause(name))

    def end_of_lost(self, name: str) -> None:
        self.kill(name)

    def kill(self, name: str) -> None:
        async def kill() -> None:
            self.trace.gone.setdefault(self.process_of(name), self.now())
            await self._cluster.kill(name)

        self._deeds.append(kill)

    def restart(self, name: str) -> None:
        self._deeds.append(lambda: self._cluster.restart(name))

    def process_of(self, name: str) -> Uuid:
        return self._cluster.seen.view(name).incarnation

    def list_of(self, name: str) -> Collection[Uuid]:
        return [member.uuid for member in self._cluster.seen.view(name).members]

    def master_of(self, name: str) -> Uuid:
        """Where members are a set there is none: the first one has its part, and never crashes."""
        seen = self._cluster.seen.view(name)
        if seen.a_set:
            return self.process_of(self.names[0])
        return "" if seen.master is None else seen.master.uuid
