"""A quick user has clicked, or pressed Enter, once more before a dialog is gone: it ends once, and the app lives on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Acting, acting
from textual import events
from textual.geometry import Offset
from textual.widgets import Static

from shaketable.tui.dialogs.dialog import Dialog
from shaketable.tui.widgets.panel import Panel

BESIDE = (0, 1)


def click(here: Acting, x: int, y: int) -> None:
    """As it comes from a terminal: nothing waits until what it leads to is done."""
    for kind in (events.MouseDown, events.MouseUp):
        here.app.post_message(kind(None, x, y, 0, 0, 1, False, False, False, x, y))


def type_at_once(here: Acting, *keys: str) -> None:
    for key in keys:
        here.app.post_message(events.Key(key, None))


@in_loop
async def test_a_press_on_what_is_just_going_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with acting() as here:
        gone = (Static("a notice"), Offset(1, 0))
        monkeypatch.setattr(here.app.screen, "get_widget_and_offset_at", lambda x, y: gone)
        click(here, 5, 5)
        await here.press("2")
        await here.sees("[2 Links]")


@pytest.mark.parametrize("keys", ["b", "U", "s", "question_mark"])
@in_loop
async def test_two_clicks_beside_a_dialog_leave_it(keys: str) -> None:
    async with acting(None, 120, 40) as here:
        await here.press(keys)
        await here.until(lambda: len(here.app.screen_stack) == 2)
        click(here, *BESIDE)
        click(here, *BESIDE)
        await here.until(lambda: len(here.app.screen_stack) == 1)
        await here.press("2")
        await here.sees("[2 Links]")


@in_loop
async def test_enter_twice_heals_a_fault_once() -> None:
    async with acting() as here:
        await here.press("U")
        await here.sees("▸ #1")
        type_at_once(here, "enter", "enter")
        await here.until(lambda: len(here.app.screen_stack) == 1)
        await here.press("2")
        await here.sees("[2 Links]")
        assert here.hands.healed == [1]


@in_loop
async def test_enter_twice_does_what_was_chosen_once() -> None:
    async with acting() as here:
        await here.press("b", "k", "enter")
        await here.sees("▸ node")
        type_at_once(here, "enter", "enter")
        await here.until(lambda: len(here.app.screen_stack) == 1)
        await here.press("2")
        await here.sees("[2 Links]")
        assert here.hands.done == ['cluster.kill("n1")']


async def find_one_more(here: Acting) -> None:
    await here.press("ctrl+p")
    await here.sees("Kill the chosen node")
    await here.type("one more")
    await here.until(lambda: "One more node starts" in here.text() and "Kill the chosen node" not in here.text())


@in_loop
async def test_enter_twice_in_the_palette_does_what_was_found_once() -> None:
    async with acting() as here:
        await find_one_more(here)
        type_at_once(here, "enter", "enter")
        await here.until(lambda: len(here.app.screen_stack) == 1)
        await here.press("2")
        await here.sees("[2 Links]")
        assert here.hands.done == ["cluster.start()"]


@in_loop
async def test_so_do_two_clicks_there() -> None:
    async with acting() as here:
        await find_one_more(here)
        rows = here.text().split("\n")
        y = next(y for y, row in enumerate(rows) if "One more node starts" in row)
        for _ in range(2):
            click(here, rows[y].index("One more"), y)
        await here.until(lambda: len(here.app.screen_stack) == 1)
        await here.press("2")
        await here.sees("[2 Links]")
        assert here.hands.done == ["cluster.start()"]


@in_loop
async def test_so_do_the_themes_in_it() -> None:
    async with acting() as here:
        here.app.action_change_theme()
        await here.type("nord")
        await here.sees("nord")
        type_at_once(here, "enter", "enter", "enter")
        await here.until(lambda: len(here.app.screen_stack) == 1)
        await here.press("2")
        await here.sees("[2 Links]")
        assert here.app.theme == "nord"


@pytest.mark.parametrize("keys", ["comma", "question_mark", "U", "b"])
@in_loop
async def test_what_still_waits_for_a_new_size_of_one_that_has_gone_does_nothing(
    keys: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with acting(None, 120, 40) as here:
        await here.press(keys)
        await here.until(lambda: len(here.app.screen_stack) == 2)
        below, dialog = here.app.screen_stack
        panels = list(dialog.query(Panel))
        waiting: list[Callable[[], object]] = []
        monkeypatch.setattr(below, "_invoke_later", lambda call, sender: waiting.append(call))
        assert isinstance(dialog, Dialog)
        dialog.post_message(events.Resize(here.app.size, here.app.size))
        dialog.dismiss()
        await here.until(lambda: not dialog.is_running)
        for call in waiting:
            call()
        for panel in panels:
            panel.on_resize()
