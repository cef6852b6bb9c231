"""config.toml: keys by the names of actions, and the theme; what is wrong with it is one sentence, file and key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import here as command
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Acting, Living
from tests.tui.showing import Heard, until

from shaketable.harness.errors import UserError
from shaketable.tui.actions import ACTIONS
from shaketable.tui.kept import Keeper
from shaketable.tui.preferences import Preferences, preferences, read
from shaketable.tui.text import plain
from shaketable.tui.theme import DARK, LIGHT
from shaketable.tui.widgets.panel import Panel

GOOD = """
theme = "light"
[keys]
kill = "x"
leave = ["K", "f8"]
settings = ","
mark_before = "{"
down = "ctrl+n"
"""
REFUSED = {
    "theme = 3": "theme: 3 is none; give dark or light",
    'theme = "pink"': "theme: 'pink' is none",
    'colour = "red"': "colour: there is no such setting",
    "keys = 1": "keys: it is a table",
    '[keys]\nkil = "x"': "keys.kil: there is no such action; did you mean kill?",
    '[keys]\nqqq = "x"': "keys.qqq: there is no such action; the manual's table",
    "[keys]\nkill = 1": "keys.kill: give a key",
    "[keys]\nkill = []": "keys.kill: give a key",
    '[keys]\nkill = ""': "keys.kill: '' is no key",
    '[keys]\nkill = "shift+k"': "keys.kill: 'shift+k' is no key; give a letter (K, not shift+k)",
    '[keys]\nkill = "hyper+x"': "keys.kill: 'hyper+x' is no key",
    '[keys]\nkill = "b"': "keys.kill: its key is that of break too; give break another one",
    '[keys]\nkill = "j"': "keys.kill: its key is that of down too; give down another one",
    '[keys]\nkill = "["': "keys.kill: its key is that of mark_before too",
    '[keys]\nkill = "x"\nleave = "x"': "keys.kill: its key is that of leave too",
    "[keys": "is no TOML",
}


def config(folder: Path, text: str) -> Path:
    file = folder / "shaketable" / "config.toml"
    file.parent.mkdir()
    file.write_text(text)
    return file


def test_keys_and_theme_are_read_and_without_a_file_there_are_none(tmp_path: Path) -> None:
    assert read(tmp_path / "none.toml") == Preferences()
    assert read(config(tmp_path, "")) == Preferences()
    said = read(config(tmp_path / "shaketable", GOOD))
    keys = {"kill": "x", "leave": "K,f8", "settings": "comma", "mark_before": "{", "down": "ctrl+n"}
    assert said == Preferences(LIGHT, keys)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_wrong_is_one_sentence_that_names_file_and_key(text: str, tmp_path: Path) -> None:
    file = config(tmp_path, text)
    with pytest.raises(UserError) as refused:
        read(file)
    assert str(refused.value).startswith(str(file))
    assert REFUSED[text] in str(refused.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.toml")
    with pytest.raises(UserError, match="is no file"):
        read(tmp_path / "config.toml")


@pytest.mark.parametrize("name", ["tui", "replay"])
def test_it_is_said_before_a_screen_opens(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = config(tmp_path, '[keys]\nkil = "x"')
    arguments = ["tui", "--serve"] if name == "tui" else ["replay", "no/such"]
    command(capsys, *arguments).refused(f"{file}: keys.kil")
    file.unlink()
    assert preferences() == Preferences()


@in_loop
async def test_a_rebound_key_does_it_and_the_usual_one_does_not() -> None:
    source = Living()
    rebound = Heard(source, preferences=Preferences(keys={"kill": "L", "leave": "K", "down": "x"}))
    async with rebound.run_test(size=(160, 30)) as pilot:
        here = Acting(pilot, source)
        here.session.chosen.node = "n1"
        here.app.draw()
        await here.sees("L kill n1")
        await here.sees("K leave n1")
        await here.press("L", "enter", "K", "enter", "x")
        assert here.hands.done == ['cluster.kill("n1")', 'cluster.leave("n1")']
        assert here.session.chosen.node == "n2"
        await here.press("j")
        assert here.session.chosen.node == "n2"
        await here.click("L kill n2")
        await here.sees("Kill n2?")
        await here.press("escape", "question_mark")
        await here.sees("Keys and symbols")
        assert f"{' L':11}Kill the chosen node" in plain(here.app.screen.query_one(Panel)._lines)


@in_loop
async def test_the_theme_is_remembered_and_that_of_the_file_comes_first(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path / "screens.json")
    async with Heard(Living(), keeper).run_test() as pilot:
        assert pilot.app.theme == DARK
        await pilot.press("t")
        await until(pilot, lambda: Keeper(tmp_path / "screens.json").kept.theme == LIGHT)
    assert Heard(Living(), keeper).theme == LIGHT
    assert Heard(Living(), keeper, Preferences(DARK)).theme == DARK
    keeper.keep(theme="gone")
    assert Heard(Living(), keeper).theme == DARK


def test_each_action_has_a_name_that_can_be_written_bare() -> None:
    assert [action.name for action in ACTIONS if not action.name.replace("_", "").isalnum()] == []
