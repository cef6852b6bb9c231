"""Enter opens what stands there, on each screen: a node, its last event, the event at the cursor, a link."""

from __future__ import annotations

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Acting, Living, acting

from shaketable.tui.dialogs.break_menu import BreakMenu
from shaketable.tui.dialogs.why import WhyDialog


def focused(here: Acting) -> str:
    return here.app.focused.id or "" if here.app.focused is not None else ""


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@in_loop
async def test_a_node_opens_in_its_pane_and_there_its_last_event(size: tuple[int, int]) -> None:
    async with acting(None, *size) as here:
        await here.press("down", "enter")
        await here.until(lambda: focused(here) == "node")
        assert here.session.chosen.node == "n2"
        cursor = here.session.cursor
        await here.press("enter")
        await here.until(lambda: isinstance(here.app.screen, WhyDialog))
        await here.sees("n2 has joined")
        await here.press("escape")
        assert (here.session.cursor, here.session.following) == (cursor, True)
        assert here.hands.done == []


@in_loop
async def test_where_the_difference_has_the_place_of_the_pane_the_pane_is_back() -> None:
    async with acting(None, 80, 24) as here:
        await here.press("d")
        await here.sees("Difference")
        await here.press("down", "enter")
        await here.until(lambda: focused(here) == "node")
        await here.sees("Node n2")


@in_loop
async def test_a_node_that_has_told_nothing_is_said_so() -> None:
    async with acting(Living(story="n1 is spawned")) as here:
        await here.press("down", "enter")
        await here.until(lambda: focused(here) == "node")
        await here.press("enter")
        assert here.said == ["n1 has told nothing of note yet"]


@in_loop
async def test_the_timeline_opens_the_event_at_the_cursor() -> None:
    async with acting(None, 80, 24) as here:
        await here.press("4", "left", "left", "enter")
        await here.until(lambda: isinstance(here.app.screen, WhyDialog))
        await here.sees("fault 1")


@in_loop
async def test_two_clicks_on_the_name_of_a_node_open_it_from_any_screen() -> None:
    async with acting(None, 120, 40) as here:
        await here.press("2")
        await here.click_in("#matrix", "n3", times=2)
        await here.until(lambda: (here.app.present_screen, focused(here)) == ("cluster", "node"))
        assert here.session.chosen.node == "n3"


@in_loop
async def test_without_a_chosen_link_the_first_one_is_chosen_and_then_opened() -> None:
    async with acting(None, 80, 24) as here:
        await here.press("2")
        await here.sees("[2 Links]")
        await here.press("enter")
        await here.until(lambda: (here.session.chosen.node, here.session.chosen.other) == ("n1", "n2"))
        assert len(here.app.screen_stack) == 1
        await here.press("enter")
        await here.until(lambda: isinstance(here.app.screen, BreakMenu))


@in_loop
async def test_of_a_run_that_is_over_a_link_opens_in_the_panel_that_tells_of_it() -> None:
    source = Living()
    async with acting(source, 80, 24) as here:
        source.over()
        await here.press("2")
        await here.sees("[2 Links]")
        await here.press("enter", "enter")
        await here.until(lambda: focused(here) == "flows")
        assert here.said == []
