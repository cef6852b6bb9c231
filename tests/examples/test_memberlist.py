"""The example in Go is built as its page says, and our stories run on it."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from tests.harness.command.command_helpers import here, shaketable
from tests.lengths import LONG
from tests.where import ROOT

pytestmark = LONG

EXAMPLE = ROOT / "examples" / "memberlist"
STORIES = ("form", "kill-a-follower", "graceful-leave", "silence-the-master", "split-in-two", "halves-that-are-silent")
"""form, crash, leave, cut, split and heal"""
NEEDS_GO = pytest.mark.skipif(shutil.which("go") is None, reason="no go on PATH: it builds the node")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of it with nothing built; the first that needs the program builds it."""
    folder = tmp_path_factory.mktemp("examples") / "memberlist"
    return shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("memberlist-node"))


def test_scripts_are_fitted_to_it_without_go(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    told = here(capsys, "systems", example / "system.toml", "--scripts", ROOT / "chaos" / "cluster" / "crashes.py")
    said = " ".join(told.out.split())
    assert told.code == 0
    assert "tells 7 kinds of event: Failed, Joined, Leaving, MembersSeen, Started, StoodStill, Stopped" in said
    assert "runs 4 of 5 scripts; not the others: 1 it asks for what the system may do otherwise" in said


@NEEDS_GO
def test_it_keeps_the_contract(example: Path) -> None:
    ran = shaketable("check-node", "system.toml", cwd=example)
    assert (ran.code, ran.err) == (0, ""), ran
    assert "memberlist keeps the contract at level 0: members, as a set" in ran.out


@NEEDS_GO
def test_stories_run_on_it(example: Path) -> None:
    ran = shaketable("run", *STORIES, "--system", "system.toml", "--report", "out", cwd=example)
    assert ran.code == 0, ran
    report = msgspec.json.decode((example / "out" / "report.json").read_bytes())
    held = [check["name"] for run in report["runs"] for check in run["checks"] if check["status"] == "held"]
    assert held.count("same members") == len(STORIES)
