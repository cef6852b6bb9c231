"""The tour of the first screen: step by step, ended by Escape, seen once; help brings it back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import COMMAND
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Acting, Living, acting
from tests.tui.real.terminal import Terminal
from tests.tui.showing import Heard
from textual.widgets import Static

from shaketable.tui.dialogs.tour import STEPS, Tour
from shaketable.tui.kept import Keeper
from shaketable.tui.preferences import Preferences


@asynccontextmanager
async def toured(
    width: int, height: int, keeper: Keeper | None = None, source: Living | None = None
) -> AsyncIterator[Acting]:
    source = source or Living()
    app = Heard(source, keeper, Preferences(keys={"kill": "x"}), tour=True)
    async with app.run_test(size=(width, height)) as pilot:
        yield Acting(pilot, source)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (200, 60)])
@in_loop
async def test_enter_goes_from_step_to_step_and_the_rows_of_nodes_stay_in_sight(width: int, height: int) -> None:
    async with toured(width, height) as here:
        for number, (title, _) in enumerate(STEPS, 1):
            for words in (f"{title}  {number}/{len(STEPS)}", " n1 ", " n2 ", " n3 "):
                await here.sees(words)
            assert "{" not in here.text()
            if title == "Break something":
                assert "x kills" in here.text()
                assert "K kills" not in here.text()
            await here.press("enter")
        await here.until(lambda: not isinstance(here.app.screen, Tour))
        assert here.hands.done == []


@pytest.mark.parametrize(
    ("settings", "third", "not_there"),
    [({}, "links, partitions, the timeline", "the group"), ({"family": "gms"}, "links, the group,", "partitions")],
    ids=["cluster", "group"],
)
@in_loop
async def test_it_names_the_screens_that_the_nodes_have(
    settings: Mapping[str, str], third: str, not_there: str
) -> None:
    async with toured(120, 40, source=Living(settings=settings)) as here:
        await here.press(*["enter"] * 4)
        await here.sees("Ask why  5/6")
        said = " ".join(str(here.app.screen.query_one("#step", Static).render()).split())
        assert third in said
        assert not_there not in said


@in_loop
async def test_escape_ends_it_and_it_is_remembered_that_it_was_seen(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path / "screens.json")
    async with toured(80, 24, keeper) as here:
        await here.sees("1/6")
        await here.press("right", "left", "left", "K")
        await here.sees("1/6")
        assert here.hands.done == []
        await here.press("escape")
        await here.until(lambda: not isinstance(here.app.screen, Tour))
    assert Keeper(tmp_path / "screens.json").kept.toured


@in_loop
async def test_help_brings_it_back() -> None:
    async with acting() as here:
        assert not isinstance(here.app.screen, Tour)
        await here.press("question_mark", "t")
        await here.until(lambda: isinstance(here.app.screen, Tour))
        await here.sees("What each node believes  1/6")


def test_it_comes_at_the_first_start_alone_and_not_with_a_script(tmp_path: Path) -> None:
    def started(*arguments: str) -> Terminal:
        command = [*COMMAND, "tui", "--world", "sim", *arguments]
        return Terminal(tmp_path, command, more={"XDG_STATE_HOME": str(tmp_path / "state")})

    for arguments, comes in ((("--script", "form"), False), ((), True), ((), False)):
        terminal = started(*arguments)
        try:
            terminal.sees("all agree")
            assert ("What each node believes" in terminal.screen.text) == comes
            terminal.press("\x03")
            assert terminal.ended() == 0
        finally:
            terminal.close()
