"""A real run for the screens: processes, links and their faults, in this process's event loop."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shaketable.harness.records import Record
from shaketable.harness.worlds.real.world import RealWorld
from shaketable.tui.engine.outlet import Outlet
from shaketable.tui.engine.playing import Play
from shaketable.tui.engine.protocol import Begin, Said
from shaketable.tui.model.run_facts import Vitals

PASSED_ON: Final = 0.03
"""seconds that records wait for others to go with them"""


class RealPlay(Play):
    world: RealWorld

    def __init__(self, begin: Begin, transport: asyncio.WriteTransport) -> None:
        super().__init__(begin)
        self._records: list[Record] = []
        self.outlet = Outlet(transport, self._records)
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._starting: asyncio.Task[None] | None = None
        self._passing_on = False
        self._logs = contextlib.ExitStack()
        folder = self.folder or Path(self._logs.enter_context(tempfile.TemporaryDirectory(prefix="shaketable-")))
        system, under_test = self.options.chosen
        self.world = RealWorld(
            self.options.seed,
            self.settings,
            folder=folder,
            toxiproxy=self.options.toxiproxy,
            system=system,
            under_test=under_test,
            sink=self._take,
            say=lambda line: self.outlet.say(Said(line)),
        )

    @property
    def records(self) -> list[Record]:
        return self._records

    async def _prepare(self) -> bool:
        self._starting = self._loop.create_task(self.world.start())
        try:
            if self.stopping:
                self._starting.cancel()
            await self._starting
        except asyncio.CancelledError:
            if not self.stopping:
                raise
        return not self.stopping

    async def _live(self) -> None:
        assert self._run is not None
        self._run.driver.on_end = self._ended.set
        await self._ended.wait()

    async def _close(self) -> None:
        with self._logs:
            await self.world.close()

    def stop(self) -> None:
        super().stop()
        if self._starting is not None:
            self._starting.cancel()

    def vitals(self) -> Mapping[str, Vitals]:
        return {name: Vitals(v.cpu, v.rss, v.pid) for name, v in self.world.vitals().items() if v.alive}

    def _take(self, record: Record) -> None:
        self._records.append(record)
        if not self._passing_on:
            self._passing_on = True
            self._loop.call_later(PASSED_ON, self._pass_on)

    def _pass_on(self) -> None:
        self._passing_on = False
        self.keep()
        if self.outlet.behind:
            self._passing_on = True
            self._loop.call_later(PASSED_ON, self._pass_on)
