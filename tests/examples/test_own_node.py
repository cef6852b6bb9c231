"""The example in JavaScript: the stories of form, crash, cut, split and heal run on it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import shaketable
from tests.lengths import LONG
from tests.where import ROOT

STORIES = ("form-at-once", "kill-a-follower", "one-way-cut", "cut-and-heal", "split-in-two")


@LONG
@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not on PATH")
def test_stories_run_on_it(tmp_path: Path) -> None:
    example = shutil.copytree(ROOT / "examples" / "own-node", tmp_path / "own-node")
    ran = shaketable("run", *STORIES, "--system", "system.toml", cwd=example)
    assert ran.code == 0, ran
    assert f"{len(STORIES)} passed" in ran.out
