"""From a key to the world and back: a link is cut and healed, a node killed and started again, all of it saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.showing import Heard, until

from shaketable.harness.records import FaultEnded, FaultTook, StepBegan
from shaketable.harness.scripting.scripts import load_scripts
from shaketable.node.events import Event
from shaketable.tui.engine.client import Engine
from shaketable.tui.engine.protocol import Begin
from shaketable.tui.model.hands.calls import FROM_HERE


@in_loop
async def test_what_keys_do_comes_about_in_a_simulated_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = Heard(Engine(Begin(world="sim", seed=3, nodes=3, preset="fast", speed=5.0)))

    def told(kind: type[Event]) -> list[Event]:
        store = app.session.store
        return [store[place].event for place in range(len(store)) if isinstance(store[place].event, kind)]

    def state(node: str) -> str:
        return app.session.picture().observed.nodes[node].state

    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: any(getattr(step, "step", "") == FROM_HERE for step in told(StepBegan)))
        app.session.chosen.node, app.session.chosen.other = "n2", "n3"
        await pilot.press("b", "enter", "enter")
        await until(pilot, lambda: len(told(FaultTook)) == 1)
        await pilot.press("u")
        await until(pilot, lambda: len(told(FaultEnded)) == 1)
        app.session.chosen.node = "n3"
        await pilot.press("K", "enter")
        await until(pilot, lambda: state("n3") == "killed")
        await pilot.press("r")
        await until(pilot, lambda: state("n3") == "running")
        said = app.heard
        assert any(text.startswith('✓ cluster.cut("n2", "n3"): ') and ", at " in text for text in said), said
        assert any(text.startswith("✓ cluster.heal(1): ") and ", at " in text for text in said), said
        assert any(text.startswith('✓ cluster.restart("n3"): ') for text in said), said
        await pilot.press("s")
        await pilot.press("enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        (script,) = load_scripts([tmp_path / "chaos_by_hand.py"])
        assert script.name
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)
    assert app.session.ended is None or app.session.ended.outcome in ("stopped", "passed")
