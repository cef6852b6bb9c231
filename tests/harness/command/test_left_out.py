"""A script that is for one world alone: in the other one it is left out, and every report says so."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.harness.command.command_helpers import HEAD, here, report, write
from tests.harness.command.test_pytest_plugin import run_pytest

ALONE = f"""{HEAD}
@script(about=[], worlds=["real"])
async def by_hand(cluster: Cluster) -> None:
    \"\"\"A story for real processes.\"\"\"
    await cluster.form("n1")
"""
WHY = "left out: it is for the real world alone"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    write(scripts, 'await cluster.form("n1", "n2")', name="everywhere")
    (scripts / "by_hand.py").write_text(ALONE)
    return scripts


def test_of_a_folder_the_others_are_run_and_it_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder.parent / "out"
    ran = here(capsys, "run", folder, "--world", "sim", "--report", out)
    assert (ran.code, ran.err) == (0, "")
    assert f"by-hand  {WHY}" in ran.out
    assert "PASSED  1 passed, 1 left out" in ran.out
    assert [run["script"] for run in report(out)["runs"]] == ["everywhere"]
    (left_out,) = report(out)["left_out"]
    assert left_out == {
        "script": "by-hand",
        "title": "A story for real processes.",
        "why": "it is for the real world alone",
    }
    page = (out / "report.md").read_text()
    assert "passed: 1 passed, 1 left out" in page
    assert f"- by-hand: {WHY}" in page
    root = ElementTree.parse(out / "junit.xml").getroot()
    (skipped,) = root.findall("testsuite[@name='by-hand']/testcase/skipped")
    assert skipped.attrib["message"] == WHY


def test_where_nothing_else_was_named_nothing_was_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "run", folder / "by_hand.py", "--world", "sim")
    assert (ran.code, ran.err) == (2, "")
    assert WHY in ran.out
    assert "UNKNOWN  nothing was run, 1 left out" in ran.out


def test_the_list_says_what_would_be_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for world, said in (("sim", "by-hand (not here: it is for the real world alone)"), ("real", "by-hand A story")):
        ran = here(capsys, "run", folder, "--list", "--world", world)
        assert ran.code == 0
        assert said in " ".join(ran.out.split())


def test_pytest_skips_it(folder: Path) -> None:
    code, told = run_pytest(folder, "--shaketable-world=sim", ".")
    assert code == 0, told
    assert "1 passed, 1 skipped" in told
    assert WHY in told
