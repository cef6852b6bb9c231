"""Healing and waiting: heal, sleep, calm, until, expect, always, together."""

from __future__ import annotations

from collections.abc import Coroutine
from inspect import CORO_CREATED, getcoroutinestate, iscoroutine
from typing import Any

from shaketable.harness.conditions.cluster import Condition
from shaketable.harness.errors import ScriptError
from shaketable.harness.records import Expected, StepKind
from shaketable.harness.scripting.fault_book import Injected
from shaketable.harness.scripting.steps import Together, Until
from shaketable.harness.scripting.verbs.base import Names, Verbs, whole
from shaketable.node.config import GMS
from shaketable.node.core.env import SECOND, Micros


class Waiting(Verbs):
    async def heal(self, fault: Injected) -> None:
        """Ends only this fault. The link stays as bad as the worst fault that is left."""
        if not isinstance(fault, Injected):
            raise ScriptError(f"heal takes what the fault's verb gave when it was awaited, not {type(fault).__name__}")
        if self._faults.healed(fault.number):
            raise ScriptError(f"fault {fault.number} ({fault.verb}) is healed already")
        await self._faults.end(fault.number)

    async def heal_link(self, a: Names, b: Names) -> None:
        """Ends every fault on the link, in either direction."""
        for number in self._faults.on(*self._between(a, b)):
            await self._faults.end(number)

    async def heal_all(self) -> None:
        """Ends every fault that lasts."""
        await Together(tuple(self._faults.end(number) for number in self._faults.on()))

    async def sleep(self, time: Micros) -> None:
        """Waits this long."""
        await self._sleep(time)

    async def calm(self) -> None:
        """Waits until nothing has begun or ended for so long that the checks judge it: the settle bound, what this
        world adds, and a heartbeat interval. In a group that misses more than two members the bound is longer. If data
        are in use it also waits what this world adds once more, another heartbeat interval, and the pause after a
        failed migration."""
        self._step(f"calm for {self._enough() / SECOND:g} s")
        while (left := self._world.observed.calm + self._enough() - self._world.now()) > 0:
            await self._sleep(left)

    def _enough(self) -> Micros:
        observed, settings = self._world.observed, self.settings
        of_a_group = settings.family == GMS
        settled = self.bounds.group.settle_without(observed.missing) if of_a_group else self.bounds.settle()
        enough = settled + self._world.allowance + settings.heartbeat_interval
        if any(node.partitions.version for node in observed.nodes.values()):
            enough += self._world.allowance + settings.heartbeat_interval + settings.migration_pause
        return enough

    async def until(self, condition: Condition, *, within: Micros) -> None:
        """Waits until the condition holds. If it does not hold within that time, the run has failed."""
        _is_condition(condition)
        self._step(f"until {condition.label}", StepKind.WAITS)
        await self._met(condition, whole(within, "within"))

    async def expect(self, condition: Condition, *, within: Micros) -> None:
        """Says what must hold at the end. `within` counts from the last fault, its end, or a node that came or went."""
        _is_condition(condition)
        self._step(f"expect that {condition.label}")
        bound = whole(within, "within") + self._world.allowance
        why_not = await Until(condition, self._world.observed.calm + bound)
        self._world.record(Expected(condition.label, bound, why_not is None, why_not or ""))
        if why_not is not None:
            said = f"expected within {bound / SECOND:g} s of the last fault: {condition.label}; but {why_not}"
            await self._not_met(said)

    def always(self, condition: Condition) -> None:
        """From now on this must hold at every moment of the run."""
        self._driver.always(_is_condition(condition))

    async def together(self, *scripts: Coroutine[Any, Any, Any]) -> list[Any]:
        """Runs these at once, and returns all results in order. If one fails, the others are cancelled, and then it
        fails too."""
        for number, script in enumerate(scripts):
            if not iscoroutine(script):
                raise ScriptError(f"together takes calls of verbs or of async functions, not {type(script).__name__}")
            if getcoroutinestate(script) != CORO_CREATED or any(script is other for other in scripts[:number]):
                raise ScriptError(f"together was given the same call of {script.__name__} twice")
        return await Together(scripts)


def _is_condition(condition: object) -> Condition:
    if not isinstance(condition, Condition):
        raise ScriptError(
            f"that is no condition (cluster.that.agree(...), cluster.that.settled()), but {type(condition).__name__}"
        )
    return condition
