"""Asks the process that judges, at growing intervals: it is to have no more than a tenth of the time.

It is no part of the run: if it dies, the run goes on without it."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import Final

from shaketable.harness.records import Record
from shaketable.harness.worlds.real.tether import tethered
from shaketable.node.core.env import Micros
from shaketable.tui.engine.outlet import Outlet
from shaketable.tui.engine.protocol import ASK, MESSAGE, Judge, Malformed, Splitter, frame_of, framed

FIRST: Final = 2.0
"""seconds after the beginning, and between two answers at the least"""
PART: Final = 10
"""of the time one part at most is spent on it"""


class Checker:
    def __init__(
        self, judge: Judge, records: Sequence[Record], now: Callable[[], Micros], told: Callable[[bytes], None]
    ) -> None:
        self._judge = judge
        self._records = records
        self._now = now
        self._told = told
        """is handed each answer as it came"""
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._live())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _live(self) -> None:
        await asyncio.sleep(FIRST)
        command = tethered([sys.executable, "-P", "-m", "shaketable.tui.engine.judging"])
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        except OSError:
            return
        try:
            await self._ask_on_and_on(process)
        except (OSError, Malformed):
            pass  # it has gone, or is not itself
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await asyncio.shield(process.wait())

    async def _ask_on_and_on(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        outlet = Outlet(process.stdin.transport, self._records)
        outlet.write(framed(self._judge))
        loop, splitter = asyncio.get_running_loop(), Splitter()
        judged = 0  # so many records need not be judged again; none, where some were too young
        while True:
            began = loop.time()
            if judged < len(self._records):
                await outlet.drained()
                now, some = self._now(), len(self._records)
                judged = some if self._records[-1].time <= now - self._judge.lag else 0
                outlet.write(frame_of(ASK, b"%d" % now))
                answered = False
                while not answered:
                    data = await process.stdout.read(1 << 16)
                    if not data:
                        return
                    for kind, content in splitter.feed(data):
                        if kind == MESSAGE:
                            answered = True
                            self._told(frame_of(kind, content))
            await asyncio.sleep(max(FIRST, (loop.time() - began) * (PART - 1)))
