"""The line of its log behind an event of a member that others wrote: noted beside the run, and found."""

from __future__ import annotations

from pathlib import Path

import pytest

from shaketable.harness.records import Record
from shaketable.harness.systems.log_lines import LONGEST, LogLines, line_behind
from shaketable.node.events import Stopped
from shaketable.node.why import Why


def record(sequence: int, incarnation: str = "a", node: str = "n1") -> Record:
    return Record(0, node, incarnation, sequence, Stopped("left", Why.LEFT))


def test_each_event_has_its_own_line(tmp_path: Path) -> None:
    for incarnation in ("a", "b"):
        lines = LogLines(tmp_path, "n1")  # a new process of the same node goes on with the file
        for sequence in (1, 11):
            lines.note(incarnation, sequence, f"line {sequence} of\n\t{incarnation}\N{BOX DRAWINGS LIGHT VERTICAL}")
    assert line_behind(tmp_path, record(1)) == "line 1 of a│"
    assert line_behind(tmp_path, record(11, "b")) == "line 11 of b│"
    assert line_behind(tmp_path, record(2)) == ""
    assert line_behind(tmp_path, record(1, node="n2")) == ""


def test_a_long_one_is_cut(tmp_path: Path) -> None:
    LogLines(tmp_path, "n1").note("a", 1, "x" * 2 * LONGEST)
    assert line_behind(tmp_path, record(1)) == "x" * LONGEST


@pytest.mark.parametrize("damaged", [b'["a",1,"half of it', b'["a",1,7]\n', b'["a",1,"\xff"]\n', b"\x00\x00"])
def test_what_cannot_be_read_is_no_line(damaged: bytes, tmp_path: Path) -> None:
    (tmp_path / "n1.lines").write_bytes(damaged)
    assert line_behind(tmp_path, record(1)) == ""


def test_a_folder_that_cannot_be_written_to_ends_nothing(tmp_path: Path) -> None:
    LogLines(tmp_path / "nowhere", "n1").note("a", 1, "a line")
    assert line_behind(tmp_path / "nowhere", record(1)) == ""
