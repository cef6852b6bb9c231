"""README.md shows what the command prints."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.conftest import AsWritten
from tests.harness.command.command_helpers import here
from tests.where import ROOT, with_part

FAILING = "shaketable run no-stale-overwrite --world sim --set 'legacy_fault=stale overwrite' --quiet --report out"


def test_the_story_that_fails_is_told_as_the_page_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], as_written: AsWritten
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    ran = here(capsys, *shlex.split(FAILING)[1:])
    assert ran.code == 1
    told = ran.out.replace(f"{ROOT}/.dev/shaketable/", "").replace(f"{ROOT}/", "")
    lines = [f"    $ {FAILING}", *(f"    {line}".rstrip() for line in told.splitlines())]
    page = ROOT / "README.md"
    as_written(page, with_part(page, "failing", "\n" + "\n".join(lines)))
