"""Scripts that are loaded or run by several threads at once leave the process as it was."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from shaketable.harness.scripting.reins import KEPT_FILES, reined


def test_the_last_of_several_gives_back_what_the_first_has_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here := Path.cwd())
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    first, second = reined([]), reined([])
    first.__enter__()
    os.chdir(tmp_path)
    second.__enter__()
    first.__exit__(None, None, None)
    assert Path.cwd() == tmp_path
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == before[0] - min(KEPT_FILES, before[0] // 8)
    second.__exit__(None, None, None)
    assert Path.cwd() == here
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before
