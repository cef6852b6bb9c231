"""One run under one condition in the simulated world, where all is done at once; the raw records are kept."""

from __future__ import annotations

from collections.abc import Collection, Coroutine
from typing import Any

from shaketable.harness.detectors.members import Members
from shaketable.harness.detectors.quality.conditions import Condition
from shaketable.harness.detectors.quality.course import Course, Sent, Trace
from shaketable.harness.detectors.variants import Variant
from shaketable.harness.faults.actions import Kill, Restart
from shaketable.harness.records import Record
from shaketable.harness.worlds.sim.load import Loads
from shaketable.node.core.env import Micros
from shaketable.node.messages import Uuid


class Trial(Course):
    def __init__(self, variant: Variant, members: int, seed: int, name: str, condition: Condition) -> None:
        self.members = Members(variant, members, seed)
        settings = variant.settings
        asked = settings.suspicion_wait(members) if settings.swims else 0
        super().__init__(self.members.names, self.members.period, self.members.window, asked, seed, name)
        self._world = self.members.world
        self._world.kept = self._kept = list[Record]()
        self._condition = condition
        self._lost: dict[str, list[int]] = {}
        """by node, the faults that keep its machine away"""
        self._loads: Loads | None = None

    def run(self, *, without_crashes: Micros | None = None) -> Trace:
        """`without_crashes`: for so long nobody crashes, and no longer is measured."""
        self.members.form()
        at_once(self.measure() if without_crashes is None else self.measure_without_crashes(without_crashes))
        traffic, trace = self._world.traffic, self.trace
        trace.records = self._kept
        most = max(*traffic.sent.values(), *traffic.received.values())
        trace.sent = Sent(traffic.messages.total(), traffic.bytes, most)
        return trace

    async def begin_condition(self) -> None:
        self._loads = self._condition.begin(self)

    def begin_to_count(self) -> None:
        self._world.traffic.begin(weighs=True)

    def now(self) -> Micros:
        return self._world.time

    async def pass_time(self, delay: Micros) -> None:
        self._world.pass_time(delay)

    async def settle(self) -> None:
        """All is done."""

    def lose(self, name: str) -> None:
        self._lost[name] = [*self.members.lose(name)]

    def end_of_lost(self, name: str) -> None:
        self._world.do(Kill(name))
        self.members.end(self._lost.pop(name))

    def kill(self, name: str) -> None:
        self._world.do(Kill(name))

    def restart(self, name: str) -> None:
        self._world.do(Restart(name))
        if self._loads is not None and name in self.ill:
            self._loads.started(self._world.nodes[name])

    def process_of(self, name: str) -> Uuid:
        return self._world.nodes[name].incarnation

    def list_of(self, name: str) -> Collection[Uuid]:
        held = self._world.lists.get(name)
        return () if held is None else [member.uuid for member in held.members]

    def master_of(self, name: str) -> Uuid:
        held = self._world.lists.get(name)
        return "" if held is None else held.master.uuid


def at_once(course: Coroutine[Any, Any, None]) -> None:
    """To its end: it waits for nothing but virtual time, which passes while it calls."""
    try:
        course.send(None)
    except StopIteration:
        return
    raise RuntimeError("it waits for what does not pass by itself")
