"""`shaketable tui` and `shaketable replay`: what is wrong is said in one sentence before any screen opens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import environment, here, write
from tests.where import CHAOS, story


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nodes", "0"], ["--nodes 0", "1 to 100"]),
        (["--nodes", "3", "--script", "form"], ["--nodes is for a session that is driven by hand"]),
        (["--speed", "2"], ["--speed is for --world sim"]),
        (["--world", "sim", "--speed", "-1"], ["--speed -1", "or max"]),
        (["--world", "sim", "--speed", "nan"], ["--speed nan"]),
        (["--script", "nowhere.py"], ["nowhere.py"]),
        (["--script", str(CHAOS / "demo.py")], ["holds 2 scripts", "name one of them"]),
        (["--script", str(story("mastership_fight"))], ["cannot be run in this world"]),
        (["--set", "no_such_setting=1"], ["no_such_setting"]),
        (["--set", "seed"], ["NAME=VALUE"]),
        (["--port", "80"], ["--port 80", "with --serve"]),
        (["--serve", "--port", "70000"], ["--port 70000"]),
        (["--toxiproxy", "http://127.0.0.1:1"], ["No Toxiproxy server at http://127.0.0.1:1", "reached nobody"]),
        (["--serve", "--toxiproxy", "http://127.0.0.1:1"], ["No Toxiproxy server at http://127.0.0.1:1"]),
        (["--toxiproxy", "no/such/program"], ["no/such/program, which is no program"]),
        (["--toxiproxy", "ftp://127.0.0.1"], ["takes an address like"]),
        ([], ["need a terminal"]),
    ],
    ids=lambda each: " ".join(each),
)
def test_tui_refuses(arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, "tui", *arguments).refused(*words)


def test_replay_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, "replay", tmp_path / "nowhere").refused("is no folder")
    here(capsys, "replay", tmp_path).refused("it has no run.json")
    story = write(tmp_path, 'await cluster.form("n1", "n2")\nawait cluster.calm()')
    assert here(capsys, "run", story, "--world", "sim", "--seeds", "2", "--report", tmp_path / "out").code == 0
    here(capsys, "replay", tmp_path / "out").refused("holds 2 runs, give one of them", "runs/story-sim-1")
    here(capsys, "replay", tmp_path / "out" / "runs" / "story-sim-2").refused("need a terminal")


def test_without_textual_serve_one_sentence_says_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "textual_serve", None)
    here(capsys, "tui", "--serve").refused("pip install 'shaketable[serve]'")


def test_the_other_commands_do_not_load_the_screens() -> None:
    code = "import sys; from shaketable.harness import cli; cli._parser(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment()).stdout
    assert not {"textual", "shaketable.tui"} & set(loaded.split())
