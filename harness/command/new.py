"""`shaketable new FOLDER`: a small project with a chaos script, a test with a `cluster`, and a workflow for both."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from shaketable import harness
from shaketable.harness.errors import UserError, cannot_be_written

_NEW = """\
Makes a small project: a chaos script, a test with a `cluster`, a workflow for GitHub that runs both, and what pytest
needs to know. All of it passes as it is. FOLDER must not exist yet, or must be empty."""

FILES: Final[Mapping[str, str]] = {
    "README.md": """\
# Chaos tests

`stories/` has chaos scripts. `tests/` has tests with a cluster of their own.

    pip install -r requirements.txt
    pytest                                             stories and tests, in virtual time
    pytest --shaketable-world=real                     the same on real processes
    shaketable run stories/                            the stories on real processes, step by step
    shaketable run stories/ --world sim --seeds 200    in virtual time, with 200 seeds
    shaketable run stories/ --report out/              with a page of it: out/report.html
""",
    "requirements.txt": """\
# If your package index does not have it, name a wheel or a repository here.
shaketable=={version}
""",
    "pyproject.toml": """\
[tool.pytest.ini_options]
testpaths = ["stories", "tests"]
shaketable_world = "sim" # virtual time; "real" is for real processes
""",
    ".gitignore": """\
__pycache__/
/out/
/runs/
""",
    "stories/lose_the_master.py": '''\
"""Chaos scripts. Each one runs on real processes and in virtual time."""

from shaketable import Cluster, script


@script(about=["view agreement", "settled"])
async def lose_the_master(cluster: Cluster) -> None:
    """The master is killed: the next in line takes its place, and all others follow."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n1")
    await cluster.expect(cluster.that.agree("n2", "n3"), within=cluster.bounds.crash)
''',
    "tests/test_silence.py": '''\
"""A test that takes `cluster` is an async def. It is run and judged like a chaos script."""

from shaketable import Cluster


async def test_a_silent_link_heals(cluster: Cluster) -> None:
    await cluster.form("n1", "n2", "n3")
    silence = await cluster.blackhole("n2", "n3", one_way=True)
    await cluster.until(cluster.that.suspects("n3", "n2"), within=cluster.bounds.silence)
    await cluster.heal(silence)
    await cluster.expect(cluster.that.trusts("n3", "n2"), within=cluster.bounds.silence)
''',
    ".github/workflows/chaos.yml": """\
name: chaos
on: [push, pull_request]
permissions:
  contents: read
jobs:
  chaos:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-python@v6
        with:
          python-version: "3.12"
      - run: pip install -r requirements.txt
      - name: Stories and tests in virtual time
        run: pytest
      - name: Stories on real processes
        run: shaketable run stories/ --report out/
      - name: Put the report in the summary
        if: ${{ !cancelled() }}
        run: if [ -f out/report.md ]; then cat out/report.md >> "$GITHUB_STEP_SUMMARY"; fi
      - name: Keep the page and the recordings
        if: ${{ !cancelled() }}
        uses: actions/upload-artifact@v4
        with:
          name: chaos
          path: out/
          if-no-files-found: ignore
""",
}


def add_new(commands: Any) -> None:
    new = commands.add_parser("new", help="make a small project: a story, a test, a workflow", description=_NEW)
    new.add_argument("folder", metavar="FOLDER", help="where to make it")


def make_project(folder: Path) -> int:
    instead = "give a folder that you may write to"
    try:
        if folder.exists() and not (folder.is_dir() and next(folder.iterdir(), None) is None):
            what = "is not empty" if folder.is_dir() else "is no folder"
            raise UserError(f"{folder} {what}: give the name of a new folder")
        for name, text in FILES.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("{version}", harness.version()), encoding="utf-8")
    except OSError as error:
        raise cannot_be_written(folder, error, instead) from None
    made = "".join(f"  {name}\n" for name in FILES)
    sys.stdout.write(f"Made {folder}:\n{made}Run `pytest` there, and `shaketable run stories/`.\n")
    return 0
