"""A kind of fault is added as a new one is, and found everywhere: by scripts, menus, plans, marks, checks and pages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.where import ROOT


def test_one_row_and_its_acts_are_all_that_a_new_fault_takes(tmp_path: Path) -> None:
    """In a process of its own: in this one the table would keep it."""
    file = tmp_path / "found.json"
    command = [sys.executable, "-m", "tests.harness.faults.a_new_fault", str(file)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=300)
    found = json.loads(file.read_text(encoding="utf-8"))
    assert len(found) == 16
    assert {place: wrong for place, wrong in found.items() if wrong} == {}
