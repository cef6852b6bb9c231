"""The wheel, and then in its place the source archive, installed into an environment of its own outside the repository.
The archive makes the same wheel (test_packaging.py).

It needs a package index, for what Shaketable depends on."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.lengths import LONGEST
from tests.test_packaging import build
from tests.test_tidy import IN_THE_REPOSITORY
from tests.where import ROOT

pytestmark = [IN_THE_REPOSITORY, LONGEST]


def test_a_new_project_passes_with_that_alone(tmp_path: Path) -> None:
    built = build(ROOT, tmp_path / "dist")
    (wheel,), (archive,) = built.glob("*.whl"), built.glob("*.tar.gz")
    with_it = tmp_path / "environment" / "bin"
    subprocess.run([sys.executable, "-m", "venv", str(with_it.parent)], check=True)

    def told(program: str, *arguments: str | Path, within: Path = tmp_path) -> str:
        done = subprocess.run(
            [str(with_it / program), *map(str, arguments)], cwd=within, text=True, check=False, env=plain,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return done.stdout

    # Nothing of the environment that the tests run in.
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    install = ("python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-compile")
    told(*install, wheel)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    as_it_says = f"shaketable {version}\n"
    assert told("shaketable", "--version") == told("python", "-m", "shaketable", "--version") == as_it_says
    assert "All that is needed is here." in told("shaketable", "doctor")
    told("shaketable", "new", "project")
    project = tmp_path / "project"
    for name in ("node", "harness"):
        (project / name).mkdir()
        (project / name / "__init__.py").touch()
    assert "2 passed" in told("pytest", within=project)
    told("shaketable", "run", "stories/", "--report", "out/", within=project)
    assert (project / "out" / "report.html").is_file()
    assert "kill-the-master" in told("shaketable", "run", "--list", within=project)
    told(*install, "--force-reinstall", "--no-deps", archive)
    assert told("shaketable", "--version") == as_it_says
    assert "2 passed" in told("pytest", within=project)
