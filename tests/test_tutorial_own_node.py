"""The tutorial of a member in JavaScript: each draft fails as the page shows it, and the diffs are of these drafts."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from tests.conftest import AsWritten
from tests.harness.command.command_helpers import shaketable
from tests.lengths import LONG
from tests.shown import Transcript, as_shown, text_of, transcripts, with_output
from tests.where import ROOT

PAGE: Final = "docs/tutorial-own-node.md"
EXAMPLE: Final = "examples/own-node"
WIDTH: Final = "110"
OF_ONE_RUN: Final = re.compile(r" *\d+\.\d{3} s |127\.0\.0\.1:\d+")
"""when something happened, and a port"""
TRANSCRIPTS: Final = list(transcripts(text_of(PAGE)))
DIFFS: Final = re.findall(r"^```diff\n(.*?)^```", text_of(PAGE), re.DOTALL | re.MULTILINE)
NODE_JS: Final = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not on PATH")


def whatever_the_run(lines: Sequence[str]) -> list[str]:
    return [OF_ONE_RUN.sub("*", line) for line in lines]


@NODE_JS
@LONG
@pytest.mark.parametrize("shown", [pytest.param(each, id=f"real-{number}") for number, each in enumerate(TRANSCRIPTS)])
def test_a_step_prints_what_the_page_shows(shown: Transcript, tmp_path: Path, as_written: AsWritten) -> None:
    shutil.copytree(ROOT / EXAMPLE, tmp_path / EXAMPLE)
    ran = shaketable(*shown.command.split()[1:], cwd=tmp_path, env={"COLUMNS": WIDTH})
    assert not ran.err
    told = as_shown(shown.shown, ran.out.rstrip().splitlines())
    if whatever_the_run(told) != whatever_the_run(shown.shown):
        page = text_of(PAGE)  # another step may have written it anew
        (here,) = (each for each in transcripts(page) if each.command == shown.command)
        as_written(ROOT / PAGE, with_output(page, [(here, told)]))


def test_each_draft_has_a_step_and_each_step_a_mend() -> None:
    drafts = sorted(path.stem for path in (ROOT / EXAMPLE / "drafts").glob("*.mjs"))
    assert drafts == sorted(path.stem for path in (ROOT / EXAMPLE / "drafts").glob("*.toml"))
    assert [name for each in TRANSCRIPTS for name in re.findall(r"drafts/(\w+)\.toml", each.command)] == drafts
    assert len(DIFFS) == len(drafts)


@pytest.mark.parametrize("number", range(len(DIFFS)))
def test_a_mend_is_the_difference_between_a_draft_and_the_member(number: int) -> None:
    lines = DIFFS[number].splitlines()
    before = [line[1:] for line in lines if not line.startswith("+")]
    after = [line[1:] for line in lines if not line.startswith("-")]
    assert before != after
    assert "\n".join(before) in (ROOT / EXAMPLE / "drafts" / f"{number + 1}.mjs").read_text(encoding="utf-8")
    assert "\n".join(after) in (ROOT / EXAMPLE / "member.mjs").read_text(encoding="utf-8")
