"""CPU load on real processes: busy ones, seen to burn, and gone when the load ends."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from pathlib import Path

import psutil
import pytest
from tests.harness.worlds.real.world_helpers import Stage, stage

from shaketable.harness.faults.actions import NoEffect
from shaketable.harness.faults.table import Load
from shaketable.harness.worlds.real import load
from shaketable.harness.worlds.real.launcher import NodeProcess

CORES = len(os.sched_getaffinity(0))


def busy(s: Stage) -> list[NodeProcess]:
    return [p for p in s.world._launcher._all if p.node.startswith("busy") and p.alive]


async def test_so_many_processes_for_each_core_burn_cpu_until_the_load_ends(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        number, how = await s.begin(Load(2))
        assert re.fullmatch(rf"{2 * CORES} busy processes burn \d+\.\d of {CORES} cores", how)
        processes = busy(s)
        assert len(processes) == 2 * CORES
        before = [psutil.Process(p.pid).cpu_times().user for p in processes]
        await s.until(
            lambda: all(psutil.Process(p.pid).cpu_times().user > b for p, b in zip(processes, before, strict=True))
        )
        other, _ = await s.begin(Load(1))
        assert len(busy(s)) == 3 * CORES
        assert await s.end(number) == f"{2 * CORES} busy processes are reaped"
        assert len(busy(s)) == CORES
        assert not any(psutil.pid_exists(p.pid) for p in processes)
        await s.end(other)
        assert not busy(s)


async def test_processes_that_do_not_burn_are_no_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "BURNING_WITHIN", 1.0)
    async with stage(tmp_path) as s:
        await s.form("n1")
        spawn_busy = s.world._launcher.spawn_busy

        def spawn_stopped(name: str) -> NodeProcess:
            process = spawn_busy(name)
            process.signal(signal.SIGSTOP)
            return process

        monkeypatch.setattr(s.world._launcher, "spawn_busy", spawn_stopped)
        with pytest.raises(NoEffect, match=f"{CORES} of {CORES} busy processes were not seen to burn any CPU"):
            await s.begin(Load(1))
        await s.until(lambda: not busy(s))
        assert not s.world.table.active


async def test_a_load_of_which_some_died_by_themselves_was_not_what_it_was_said_to_be(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1")
        number, _ = await s.begin(Load(1))
        first = busy(s)[0]
        os.kill(first.pid, signal.SIGKILL)
        await asyncio.shield(first.ended)
        with pytest.raises(NoEffect, match=f"1 of {CORES} busy processes had died by themselves"):
            await s.end(number)
        assert not busy(s)
