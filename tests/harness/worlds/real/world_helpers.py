"""A real world that a test acts in by awaiting, as a script would by steps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
from tests.waiting import HANG, until

from shaketable.harness.conditions.cluster import Condition, agree
from shaketable.harness.faults.actions import Action, Begin, End, NoEffect, Receipt, Start
from shaketable.harness.faults.link_kinds import SLOW
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.table import Link, LinkFault
from shaketable.harness.faults.verb import Fault
from shaketable.harness.records import Record
from shaketable.harness.systems.ours import SHAKETABLE
from shaketable.harness.systems.system import System
from shaketable.harness.worlds.real.world import RealWorld
from shaketable.node.config import FAST, Settings
from shaketable.node.events import Event


class Stage:
    def __init__(self, world: RealWorld, records: list[Record], folder: Path) -> None:
        self.world = world
        self.records = records
        self.folder = folder
        self._number = 0

    async def act(self, action: Action) -> str:
        """How it is known that it took effect."""
        return (await self.receipt(action)).how

    async def receipt(self, action: Action) -> Receipt:
        answer: asyncio.Future[Receipt | NoEffect] = asyncio.get_running_loop().create_future()
        self.world.act(action, answer.set_result)
        result = await asyncio.wait_for(answer, HANG)
        if isinstance(result, NoEffect):
            raise result
        assert result.at <= self.world.now()
        return result

    async def begin(self, fault: Fault) -> tuple[int, str]:
        self._number += 1
        return self._number, await self.act(Begin(self._number, fault))

    async def end(self, number: int) -> str:
        return await self.act(End(number))

    async def link_fault(self, *links: Link, state: LinkState) -> tuple[int, str]:
        return await self.begin(LinkFault(SLOW, links, state))

    async def until(self, holds: Callable[[], object]) -> None:
        await until(holds)

    async def met(self, condition: Condition) -> None:
        await self.until(lambda: condition.why_not(self.world.observed) is None)

    async def form(self, *names: str) -> None:
        await self.act(Start(names, names, run=False))
        for n, name in enumerate(names):
            await self.act(Start((name,), names))
            await self.met(agree(names[: n + 1]))

    def events(self, node: str = "", kind: type[Event] = Event) -> list[Event]:
        return [r.event for r in self.records if r.node == node and isinstance(r.event, kind)]

    def pid(self, name: str) -> int:
        process = self.world._launcher.processes[name]
        return process.pid


@asynccontextmanager
async def stage(
    folder: Path, toxiproxy: str = "relay", settings: Settings = FAST, system: System = SHAKETABLE
) -> AsyncIterator[Stage]:
    records: list[Record] = []
    world = RealWorld(1, settings, folder=folder, toxiproxy=toxiproxy, system=system, sink=records.append)
    made = Stage(world, records, folder)
    try:
        await world.start()
        yield made
    finally:
        pids = [process.pid for process in world._launcher._all]
        await world.close()
        assert not [pid for pid in pids if psutil.pid_exists(pid)]
