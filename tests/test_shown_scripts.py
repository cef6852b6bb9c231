"""The scripts that README.md and the manual show run as they stand there, in virtual time, and pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.where import ROOT

from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import load_scripts

PAGES = {"README.md": 1, "docs/writing-scripts.md": 2}
"""and how many each shows"""
IMPORTS = "from shaketable import Cluster, script\n"


def shown(page: str) -> list[str]:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [block for block in blocks if re.search(r"^@script", block, re.MULTILINE)]


@pytest.mark.parametrize("page", PAGES)
def test_what_is_shown_runs_and_passes(page: str, tmp_path: Path) -> None:
    assert len(shown(page)) == PAGES[page]
    for number, block in enumerate(shown(page)):
        file = tmp_path / f"shown{number}.py"
        file.write_text(IMPORTS + block, encoding="utf-8")
        (script,) = load_scripts([file])
        for seed in range(3):
            verdict = judged(run_simulated(script, Options(seed=seed)))
            assert (verdict.outcome, verdict.reasons) == ("passed", ()), script.name
