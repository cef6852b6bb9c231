"""A row of many events is opened by Enter or two clicks, and walked over by the arrows."""

from __future__ import annotations

from tests.node.process.process_helpers import in_loop
from tests.tui.panels.stories import session_of
from tests.tui.showing import Shown, drawn, panel, until

from shaketable.tui.app import ShaketableApp


@in_loop
async def test_many_events_are_one_row_that_opens() -> None:
    session = session_of("tests/tui/panels/links_and_data.py", "many-partitions", 1)
    session.move(next(p for p in range(len(session.store)) if session.store.time_at(p) > 3_398_000))
    app = ShaketableApp(Shown(session))
    async with app.run_test(size=(100, 40)) as pilot:
        last = panel(pilot, "last")
        await until(pilot, lambda: any("× of" in row and row.startswith("▸") for row in drawn(last)))
        last.focus()
        here = session.cursor
        await pilot.press("up", "down")
        await until(pilot, lambda: any("× of" in row for row in drawn(last)))
        assert session.cursor >= here
        await pilot.press("enter")
        await until(pilot, lambda: not any("× of" in row and row.startswith("▸") for row in drawn(last)))
        opened = session.cursor
        await pilot.press("up")
        assert opened - 10 < session.cursor < opened  # one event back, not all of them
        await pilot.press("home")
        await until(pilot, lambda: not any(row.startswith("▸") and "×" in row for row in drawn(last)))
