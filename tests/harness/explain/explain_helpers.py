"""What the tests of `shaketable explain` stand on: questions, asking them, and the pages with their transcripts."""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest
from tests.harness.command.command_helpers import Ran, here
from tests.shown import transcripts, with_output

CLIQUE = ("explain", "clique")
FIGURE_5 = '{"members":["n1","n2","n3","n4"],"broken":[["n2","n3"],["n2","n4"]]}'
LEAVES_N2 = '{"stay": ["n1", "n3", "n4"], "leave": ["n2"]}\n'
Ask = Callable[..., Ran]


def question(**values: Any) -> str:
    return json.dumps({"members": ["n1", "n2", "n3"], "broken": [["n2", "n3"]], **values})


def asking(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...] = CLIQUE
) -> Ask:
    """`ask(said, *arguments)`: with this on standard input."""

    def ask(said: str | bytes, *arguments: object) -> Ran:
        data = said if isinstance(said, bytes) else said.encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        return here(capsys, *command, *arguments)

    return ask


def as_answered(page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """With all its transcripts as they come out now, at 80 columns, cut where the page cuts them."""
    monkeypatch.setenv("COLUMNS", "80")

    def told_by(command: str) -> list[str]:
        ran = here(capsys, *shlex.split(command)[1:])
        assert (ran.code, ran.err) == (0, "")
        return ran.out.splitlines()

    told = [(each, told_by(each.command)) for each in transcripts(page)]
    assert len(told) == page.count("    $ shaketable ")
    return with_output(page, told)
