"""CPU load on this machine: so many busy processes for each of its cores, and the evidence that they burn."""

from __future__ import annotations

import asyncio
import signal
from typing import Final

from shaketable.harness.cores import cores_here
from shaketable.harness.faults.actions import NoEffect
from shaketable.harness.worlds.real.launcher import Launcher, NodeProcess

BURNING_WITHIN: Final = 10.0
"""seconds until each must have been seen to burn: there are others on this machine as well"""
LOOK_AGAIN: Final = 0.25


class BusyProcesses:
    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._of: dict[int, list[NodeProcess]] = {}
        """by the number of the load"""

    async def begin(self, number: int, busy: int) -> str:
        cores = cores_here()
        processes = self._of[number] = [self._launcher.spawn_busy(f"busy {i}") for i in range(1, busy * cores + 1)]
        try:
            burnt = await self._seen_to_burn(processes)
        except BaseException:
            self._kill(number)
            raise
        return f"{len(processes)} busy processes burn {burnt:.1f} of {cores} cores"

    async def end(self, number: int) -> str:
        died = sum(not process.alive for process in self._of[number])
        processes = self._kill(number)
        await asyncio.gather(*(asyncio.shield(process.ended) for process in processes))
        if died:
            raise NoEffect(f"{died} of {len(processes)} busy processes had died by themselves")
        return f"{len(processes)} busy processes are reaped"

    def _kill(self, number: int) -> list[NodeProcess]:
        processes = self._of.pop(number)
        for process in processes:
            process.signal(signal.SIGKILL)
        return processes

    async def _seen_to_burn(self, processes: list[NodeProcess]) -> float:
        """How many cores all of them together had, once each was seen to have had some."""
        time = asyncio.get_running_loop().time
        idle = dict.fromkeys(processes)
        burnt = 0.0
        for process in processes:
            process.vitals()  # the next look tells the CPU since this one
        began = last = time()
        while idle:
            await asyncio.sleep(LOOK_AGAIN)
            if time() - began > BURNING_WITHIN:
                raise NoEffect(f"{len(idle)} of {len(processes)} busy processes were not seen to burn any CPU")
            for process in processes:
                percent = process.vitals().cpu
                burnt += percent / 100 * (time() - last)
                if percent > 0:
                    idle.pop(process, None)
            last = time()
        return burnt / (last - began)
