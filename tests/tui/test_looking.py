"""Time, filters, speed, help, palette, pictures and leaving: each key, and what it says where it makes no sense."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Acting, Living, acting
from tests.waiting import HANG
from textual.command import CommandList, CommandPalette

from shaketable.harness.scripting import targets
from shaketable.harness.scripting.scripts import Script
from shaketable.tui.dialogs.ending import Ending
from shaketable.tui.dialogs.help import Help
from shaketable.tui.dialogs.too_small import TooSmall
from shaketable.tui.palette import Everything
from shaketable.tui.theme import DARK, LIGHT


@in_loop
async def test_space_halts_the_world_in_the_simulator() -> None:
    async with acting() as here:
        await here.press("space")
        assert here.hands.speeds == [0]
        here.session.speed = 0
        here.app.draw()
        await here.sees("⏸ the world stands")
        await here.press("full_stop", "plus", "space")
        assert here.hands.steps == 1
        assert here.said == ["when the world goes on, it goes ×2"]
        assert here.hands.speeds == [0, 2.0]
        here.session.speed = 2.0
        await here.press("plus", "minus")
        assert here.hands.speeds[2:] == [5.0, 1.0]
        here.session.speed = 100.0
        await here.press("plus")
        assert here.hands.speeds[-1] is None
        here.session.speed = None
        await here.press("minus")
        assert here.hands.speeds[-1] == 100.0


@in_loop
async def test_in_real_time_space_halts_the_screen_alone() -> None:
    async with acting(Living("real")) as here:
        await here.press("space")
        await here.sees("⏸ ")
        assert [here.session.following] == [False]
        await here.press("full_stop", "plus", "minus")
        assert here.said == ["real time can neither be changed nor halted: only a simulated run has a speed"] * 3
        await here.press("space")
        assert here.session.following
        assert here.hands.speeds == []


@in_loop
async def test_the_keys_of_time_move_the_cursor() -> None:
    async with acting() as here:
        size = len(here.session.store)
        await here.press("left")
        assert here.session.cursor == size - 1
        await here.press("home")
        assert here.session.cursor == 0
        await here.press("right_square_bracket")
        assert here.session.cursor == here.session.store.next_mark(0, ("fault", "view"))
        await here.press("left_square_bracket")
        assert here.said == ["there is no mark any more in that direction"]
        await here.press("end")
        assert here.session.following


@in_loop
async def test_a_time_is_gone_to_and_what_is_no_time_is_said_so() -> None:
    async with acting(None, 80, 24) as here:
        await here.press("g")
        await here.type("soon")
        await here.press("enter")
        await here.sees("✗ a time is said as 12.5, 1:30")
        assert here.session.following
        await here.press(*["backspace"] * 4)
        await here.type("0.003")
        await here.press("enter")
        assert here.session.time == 3_000
        assert not here.app.prompt.asks
        await here.press("g")
        await here.type("0")
        await here.press("escape")
        assert here.session.time == 3_000
        await here.press("left")  # the keys are the screen's again
        assert here.session.time < 3_000 or here.session.cursor == here.session.store.place_of(3_000) - 1


@in_loop
async def test_a_filter_counts_its_matches_and_n_goes_from_one_to_the_next() -> None:
    async with acting(None, 80, 24) as here:
        store = here.session.store
        await here.press("n")
        assert here.said == ["there is no filter whose matches could be gone to: give one with /"]
        await here.press("6", "slash")
        assert here.app.present_screen == "events"
        await here.type("installs")
        await here.sees("4 matches")
        await here.press("enter", "home", "n")
        assert "ViewInstalled" in type(store[here.session.cursor - 1].event).__name__
        first = here.session.cursor
        await here.press("n")
        second = here.session.cursor
        await here.press("N")
        assert (first < second, here.session.cursor) == (True, first)
        await here.press("N")
        assert here.said[-1] == "nothing before this matches “installs”"
        await here.press("slash")
        await here.type("x")
        await here.press("escape")
        assert here.session.chosen.filter == "installs"


@in_loop
async def test_help_shows_every_key_and_the_symbols() -> None:
    async with acting(None, 80, 24) as here:
        await here.click_key("help")
        await here.sees("From row to row")
        assert isinstance(here.app.screen, Help)
        await here.press(*["pagedown"] * 6)
        await here.sees("it cannot be said")
        await here.press("question_mark")
        assert not isinstance(here.app.screen, Help)


def highlighted(here: Acting) -> str:
    found = here.app.screen.query_one(CommandList).highlighted_option
    return "" if found is None else str(found.prompt).split("\n")[0]


async def find(here: Acting, words: str, name: str) -> None:
    """Enter takes what is highlighted: what was found before the last letter may still stand there."""
    await here.press("ctrl+p")
    assert isinstance(here.app.screen, CommandPalette)
    await here.type(words)
    await here.until(lambda: highlighted(here) == name)


@in_loop
async def test_the_palette_finds_nodes_deeds_and_screens() -> None:
    async with acting() as here:
        await find(here, "node n3", "node n3")
        await here.press("enter")
        await here.until(lambda: here.session.chosen.node == "n3")
        await find(here, "break: kill", "break: kill")
        await here.press("enter")
        await here.sees('await cluster.kill("n3")')
        await here.press("escape")
        await find(here, "figure-5-cut", "script figure-5-cut")


@pytest.mark.parametrize("page", ["pageup", "pagedown"])
@in_loop
async def test_a_page_of_the_palette_that_has_no_room_yet_is_not_turned(page: str) -> None:
    async with acting() as here:
        await find(here, "node", "node n1")
        found = here.app.screen.query_one(CommandList)
        found.styles.max_height = 0
        await here.until(lambda: not found.scrollable_content_region)
        await here.press(page)
        found.styles.max_height = 9
        await here.until(lambda: bool(found.scrollable_content_region))
        await here.press(page)
        await here.until(lambda: (highlighted(here) != "node n1") == (page == "pagedown"))


@in_loop
async def test_the_palette_finds_what_is_typed_while_the_scripts_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each key ends the search for what stood there before: the scripts come all the same."""
    typed, really = threading.Event(), targets.scripts_of_ours

    def late() -> Sequence[Script]:
        assert typed.wait(HANG)
        return really()

    monkeypatch.setattr(targets, "scripts_of_ours", late)
    monkeypatch.setattr(Everything, "_scripts", ())
    async with acting() as here:
        await here.press("ctrl+p")
        await here.type("script for")
        typed.set()
        await here.type("m")
        await here.until(lambda: highlighted(here) == "script form")


@in_loop
async def test_the_command_that_shows_this_again_is_copied_and_shown() -> None:
    source = Living()
    async with acting(source) as here:
        await here.press("y")
        assert here.app.clipboard == "shaketable tui --nodes 4 --world sim"
        source.over()
        source.session.facts = type(source.session.facts)(
            "", "sim", "simulated", 7, "fast", directory="runs/by hand", again="shaketable tui"
        )
        await here.press("y")
        assert here.app.clipboard == "shaketable replay 'runs/by hand'"
        source.session.go_to(4_000)
        await here.press("y")
        assert here.app.clipboard == "shaketable replay 'runs/by hand' --at 0.004"
        assert here.said[-1] == f"copied: {here.app.clipboard}"


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@in_loop
async def test_a_picture_of_the_screen_lies_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with acting() as here:
        await here.press("S", "S")
        assert names_in(tmp_path) == ["by-hand-sim-7-6ms-2.svg", "by-hand-sim-7-6ms.svg"]
        assert "<svg" in (tmp_path / "by-hand-sim-7-6ms.svg").read_text()
        assert here.said[0] == f"the screen is in {tmp_path / 'by-hand-sim-7-6ms.svg'}"


@in_loop
async def test_dark_and_light() -> None:
    async with acting() as here:
        assert here.app.theme == DARK
        await here.press("t")
        assert here.app.theme == LIGHT
        await here.press("t")
        assert here.app.theme == DARK


@in_loop
async def test_a_terminal_that_is_too_small_says_so_until_it_is_not() -> None:
    async with acting() as here:
        await here.pilot.resize_terminal(59, 20)
        await here.sees("This terminal is too small: 59x20.")
        here.session.chosen.node = "n2"
        await here.press("K", "b")
        assert here.hands.done == []
        await here.pilot.resize_terminal(60, 15)
        await here.sees("Cluster")
        assert not isinstance(here.app.screen, TooSmall)


@in_loop
async def test_it_can_be_left_where_it_is_too_small() -> None:
    source = Living()
    async with acting(source, 40, 8) as here:
        await here.sees("This terminal is too small: 40x8.")
        await here.press("q")
        await here.until(lambda: source.closed and not here.app.is_running)


@pytest.mark.parametrize("key", ["q", "ctrl+c", "ctrl+q"])
@in_loop
async def test_leaving_ends_what_runs_and_says_so(key: str) -> None:
    source = Living()
    async with acting(source) as here:
        source.may_close.clear()
        if key != "q":
            await here.press("b")  # whatever is open
        await here.press(key)
        await here.sees("ending 3 nodes…")
        assert isinstance(here.app.screen, Ending)
        assert not source.closed
        source.may_close.set()
        await here.until(lambda: source.closed and not here.app.is_running)


@in_loop
async def test_an_error_of_the_screens_own_ends_the_run_as_well() -> None:
    source = Living()

    async def fail() -> None:
        async with acting(source) as here:
            here.app.call_later(lambda: 1 / 0)
            await here.pilot.pause()

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert source.closed
