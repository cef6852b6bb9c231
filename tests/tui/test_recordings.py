"""A recording is played, and opened from inside; what was saved is found again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Acting, Living, acting, recordings_by
from tests.tui.model.conftest import written
from textual.widgets import Input

from shaketable.chaos.cluster.claims import two_claims_at_once
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.tui.dialogs.open_run import OpenRun
from shaketable.tui.dialogs.pick_script import PickScript
from shaketable.tui.source import Recorded


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = run_simulated(two_claims_at_once, Options("sim", seed=3, preset="fast"))
    return written(run, tmp_path_factory.mktemp("claims") / "claims-sim-3")


@pytest.fixture
def here_are_two(claims: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder; one of its two runs is damaged."""
    monkeypatch.chdir(tmp_path)
    for name, at in (("good", 2_000_000_000), ("spoilt", 1_900_000_000)):
        shutil.copytree(claims, tmp_path / "runs" / name)
        if name == "spoilt":
            (tmp_path / "runs" / name / "run.json").write_text("{")
        os.utime(tmp_path / "runs" / name / "run.json", (at, at))
    return tmp_path


async def type_path(here: Acting, path: str) -> None:
    here.app.screen.query_one("#typed", Input).value = path
    await here.until(lambda: not isinstance(here.app.screen, OpenRun) or here.app.screen.choice.typed == path)
    await here.press("enter")


@in_loop
async def test_space_plays_a_recording_and_plus_and_minus_change_its_speed() -> None:
    source, now = Living(), 100.0
    source.over()
    async with acting(source) as here:
        here.app.wall = lambda: now
        session, size = here.session, len(here.session.store)
        session.move(1)
        await here.sees("▪ recorded")
        await here.press("minus", "minus", "minus", "minus")
        await here.sees("▪ recorded ×0.1")
        await here.press("space")
        await here.sees("▶ recorded, played ×0.1")
        await here.press("plus")
        assert session.playback.speed == 0.25
        due = session.store.place_of(session.time + 2_250)
        now += 0.009
        await here.until(lambda: session.cursor == due)
        await here.press("space")
        await here.sees("▪ recorded ×0.25")
        now += 1
        await here.press("full_stop")
        assert session.cursor == due + 1
        await here.press(*["plus"] * 20, "space")
        assert session.playback.speed == 100.0, "and no faster"
        now += 1
        await here.until(lambda: session.cursor == size)
        await here.sees("▪ recorded ×100")
        await here.press("left", "left", "full_stop")
        assert session.cursor == size - 1
        assert here.said == []


@in_loop
async def test_a_recording_is_opened_in_the_place_of_a_run_that_lives(here_are_two: Path) -> None:
    source = Living()
    async with acting(source) as here:
        await recordings_by("O", here)
        await here.sees("▸ ✓ PASSED")
        await here.sees("two-claims-at-once")
        await here.sees("damaged")
        await here.press("enter")
        await here.until(lambda: here.app.source is not source)
        assert source.closed
        assert isinstance(here.app.source, Recorded)
        await here.sees("▪ recorded")
        assert here.app.session.facts.directory == "runs/good"
        assert here.app.present_screen == "cluster"
        await here.press("space")
        assert here.app.session.playback.plays


@in_loop
async def test_what_cannot_be_opened_is_one_sentence_and_the_run_stays(here_are_two: Path) -> None:
    source = Living()
    async with acting(source, 120, 30) as here:
        dialog = await recordings_by("O", here)
        await here.press("down", "enter")
        await here.sees("✗ runs/spoilt/run.json is no description of a recorded run")
        assert dialog.choice.chosen == "saved:runs/spoilt"
        for path, words in (
            ("no/such", "no/such is no folder: give that of a recorded run"),
            ("~nobody-of-that-name/x", "there is no user of that name"),
            ("runs/spoilt/events", "runs/spoilt/events is no recorded run: it has no run.json"),
            ("a\0/b", "/b is no folder: give that of a recorded run"),
            ("a" * 300 + "/", "it cannot be read: file name too long"),
        ):
            await type_path(here, path)
            await here.sees(words)
            assert isinstance(here.app.screen, OpenRun)
        await here.press("escape")
        assert here.app.source is source
        assert not source.closed


@in_loop
async def test_a_folder_with_several_runs_lists_them_and_a_path_to_one_opens_it(here_are_two: Path) -> None:
    elsewhere = here_are_two / "elsewhere"
    for name in ("a", "b"):
        shutil.copytree(here_are_two / "runs" / "good", elsewhere / "runs" / name)
    async with acting(None, 120, 30) as here:
        dialog = await recordings_by("O", here)
        await type_path(here, "elsewhere/")
        await here.sees("2 recorded in elsewhere")
        assert dialog.choice.trouble == ""
        await type_path(here, "elsewhere/runs/b")
        await here.until(lambda: here.app.session.facts.directory == "elsewhere/runs/b")


@in_loop
async def test_words_leave_the_rows_that_have_them(here_are_two: Path) -> None:
    async with acting(None, 80, 24) as here:
        dialog = await recordings_by("O", here)
        await here.type("claims passed")
        await here.until(lambda: [each.path.name for each in dialog.choice.found()] == ["good"])
        await here.type("x")
        await here.sees("nothing matches 'claims passedx'")
        await here.press("enter")
        await here.sees("✗ choose a recording")


@in_loop
async def test_what_was_saved_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with acting(None, 120, 30) as here:
        here.source.by_hand(1, "cluster.kill('n2')")
        await here.press("S", "s", "enter")
        await here.until(lambda: len(here.app.keeper.saved()) == 2)
        dialog = await recordings_by("O", here)
        assert sorted(each.kind for each in dialog.choice.found()) == ["picture", "script"]
        await here.type("picture")
        await here.press("enter")
        await here.until(lambda: here.app.clipboard == str(tmp_path / "by-hand-sim-7-8ms.svg"))
        await recordings_by("O", here)
        await here.type("chaos_by")
        await here.press("enter")
        await here.until(lambda: isinstance(here.app.screen, PickScript))
        assert here.app.screen.query_one("#typed", Input).value == str(tmp_path / "chaos_by_hand.py")
        (tmp_path / "chaos_by_hand.py").unlink()
        await here.press("escape")
        dialog = await recordings_by("O", here)
        assert [each.kind for each in dialog.choice.found()] == ["picture"], "what is gone is not offered"
