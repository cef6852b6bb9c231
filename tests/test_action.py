"""action.yml: what its steps run in a shell is run here. Its installation is what tests/test_installed.py shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml
from tests.harness.command.command_helpers import environment, write
from tests.test_tidy import IN_THE_REPOSITORY
from tests.where import ROOT

pytestmark = IN_THE_REPOSITORY


def test_its_steps_run_the_scripts_and_fill_the_summary(tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    install, *steps, upload = action["runs"]["steps"]
    assert install["run"].endswith('install --quiet "$GITHUB_ACTION_PATH"')
    given = {name: about.get("default", "") for name, about in action["inputs"].items()}
    given |= {"scripts": write(tmp_path, 'await cluster.form("n1")').name, "world": "sim", "seeds": "2"}
    summary = tmp_path / "summary.md"
    summary.touch()

    def filled(text: str) -> str:
        return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda name: given[name[1]], text)

    for step in steps:
        values = {name: filled(value) for name, value in step["env"].items()}
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", f'python() {{ "{sys.executable}" "$@"; }}; {step["run"]}'],
            cwd=tmp_path, env=environment(**values, GITHUB_STEP_SUMMARY=str(summary)), capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done
    assert "2 passed" in summary.read_text()
    kept = tmp_path / filled(upload["with"]["path"])
    assert {"report.html", "report.md", "junit.xml", "runs"} <= {path.name for path in kept.iterdir()}
