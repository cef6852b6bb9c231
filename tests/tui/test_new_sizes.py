"""The terminal gets another size, and another one, while the screens are on their way to the first."""

from __future__ import annotations

import asyncio

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import acting
from textual import events
from textual.geometry import Size

SIZES = (Size(80, 24), Size(100, 30))
TURNS = 2_000
"""of the event loop"""


@pytest.mark.parametrize("key", ["", "b", "ctrl+p"])
@in_loop
async def test_sizes_that_come_while_the_app_ends_do_not_keep_it_busy(key: str) -> None:
    """Textual draws nothing then, and each of two sizes that wait asked for the other one again, for ever."""
    async with acting() as here:
        if key:
            await here.press(key)
            await here.until(lambda: len(here.app.screen_stack) == 2)
        screen = here.app.screen
        with here.app.batch_update():  # as at its end
            for size in SIZES:
                screen.post_message(events.Resize(size, size))
                screen.call_later(lambda: None)
            for _ in range(TURNS):
                await asyncio.sleep(0)
            assert screen._message_queue.empty()
