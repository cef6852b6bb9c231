"""`shaketable why`, `differ` and `export`: what may be asked, and what is said to a wrong question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import here


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from shaketable.harness.cli import main

    folder = tmp_path_factory.mktemp("why") / "out"
    assert main(["run", "demo-figure-5", "--world", "sim", "--report", str(folder), "--quiet"]) == 0
    return folder


@pytest.fixture(scope="module")
def red(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from shaketable.harness.cli import main

    folder = tmp_path_factory.mktemp("why") / "out"
    assert main(["run", "legacy-unordered-updates", "--world", "sim", "--report", str(folder)]) in (0, 1)
    return folder


def test_a_node_is_asked_about_by_its_name(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "why", str(report), "n2")
    assert ran.code == 0
    assert "n1 removes n2" in ran.out.splitlines()[0]
    assert "fault 2" in ran.out.splitlines()[-1]


def test_an_event_is_asked_about_by_its_number_or_its_time(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = here(capsys, "why", str(report), "n3:1").out
    assert "n3 starts" in first
    assert here(capsys, "why", str(report), "n3@5.0032").out == first
    assert " n1 " in here(capsys, "why", str(report), "n1@end").out.splitlines()[0]


def test_without_a_broken_guarantee_it_lists_what_may_be_asked(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = here(capsys, "why", str(report))
    assert ran.code == 0
    assert "No guarantee is broken here." in ran.out
    assert "removes n2" in ran.out


def test_each_proof_of_a_broken_guarantee_is_explained(red: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = here(capsys, "why", str(red)).out.splitlines()
    assert lines[0].startswith("view order: ")
    assert sum("↑" in line for line in lines) > 2


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ("n9", "no node n9 tells anything in this run; its nodes are: n1 n2 n3 n4"),
        ("n1:0", "n1 has no event 0"),
        ("n1:99999", "n1 has no event 99999; its last one is "),
        ("n1:x", "give NODE:NUMBER, NODE@SECONDS or NODE"),
        ("n1@soon", "a time is said as"),
    ],
)
def test_a_question_that_makes_no_sense(
    report: Path, event: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "why", str(report), event).refused(words)


def test_what_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, "why", str(tmp_path)).refused("is no recorded run")
    here(capsys, "export", str(tmp_path / "none")).refused("is no folder: give that of a recorded run")


@pytest.mark.parametrize("command", ["why", "export"])
def test_a_run_without_events(command: str, report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.json").write_bytes(next(report.rglob("run.json")).read_bytes())
    here(capsys, command, str(tmp_path)).refused("holds no events: there is nothing to ")


def test_an_export_goes_to_a_file(report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert here(capsys, "export", str(report), "--out", str(tmp_path / "run.json")).code == 0
    assert json.loads((tmp_path / "run.json").read_bytes())["traceEvents"]
    assert here(capsys, "export", str(report), "--format", "shiviz", "--out", str(tmp_path / "run.log")).code == 0
    assert (tmp_path / "run.log").read_text().splitlines()[1].startswith("n1 {")
    here(capsys, "export", str(report), "--out", str(tmp_path / "none" / "run.json")).refused("no such file")


def test_two_runs_of_one_seed_tell_the_same(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "differ", str(report), str(report))
    assert ran.code == 0
    assert "Both tell the same" in ran.out


def test_where_two_runs_differ_both_are_shown_and_why(
    report: Path, red: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = here(capsys, "differ", str(report), str(red))
    assert ran.code == 0
    assert ran.out.startswith(
        "A: demo-figure-5, sim, seed 1: passed\nB: legacy-unordered-updates, sim, seed 1: passed\n"
    )
    assert ran.out.count("▸") == 1
    assert "Why it happened in " in ran.out


def test_what_cannot_be_compared(report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, "differ", str(report), str(tmp_path)).refused("is no recorded run")
