"""What a system.toml may say, and what is said of one that says something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from shaketable.harness.errors import UserError
from shaketable.harness.otherwise import OTHERWISE
from shaketable.harness.runs.fitting import why_not
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.scripting.targets import script_named


def written(folder: Path, text: str) -> str:
    path = folder / "system.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("command = 'x'\ncolour = 'red'", "it is no system.toml: Object contains unknown field `colour`"),
        ("command = 7", "it is no system.toml: Expected `str`, got `int`"),
        ("level = 1", "it is no system.toml: Object missing required field `command`"),
        ("command = ", "it is no system.toml: "),
        ("command = ' '", "a command of blanks starts nothing"),
        ("command = 'x'\nbuild = ' '", "a command of blanks starts nothing"),
        ('command = "x\\u0000"', "'x\\x00' holds a NUL, which no command can"),
        ('command = "x"\nbuild = "make\\u0000"', "'make\\x00' holds a NUL, which no command can"),
        ("command = 'x'\nlevel = 6", "level = 6: there are 0, 1, 2, 3, 4, 5"),
        ("command = 'x'\ncan = ['fly']", "can has 'fly', which is none of hold, messages, clocks, data, http, group"),
        ("command = 'x'\notherwise = ['best']", "otherwise has 'best', which is none of one_by_one, "),
        ("command = 'x'\nsettings = { heartbeat = 1 }", "settings: "),
        ("command = 'x'\nheeds = ['heartbeat']", "heeds has 'heartbeat', which is no setting"),
        ("command = 'x'\npatience_seconds = nan", "patience_seconds = nan: it is 0 to 3600"),
        ("command = 'x'\nallowance_seconds = -1", "allowance_seconds = -1: it is 0 to 3600"),
        ("command = 'x'\ntells = ['Rain']", "it says that it tells Rain"),
        ("command = 'x'\npromises = ['sun']", "it says that it promises 'sun', and there is no such check"),
        ('command = "it\'s"', 'the command "it\'s" cannot be read: No closing quotation'),
    ],
)
def test_a_wrong_one_gets_a_sentence(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        Options("real", system=written(tmp_path, text)).chosen.system.members(
            Options("real", system=str(tmp_path / "system.toml")).chosen.under_test
        )
    assert said in str(refused.value)


def test_one_that_is_not_there_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="it cannot be read: no such file or directory"):
        assert Options("real", system=str(tmp_path / "none.toml")).chosen


def test_a_build_that_fails_is_told(tmp_path: Path) -> None:
    system, under_test = Options("real", system=written(tmp_path, "command='x'\nbuild='false'")).chosen
    with pytest.raises(UserError, match="false failed, exit code 1: it says nothing"):
        system.install(under_test, lambda line: None)


UNHEEDED = "it sets {}, which it does not heed"


def fits(script: Script, folder: Path, text: str) -> str:
    unfit = why_not(script, Options("real", system=written(folder, text)))
    return unfit.why if unfit is not None else ""


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("kill-a-follower", "level = 1", ""),
        ("the-owner-crashes", "level = 5", "it holds no data for clients"),
        ("figure-5-cut", "level = 2", ""),
        ("figure-5-cut", "level = 2\nheeds = []", UNHEEDED.format("partial_disconnection_heartbeat_count")),
        ("figure-5-cut", "level = 2\nheeds = ['partial_disconnection_heartbeat_count', 'merging']", ""),
        ("kill-a-follower", "heeds = []\nsettings = { merging = false }", ""),
        ("kill-a-follower", "heeds = []", UNHEEDED.format("merging")),
        ("told-by-the-master", "level = 2", ""),
        ("told-by-the-master", "otherwise = ['by_silence']", f"it does otherwise: {OTHERWISE['by_silence']}"),
        ("lite-members", "heeds = ['merging']", UNHEEDED.format("lite_member")),
        ("form", "level = 0", ""),
        ("rolling-restart", "level = 0", "it waits for what it does not tell: n4 holds v=12 [n1, n2, n3, n4]"),
        ("pause-a-node", "level = 0", ""),
        ("pause-a-node", "level = 0\notherwise = ['comes_back']", f"it does otherwise: {OTHERWISE['comes_back']}"),
        ("a-wrong-configuration", "level = 0", "its members differ in the number of partitions, and it has none"),
        ("remembered", "level = 0", ""),
        ("legacy-only-configured", "level = 0", "it has none of our legacy faults"),
    ],
)
def test_scripts_fit_by_what_it_can(name: str, text: str, why: str, tmp_path: Path) -> None:
    assert fits(script_named(name), tmp_path, f"name = 'it'\ncommand = 'x'\n{text}") == why
