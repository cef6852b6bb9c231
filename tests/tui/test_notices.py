"""A trouble is said for a while, and covers nothing of what a screen shows."""

from __future__ import annotations

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Acting, Living, acting
from tests.tui.showing import drawn, panel

from shaketable.tui.widgets.panel import Panel

MANY = 60
TROUBLE = "real time can neither"
"""be changed nor halted: it begins so, and may go on in a second line"""


def long_run() -> Living:
    """Its events fill the screen, down and across."""
    names = " ".join(f"n{number}" for number in range(1, MANY + 1))
    return Living("real", story="\n".join(f"n1 installs v{version} [{names}]" for version in range(1, MANY + 1)))


def covered(here: Acting, events: Panel) -> list[str]:
    rows = here.text().split("\n")
    return [event for event in drawn(events) if not any(event in row for row in rows)]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60)])
@in_loop
async def test_a_trouble_covers_no_event(width: int, height: int) -> None:
    async with acting(long_run(), width, height) as here:
        events = panel(here.pilot, "all_events")
        await here.press("6")
        await here.until(lambda: all(drawn(events)))
        room = len(drawn(events))
        await here.press("full_stop", "plus")
        await here.until(lambda: here.text().count(TROUBLE) == 2)
        await here.until(lambda: all(drawn(events)))
        assert covered(here, events) == []
        assert 10 < len(drawn(events)) < room
        assert here.text().split("\n")[-1].strip(), "the keys stand at the end all the same"
        here.app.clear_notifications()
        await here.until(lambda: len(drawn(events)) == room and all(drawn(events)))
        assert TROUBLE not in here.text()
