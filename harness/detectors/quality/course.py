"""One run under one condition, the same in both worlds: members crash at drawn times, while the condition goes on all
the time.

A member that its own system has removed wrongly, and does not take back, is started again, as an operator would do."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.messages import Uuid

CRASHES: Final = 4
"""in a run"""
BETWEEN: Final = (4, 8)
"""windows from the return of one crashed member to the next crash, at least and at most"""
BEFORE: Final = 2
AFTER: Final = 4
"""windows before anything is measured, and after the last crash"""
PATIENCE: Final = 20
"""windows, and the time that a suspect of SWIM has: after them a crash that was not detected, or a join, is not waited
for any more"""
REPAIR: Final = 2
"""A member that the others do not have for so many windows is started again."""


class Sent(msgspec.Struct, frozen=True):
    """By all members, while it is measured."""

    messages: int
    bytes: int
    most: int
    """messages that the busiest member sent, or received if that is more"""


@dataclass(slots=True)
class Trace:
    """What a run leaves to be measured."""

    members: int
    records: Sequence[Record]
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
    sent: Sent | None = None
    """None: nobody counts it"""
    doubts_told: bool = True
    """the members tell whom they suspect"""


class Course(ABC):
    def __init__(self, names: Sequence[str], period: Micros, window: Micros, asked: Micros, seed: int, name: str):
        """`asked`: so long a suspect of SWIM has. `name`: of the condition."""
        self.chance = random.Random(f"{seed}/{name} for {len(names)}")
        self.trace = Trace(len(names), [])
        self._names = names
        self._period, self._window = period, window
        self._patience = PATIENCE * window + asked
        self._crashes = random.Random(f"{seed}/crashes for {len(names)}")
        self._away: dict[str, bool] = {}
        """nodes that are gone, or not yet started again"""
        self._missed: dict[str, int] = {}
        """by node, for how many windows the others have not had it"""
        self._had: dict[Uuid, bool] = {}
        """the processes that the others have had"""
        self._next_look: Micros = 0

    async def measure(self) -> None:
        """From members that are whole on."""
        window = self._window
        await self._begin_to_measure()
        least, most = BETWEEN
        for _ in range(CRASHES):
            await self._pass(self._crashes.randint(least * window, most * window))
            await self._crash_one()
        await self._pass(AFTER * window)
        self.trace.end = self.now()

    async def measure_without_crashes(self, lasts: Micros) -> None:
        await self._begin_to_measure()
        await self._pass(lasts)
        self.trace.end = self.now()

    async def _begin_to_measure(self) -> None:
        self._next_look = self.now() + self._window
        await self.begin_condition()
        await self._pass(BEFORE * self._window)
        self.trace.begin = self.now()
        self.begin_to_count()

    # The world that it goes on in

    @abstractmethod
    async def begin_condition(self) -> None: ...

    @abstractmethod
    def begin_to_count(self) -> None:
        """Messages and bytes, if anybody can count them."""

    @abstractmethod
    def now(self) -> Micros: ...

    @abstractmethod
    async def pass_time(self, delay: Micros) -> None: ...

    @abstractmethod
    async def settle(self) -> None:
        """Until all has been done to members that was asked for."""

    @abstractmethod
    def lose(self, name: str) -> None:
        """The machine of a member, and no link says so."""

    @abstractmethod
    def end_of_lost(self, name: str) -> None:
        """It can be started again from then on."""

    @abstractmethod
    def kill(self, name: str) -> None: ...

    @abstractmethod
    def restart(self, name: str) -> None: ...

    @abstractmethod
    def process_of(self, name: str) -> Uuid:
        """The present one of a node; "": there is none yet."""

    @abstractmethod
    def list_of(self, name: str) -> Collection[Uuid]: ...

    @abstractmethod
    def master_of(self, name: str) -> Uuid:
        """The one that this node follows; "": none."""

    # For the condition

    def followers(self) -> Sequence[str]:
        master = self._master()
        return [
            name for name in self._running() if master and name != master and self._has(master, self.process_of(name))
        ]

    @property
    def ill(self) -> Collection[str]:
        return self.trace.ill

    def is_ill(self, name: str) -> None:
        self.trace.ill[name] = True

    def crash(self, name: str) -> None:
        self._away[name] = True
        self._missed.pop(name, None)
        self.kill(name)

    def start_again(self, name: str) -> None:
        del self._away[name]
        self.restart(name)

    # Crashes

    async def _crash_one(self) -> None:
        """The machine of any member but the master."""
        trace = self.trace
        place, back = self._crashes.random(), self._crashes.randrange(self._period)
        names = self.followers()
        if not names:
            return
        victim = names[int(place * len(names))]
        uuid = self.process_of(victim)
        self._away[victim] = True
        self._missed.pop(victim, None)
        trace.gone[uuid] = self.now()
        self.lose(victim)
        await self._wait_until(lambda: not any(self._has(name, uuid) for name in self._running()))
        trace.looked_until[uuid] = self.now()
        self.end_of_lost(victim)
        await self._pass(back)
        self.start_again(victim)

    async def _wait_until(self, met: Callable[[], bool]) -> None:
        end = self.now() + self._patience
        while not met() and self.now() < end:
            await self._pass(self._period)

    # Repairs

    async def _pass(self, delay: Micros) -> None:
        """After each window it looks who has to be started again."""
        end = self.now() + delay
        while (now := self.now()) < end:
            await self.pass_time(max(0, min(end, self._next_look) - now))
            if self.now() >= self._next_look:
                self._next_look += self._window
                self._repair()
                await self.settle()

    def _repair(self) -> None:
        master = self._master()
        running = self._running()
        there = self.process_of(master) if master else ""
        for name in running:
            uuid = self.process_of(name)
            if self._has(name, there) and (name == master or self._has(master, uuid)):
                self._missed.pop(name, None)
                self._had[uuid] = True
                continue
            self._missed[name] = self._missed.get(name, 0) + 1
            if self._missed[name] >= (REPAIR if uuid in self._had else PATIENCE):
                self.trace.repaired[uuid] = True
                self.crash(name)
                self.start_again(name)

    # What the members hold

    def _running(self) -> list[str]:
        return [name for name in self._names if name not in self._away]

    def _has(self, name: str, uuid: Uuid) -> bool:
        return uuid in self.list_of(name)

    def _master(self) -> str:
        """That of most members; "": of none."""
        nodes = {self.process_of(name): name for name in self._running()}
        held = [self.master_of(name) for name in nodes.values()]
        followed = Counter(nodes[uuid] for uuid in held if uuid in nodes)
        return followed.most_common(1)[0][0] if followed else ""
