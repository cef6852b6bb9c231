"""A passed and a failed run side by side on the screens, at the first moment where they differ."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Acting, Living, acting, recordings_by
from tests.tui.model.conftest import written
from tests.tui.panels.test_any_size import WIDTHS
from tests.tui.showing import drawn
from tests.tui.test_dialogs_end_once import BESIDE, click, type_at_once
from textual.widgets import Input

from shaketable.chaos.legacy.legacy_faults import no_stale_overwrite
from shaketable.harness.command.differ import differ
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.runs.side_by_side import SideBySide, beside
from shaketable.node import events as e
from shaketable.tui.dialogs.open_run import OpenRun
from shaketable.tui.dialogs.two_runs import TwoRuns
from shaketable.tui.panels.two_runs import two_runs
from shaketable.tui.source import Recorded
from shaketable.tui.text import ROLES, plain, width_of
from shaketable.tui.widgets.panel import Panel

DIFFER = 5_310_000
"""µs, when they begin to"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("two") / "runs"
    wrong = {"legacy_fault": "stale overwrite"}
    for name, values in (("good", dict[str, str]()), ("bad", wrong)):
        written(run_simulated(no_stale_overwrite, Options("sim", seed=1, values=values)), folder / name)
    return folder


@pytest.fixture(scope="module")
def both(runs: Path) -> SideBySide:
    return beside(runs / "good", runs / "bad")


@pytest.fixture(autouse=True)
def present_folder(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs.parent)


@asynccontextmanager
async def opened(folder: Path, width: int = 80, height: int = 24) -> AsyncIterator[Acting]:
    source = Living()
    source.session = Recorded(folder).session
    source.over()
    async with acting(source, width, height) as here:
        yield here


async def asked(here: Acting) -> OpenRun:
    return await recordings_by("D", here)


def rows(here: Acting) -> str:
    assert isinstance(here.app.screen, TwoRuns)
    return " ".join(" ".join(drawn(here.app.screen.query_one("#runs", Panel))).split())


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (200, 60)])
@pytest.mark.parametrize(("name", "other"), [("good", "bad"), ("bad", "good")])
@in_loop
async def test_another_run_is_chosen_and_enter_goes_to_the_moment(
    runs: Path, name: str, other: str, size: tuple[int, int]
) -> None:
    async with opened(runs / name, *size) as here:
        dialog = await asked(here)
        assert [each.path.name for each in dialog.choice.all] == [other]
        await here.press("enter")
        await here.until(lambda: isinstance(here.app.screen, TwoRuns))
        has, lacks = "AB" if name == "bad" else "BA"
        await here.until(lambda: f"The next one is in {has}, and never in {lacks}:" in rows(here))
        await here.press(*["pagedown"] * 20)
        await here.until(lambda: "fault 2: kill n1" in rows(here))
        await here.press("enter")
        await here.until(lambda: not isinstance(here.app.screen, TwoRuns))
        session = here.session
        await here.until(lambda: DIFFER - 1_000 < session.time < DIFFER + 1_000)
        if name == "bad":
            assert isinstance(session.store[session.cursor - 1].event, e.ClaimFinished)


@in_loop
async def test_it_ends_once(runs: Path) -> None:
    async with opened(runs / "good", 200, 60) as here:
        for end in ("enter", "escape", "click"):
            await asked(here)
            await here.press("enter")
            await here.sees("events of note before it")
            if end == "click":
                click(here, *BESIDE)
                click(here, *BESIDE)
            else:
                type_at_once(here, end, end)
            await here.until(lambda: len(here.app.screen_stack) == 1)


@in_loop
async def test_it_may_be_left_before_both_are_read(runs: Path) -> None:
    async with opened(runs / "good") as here:
        await asked(here)
        type_at_once(here, "enter", "enter", "escape", "escape")
        await here.until(lambda: len(here.app.screen_stack) == 1)
        await here.press("2")
        await here.sees("[2 Links]")


@in_loop
async def test_a_run_that_lives_has_to_be_opened_as_a_recording_first() -> None:
    async with acting() as here:
        await here.press("D")
        assert here.said == ["two recordings can be compared: open the first one with O, then choose the second"]


@in_loop
async def test_a_recording_that_cannot_be_compared_says_why(runs: Path, tmp_path: Path) -> None:
    spoilt, empty = (Path(shutil.copytree(runs / "bad", tmp_path / name)) for name in ("spoilt", "empty"))
    (spoilt / "run.json").write_text("{")
    for file in (empty / "events").iterdir():
        file.write_text("")
    async with opened(runs / "good") as here:
        dialog = await asked(here)
        typed = dialog.query_one("#typed", Input)
        typed.value = str(spoilt)
        await here.until(lambda: dialog.choice.typed == str(spoilt))
        await here.press("enter")
        await here.until(lambda: "run.json" in dialog.choice.trouble)
        typed.value = str(empty)
        await here.until(lambda: dialog.choice.typed == str(empty))
        await here.press("enter")
        await here.until(lambda: isinstance(here.app.screen, TwoRuns) and "holds no events" in rows(here))
        await here.press("enter", "escape")
        await here.until(lambda: len(here.app.screen_stack) == 1)


def test_they_fit_in_any_width(both: SideBySide) -> None:
    for width in WIDTHS:
        lines = two_runs(both, width)
        assert all(width_of(each) <= width for each in lines), (width, plain(lines))
        assert all(span.role in ROLES for each in lines for span in each)


@pytest.mark.parametrize("width", [40, 55, 75, 160])
def test_no_word_is_cut_off(both: SideBySide, width: int) -> None:
    assert "…" not in plain(two_runs(both, width))


def test_runs_that_do_not_differ_say_so(runs: Path) -> None:
    same = plain(two_runs(beside(runs / "good", runs / "good"), 75))
    assert "They differ in times and order alone." in " ".join(same.split())


def test_the_command_shows_the_same(both: SideBySide, runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert differ(argparse.Namespace(run=str(runs / "good"), other=str(runs / "bad"))) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert both.told in said
    assert "▸5.310 s n2 finishes its claim" in said
