"""`shaketable replay RUN --at TIME`: a recording opens there, and the command that shows it again says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from shaketable.harness.cli import main
from shaketable.tui.model.standing.again import command_of
from shaketable.tui.source import Recorded


def test_it_opens_there_and_the_command_says_so(recorded: Path) -> None:
    source = Recorded(recorded, "2.5")
    source.read_all()
    session = source.session
    assert 0 < session.cursor < len(session.store)
    assert session.cursor == session.store.place_of(2_500_000)
    again = command_of(session).split()
    assert again[:3] == ["shaketable", "replay", str(recorded)]
    other = Recorded(recorded, again[again.index("--at") + 1])
    other.read_all()
    assert other.session.cursor == session.cursor
    session.move(len(session.store))
    assert "--at" not in command_of(session)


def test_a_time_that_is_none_is_refused_before_anything_is_shown(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(recorded), "--at", "soon"]) == 2
    assert capsys.readouterr().err.startswith("shaketable: --at soon: a time is said as 12.5, 1:30, 500ms")
