"""What the tests of `shaketable explain clique` stand on: questions, and asking them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.command.command_helpers import Ran, here

CLIQUE = ("explain", "clique")
FIGURE_5 = '{"members":["n1","n2","n3","n4"],"broken":[["n2","n3"],["n2","n4"]]}'
LEAVES_N2 = '{"stay": ["n1", "n3", "n4"], "leave": ["n2"]}\n'
Ask = Callable[..., Ran]


def question(**values: Any) -> str:
    return json.dumps({"members": ["n1", "n2", "n3"], "broken": [["n2", "n3"]], **values})


def asking(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    """`ask(said, *arguments)`: with this on standard input."""

    def ask(said: str | bytes, *arguments: object) -> Ran:
        data = said if isinstance(said, bytes) else said.encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        return here(capsys, *CLIQUE, *arguments)

    return ask
