"""Somebody else kills a node, or the server of the links: that is what is said, and no node is accused of anything."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
from tests.harness.worlds.real.world_helpers import Stage, stage

from shaketable.harness.conditions.cluster import agree
from shaketable.harness.records import FabricRestored, FabricTrouble, NodeEnded, RunBegan, ScriptEnded, ScriptOutcome
from shaketable.harness.verdicts.verdict import RunVerdict, ScriptSubject, judge
from shaketable.node.config import FAST
from shaketable.node.events import LinkUp, Suspected

NODES = ("n1", "n2", "n3", "n4")


@asynccontextmanager
async def formed(folder: Path, toxiproxy: str = "relay") -> AsyncIterator[Stage]:
    async with stage(folder, toxiproxy) as here:
        here.world.record(RunBegan("by-hand", "real", here.world.fabric, 1, "fast", FAST.outside()))
        await here.form(*NODES)
        yield here


def verdict_of(here: Stage) -> RunVerdict:
    here.world.record(ScriptEnded(ScriptOutcome.DONE, ""))
    return judge(here.records, ScriptSubject("by-hand", "", ""), FAST, here.world.allowance)


def accused(verdict: RunVerdict) -> list[str]:
    return [violation.sentence for check in verdict.checks for violation in check.violations]


async def test_a_node_that_somebody_else_kills_is_what_failed(tmp_path: Path) -> None:
    async with formed(tmp_path) as here:
        os.kill(here.pid("n2"), signal.SIGKILL)
        await here.met(agree(("n1", "n3", "n4")))
        await here.until(lambda: here.events(kind=NodeEnded))
        verdict = verdict_of(here)
    assert any(here.events(node, Suspected) for node in ("n1", "n3", "n4"))
    assert accused(verdict) == []
    assert (verdict.outcome, [reason.text for reason in verdict.reasons]) == (
        "failed",
        ["the process of n2 died by itself: by SIGKILL"],
    )


async def test_a_link_server_that_somebody_else_kills_makes_the_run_unknown(tmp_path: Path, choice: str) -> None:
    async with formed(tmp_path, choice) as here:
        (server,) = [p for p in psutil.Process().children() if "relay" in str(p.cmdline()) or "toxiproxy" in p.name()]
        before = len(here.events("n1", LinkUp))
        server.kill()
        await here.until(lambda: here.events(kind=FabricRestored))
        await here.until(lambda: len(here.events("n1", LinkUp)) == before + len(NODES) - 1)
        verdict = verdict_of(here)
    (trouble,) = here.events(kind=FabricTrouble)
    assert isinstance(trouble, FabricTrouble)
    assert trouble.since is not None
    assert accused(verdict) == []
    assert verdict.outcome == "unknown"
    assert [reason.about for reason in verdict.reasons] == ["links"]
