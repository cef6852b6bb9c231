"""A command that is no node at all gets one sentence and exit code 2: nothing of the contract is broken."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import here

from shaketable.harness.systems.contract.described import of_command

ENDS = "import os, sys; os.write(1, b'y' * (8 << 20)); sys.exit(7)"


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ("/no/such/program --flag", "/no/such/program --flag cannot be started: no such file or directory"),
        ("/proc/version", "/proc/version cannot be started: permission denied"),
        ("no-such-program its.toml", "no-such-program its.toml cannot be started: no such file or directory"),
        ("no/such/system.toml", "no/such/system.toml: it cannot be read: no such file or directory"),
        (" ", "a command of blanks starts nothing: give a program, such as './my-node --flag'"),
    ],
)
def test_it_gets_a_sentence(node: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = here(capsys, "check-node", node)
    assert (told.code, told.out, told.err) == (2, "", f"shaketable: {words}\n")


def test_a_word_of_a_command_may_be_longer_than_a_path() -> None:
    assert of_command(shlex.join(["python3", "-c", "x" * 5000])).name == "python3"


def test_the_log_of_a_node_is_shown_by_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    told = here(capsys, "check-node", shlex.join([sys.executable, "-c", ENDS]))
    assert told.code == 1
    assert "n1 ended by itself, with code 7" in told.out
    assert "n1.log ends with: yyy" in told.out
    assert len(told.out) < 1000


def test_a_file_that_ends_so_may_have_blanks_in_its_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "my system.toml").write_text("level = 1")
    told = here(capsys, "check-node", tmp_path / "my system.toml")
    assert told.refused("my system.toml: it is no system.toml: Object missing required field `command`")
