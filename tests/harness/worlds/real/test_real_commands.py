"""What a script asks of a member reaches its process, and a hold at an event with certain values holds there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.worlds.real.world_helpers import stage

from shaketable.harness.conditions.cluster import agree
from shaketable.harness.faults.actions import Command, Kill, NoEffect
from shaketable.harness.faults.table import Hold, Pause
from shaketable.node.core.commands import TakeStockCommand
from shaketable.node.events import Held


async def test_a_command_is_handed_over_and_who_does_not_run_cannot_have_one(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        calm = s.world.observed.calm
        assert await s.act(Command("n2", TakeStockCommand())) == "handed over"
        paused, _ = await s.begin(Pause("n2"))
        assert await s.act(Command("n2", TakeStockCommand())) == "handed over; it takes it up when it goes on"
        await s.end(paused)
        assert s.world.observed.calm == calm
        await s.act(Kill("n2"))
        with pytest.raises(NoEffect, match="n2 is not running"):
            await s.act(Command("n2", TakeStockCommand()))


async def test_a_hold_passes_over_events_with_other_values(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2", "n3")
        await s.begin(Hold("n1", "Suspected", where=(("peer", "127.0.0.1:5703"),)))
        await s.act(Kill("n2"))
        await s.met(agree(("n1", "n3")))
        assert s.events("n1", Held) == []
        await s.act(Kill("n3"))
        await s.until(lambda: s.events("n1", Held))
