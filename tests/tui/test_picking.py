"""A script is picked at the screen, and runs in the place of what was shown before."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.panels.stories import session_of
from tests.tui.showing import Shown, drawn, until
from textual.pilot import Pilot
from textual.widgets import Input

from shaketable.harness.scripting.targets import scripts_of_ours
from shaketable.tui.app import ShaketableApp
from shaketable.tui.dialogs.pick_script import PickScript
from shaketable.tui.engine.client import Engine
from shaketable.tui.engine.facts import look_at
from shaketable.tui.engine.protocol import Begin
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.script_choice import ScriptChoice
from shaketable.tui.panels.script_list import script_list, told, worlds
from shaketable.tui.source import Source
from shaketable.tui.text import plain
from shaketable.tui.widgets.panel import Panel

SCRIPT = """\
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script

@script(about=["view integrity"])
async def {name}(cluster: Cluster) -> None:
    \"\"\"Two find each other.\"\"\"
    await cluster.form("n1", "n2")
    await cluster.sleep({seconds} * 1_000_000)
"""


class Silent(Engine):
    """No process tells it anything."""

    async def start(self) -> None:
        pass


class Picking(ShaketableApp):
    """Keeps what it is to show."""

    def _show(self, source: Source, screen: str) -> None:
        self.picked = [source]

    picked: Sequence[Source] = ()


def choice() -> ScriptChoice:
    return ScriptChoice("sim", "7", scripts_of_ours(), loaded=True)


def test_the_list_holds_what_each_typed_word_is_in() -> None:
    some = choice()
    some.typed = "CANDIDATE-dies mid"
    assert [script.name for script in some.found()] == [
        "the-candidate-dies-in-mid-claim",
        "the-candidate-dies-in-mid-publish",
    ]
    shown = plain(script_list(some, 100, 10)).split("\n")
    assert shown[0] == " claims.py"
    assert shown[1].startswith(" ▸ the-candidate-dies-in-mid-claim")
    assert shown[2].startswith("   the-candidate-dies-in-mid-publish")
    assert "2 of" in plain(told(some, 100, 3))
    some.typed = "no such script"
    assert "no script matches" in plain(script_list(some, 100, 10))
    some.typed = "here/mine.py"
    assert "what this path names" in plain(script_list(some, 100, 10))


def test_what_is_chosen_stays_chosen_while_it_is_in_the_list() -> None:
    some = choice()
    some.chosen = "two-claims-at-once"
    some.typed = "claims"
    assert (found := some.present()) is not None
    assert found.name == "two-claims-at-once"
    some.typed = "storm"
    assert (found := some.present()) is not None
    assert found.name != "two-claims-at-once"


def test_the_world_is_said_by_a_mark_and_a_script_that_cannot_run_there_says_so() -> None:
    some = choice()
    assert plain(worlds(some, 40, 1)) == " ● simulated   ○ real processes"
    others = [script for script in some.scripts if script.why_not_in("sim")]
    for script in others[:1]:
        some.typed = script.name
        assert "it is for the real world alone" in plain(script_list(some, 200, 9))


@asynccontextmanager
async def showing(app: ShaketableApp, width: int = 120, height: int = 40) -> AsyncIterator[Pilot[int]]:
    async with app.run_test(size=(width, height)) as pilot:
        yield pilot


def one_claim() -> Session:
    return session_of("chaos/cluster/claims.py", "two-claims-at-once", 3)


async def opened(pilot: Pilot[int]) -> PickScript:
    await pilot.press("o")
    dialog = pilot.app.screen
    assert isinstance(dialog, PickScript)
    await until(pilot, lambda: dialog.choice.loaded)
    return dialog


@in_loop
async def test_keys_find_and_choose_a_script_a_world_and_a_seed() -> None:
    app = ShaketableApp(Shown(one_claim()))
    async with showing(app, 80, 24) as pilot:
        dialog = await opened(pilot)
        assert (dialog.choice.world, dialog.choice.seed) == ("sim", "3")  # as what was shown before
        await pilot.press(*"claims")
        await until(pilot, lambda: "a-chain-of-four" in "".join(drawn(dialog.query_one("#found", Panel))))
        await pilot.press("down", "pagedown", "up", "up")
        assert dialog.choice.present() is not None
        for key, world in (("right", "real"), ("space", "sim")):
            await pilot.press(*(["tab"] if key == "right" else []), key)
            assert dialog.choice.world == world
        await pilot.press("tab", "home", "9", "x", "enter")
        assert dialog.choice.trouble == "a seed is a whole number, not '9x3'"
        await pilot.press("backspace")
        assert (dialog.choice.seed, dialog.choice.trouble) == ("93", "")
        await pilot.press("escape")
        assert not isinstance(app.screen, PickScript)
        assert isinstance(app.source, Shown)


@in_loop
async def test_the_mouse_chooses_a_script_and_a_world() -> None:
    app = ShaketableApp(Shown(one_claim()))
    async with showing(app) as pilot:
        dialog = await opened(pilot)
        await pilot.press(*"claims")
        scripts = dialog.query_one("#found", Panel)
        await until(pilot, lambda: any("two-claims-at-once" in text for text in drawn(scripts)))
        y = next(y for y, text in enumerate(drawn(scripts)) if "two-claims-at-once" in text)
        await pilot.click(scripts, offset=(8, y + 1))
        assert dialog.choice.chosen == "two-claims-at-once"
        await pilot.click("#worlds", offset=(18, 0))
        assert dialog.choice.world == "real"


@in_loop
async def test_a_small_screen_has_a_button_that_runs_what_is_chosen() -> None:
    app = ShaketableApp(Shown(one_claim()))
    async with showing(app, 80, 24) as pilot:
        dialog = await opened(pilot)
        dialog.query_one("#seed", Input).value = "x"
        button = dialog.query_one("#run")
        assert dialog.region.contains_region(button.region)
        assert button.region.right < dialog.query_one("#told_of_found").region.right
        await pilot.click(button)
        await until(pilot, lambda: dialog.choice.trouble == "a seed is a whole number, not 'x'")


@in_loop
async def test_what_cannot_be_run_is_said_in_the_dialog(tmp_path: Path) -> None:
    app = ShaketableApp(Shown(one_claim()))
    async with showing(app) as pilot:
        dialog = await opened(pilot)
        dialog.query_one("#typed", Input).value = str(tmp_path / "none.py")
        await until(pilot, lambda: dialog.choice.is_path)
        await pilot.press("enter")
        assert "there is no file or folder" in dialog.choice.trouble
        assert app.screen is dialog
        for name in ("x" * 5_000, f"{'x' * 5_000}.py"):
            dialog.query_one("#typed", Input).value = f"./{name}"
            await until(pilot, lambda name=name: dialog.choice.typed.endswith(name))  # type: ignore[misc]
            await pilot.press("enter")
            assert "cannot be read (file name too long)" in dialog.choice.trouble
        dialog.query_one("#typed", Input).value = "never to be found"
        await until(pilot, lambda: not dialog.choice.is_path)
        await pilot.press("enter")
        assert dialog.choice.trouble == "choose a script"


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two in the present folder, where runs are recorded, too."""
    monkeypatch.chdir(tmp_path)
    for name, seconds in (("forever", 100_000), ("soon_over", 1)):
        Path(f"{name}.py").write_text(SCRIPT.format(name=name, seconds=seconds))


@pytest.mark.usefixtures("scripts")
@in_loop
async def test_a_script_that_is_picked_runs_in_the_place_of_the_one_before() -> None:
    first = Engine(Begin(world="sim", seed=1, preset="fast", script="forever.py"))
    app = ShaketableApp(first)
    async with showing(app) as pilot:
        await until(pilot, lambda: len(app.session.store) > 10)
        assert first._process is not None
        old = first._process.pid
        dialog = await opened(pilot)
        dialog.query_one("#typed", Input).value = "soon_over.py"
        await until(pilot, lambda: dialog.choice.is_path)
        await pilot.press("enter")
        await until(pilot, lambda: app.source is not first and len(app.session.store) > 10)
        with pytest.raises(ProcessLookupError):
            os.kill(old, 0)
        assert app.session is app.source.session
        await until(pilot, lambda: app.session.ended is not None)
        assert app.session.ended is not None
        assert app.session.ended.outcome == "passed", app.session.ended.reasons
        assert app.last_said == "", "it is of the run before"
        steps = app.query_one("#steps", Panel)
        await until(pilot, lambda: any("the script ends: done" in text for text in drawn(steps)))
        assert steps.border_title == "soon-over: Two find each other."


@in_loop
async def test_the_first_frame_of_a_group_s_script_has_the_screen_of_a_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before its engine has said anything."""
    monkeypatch.chdir(tmp_path)
    begin = Begin(world="sim", seed=1, script="group-kill-ring")
    app = ShaketableApp(Silent(begin, look_at(begin)))
    async with showing(app) as pilot:
        assert not app.session.facts.fabric, "the engine tells that"
        await until(pilot, lambda: "3 Group" in " ".join(" ".join(drawn(app.query_one("#tabs", Panel))).split()))
        await pilot.press("3")
        assert app.present_screen == "group"


@in_loop
async def test_what_is_known_of_a_script_that_is_picked_is_known_at_once() -> None:
    app = Picking(Shown(one_claim()))
    async with showing(app) as pilot:
        dialog = await opened(pilot)
        dialog.query_one("#typed", Input).value = "group-kill-ring"
        await until(pilot, lambda: (found := dialog.choice.present()) is not None and found.name == "group-kill-ring")
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.picked) or bool(dialog.choice.trouble))
        facts = app.picked[0].session.facts
        assert (facts.script, facts.settings["family"]) == ("group-kill-ring", "gms")
