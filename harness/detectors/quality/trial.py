"""One run under one condition: members crash at drawn times, all the while is measured, and the raw records are kept.

A member that its own system has removed wrongly, and does not take back, is started again, as an operator would do."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from shaketable.harness.detectors.members import Members
from shaketable.harness.detectors.quality.conditions import Condition
from shaketable.harness.detectors.variants import Variant
from shaketable.harness.faults.actions import Kill, Restart
from shaketable.harness.records import Record
from shaketable.harness.worlds.sim.load import Loads
from shaketable.node.core.env import Micros
from shaketable.node.messages import Uuid

CRASHES: Final = 4
"""in a run"""
PATIENCE: Final = 20
"""windows, and the time that a suspect of SWIM has: after them a crash that was not detected, or a join, is not waited
for any more"""
REPAIR: Final = 2
"""A member that the others do not have for so many windows is started again."""


@dataclass(slots=True)
class Trace:
    """What a run leaves to be measured."""

    members: int
    records: list[Record]
    begin: Micros = 0
    end: Micros = 0
    """of the time that is measured"""
    gone: dict[Uuid, Micros] = field(default_factory=dict)
    """by the process, when its machine went"""
    looked_until: dict[Uuid, Micros] = field(default_factory=dict)
    """of the same"""
    repaired: dict[Uuid, bool] = field(default_factory=dict)
    ill: dict[str, bool] = field(default_factory=dict)
    """the nodes to which the condition does something all the while, where it spares others"""
    messages: int = 0
    bytes: int = 0
    most: int = 0
    """messages that the busiest member sent, or received if that is more"""


class Trial:
    def __init__(self, variant: Variant, members: int, seed: int, name: str, condition: Condition) -> None:
        self.members = Members(variant, members, seed)
        self.chance = random.Random(f"{seed}/{name} for {members}")
        self._world = self.members.world
        self._trace = Trace(members, [])
        self._world.kept = self._trace.records
        self._condition = condition
        self._crashes = random.Random(f"{seed}/crashes for {members}")
        self._away: dict[str, bool] = {}
        """nodes that are gone, or not yet started again"""
        self._missed: dict[str, int] = {}
        """by node, for how many windows the others have not had it"""
        self._had: dict[Uuid, bool] = {}
        """the processes that the others have had"""
        self._next_look: Micros = 0
        self._loads: Loads | None = None

    def run(self) -> Trace:
        members, world, trace = self.members, self._world, self._trace
        members.form()
        self._next_look = world.time + members.window
        self._loads = self._condition.begin(self)
        self._pass(2 * members.window)
        trace.begin = world.time
        world.traffic.begin(weighs=True)
        for _ in range(CRASHES):
            self._pass(self._crashes.randint(4 * members.window, 8 * members.window))
            self._crash_one()
        self._pass(4 * members.window)
        trace.end = world.time
        traffic = world.traffic
        trace.messages, trace.bytes = traffic.messages.total(), traffic.bytes
        trace.most = max(*traffic.sent.values(), *traffic.received.values())
        return trace

    # For the condition

    def followers(self) -> Sequence[str]:
        master, world = self._master(), self._world
        return [
            name
            for name in self._running()
            if master and name != master and self._has(master, world.nodes[name].incarnation)
        ]

    @property
    def ill(self) -> Collection[str]:
        return self._trace.ill

    def is_ill(self, name: str) -> None:
        self._trace.ill[name] = True

    def crash(self, name: str) -> None:
        self._away[name] = True
        self._missed.pop(name, None)
        self._world.do(Kill(name))

    def start_again(self, name: str) -> None:
        del self._away[name]
        self._world.do(Restart(name))
        if self._loads is not None and name in self._trace.ill:
            self._loads.started(self._world.nodes[name])

    # Crashes

    def _crash_one(self) -> None:
        """The machine of any member but the master."""
        members, world, trace = self.members, self._world, self._trace
        place, back = self._crashes.random(), self._crashes.randrange(members.period)
        names = self.followers()
        if not names:
            return
        victim = names[int(place * len(names))]
        uuid = world.nodes[victim].incarnation
        self._away[victim] = True
        self._missed.pop(victim, None)
        trace.gone[uuid] = world.time
        faults = members.lose(victim)
        self._wait_until(lambda: not any(self._has(name, uuid) for name in self._running()))
        trace.looked_until[uuid] = world.time
        world.do(Kill(victim))
        members.end(faults)
        self._pass(back)
        self.start_again(victim)

    def _wait_until(self, met: Callable[[], bool]) -> None:
        s = self._world.settings
        asked = s.suspicion_wait(len(self.members.names)) if s.swims else 0
        end = self._world.time + PATIENCE * self.members.window + asked
        while not met() and self._world.time < end:
            self._pass(self.members.period)

    # Repairs

    def _pass(self, delay: Micros) -> None:
        """After each window it looks who has to be started again."""
        left = delay
        while left > 0:
            step = min(left, self._next_look - self._world.time)
            self._world.pass_time(step)
            left -= step
            if self._world.time >= self._next_look:
                self._next_look += self.members.window
                self._repair()

    def _repair(self) -> None:
        master, world = self._master(), self._world
        running = self._running()
        there = world.nodes[master].incarnation if master else ""
        for name in running:
            uuid = world.nodes[name].incarnation
            if self._has(name, there) and (name == master or self._has(master, uuid)):
                self._missed.pop(name, None)
                self._had[uuid] = True
                continue
            self._missed[name] = self._missed.get(name, 0) + 1
            if self._missed[name] >= (REPAIR if uuid in self._had else PATIENCE):
                self._trace.repaired[uuid] = True
                self.crash(name)
                self.start_again(name)

    # What the members hold

    def _running(self) -> list[str]:
        return [name for name in self.members.names if name not in self._away]

    def _has(self, name: str, uuid: Uuid) -> bool:
        held = self._world.lists.get(name)
        return held is not None and any(member.uuid == uuid for member in held.members)

    def _master(self) -> str:
        """That of most members; "": of none."""
        world = self._world
        nodes = {world.nodes[name].incarnation: name for name in self._running()}
        held = [world.lists[name].master.uuid for name in nodes.values() if name in world.lists]
        followed = Counter(nodes[uuid] for uuid in held if uuid in nodes)
        return followed.most_common(1)[0][0] if followed else ""
