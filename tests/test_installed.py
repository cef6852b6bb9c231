"""What is built, installed into an environment of its own, outside the repository: wheel and source archive alone.

It needs a package index, for what Shaketable depends on."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.lengths import LONG
from tests.test_packaging import build
from tests.test_tidy import IN_THE_REPOSITORY
from tests.where import ROOT

pytestmark = [IN_THE_REPOSITORY, LONG]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_a_new_project_passes_with_that_alone(built: Path, tmp_path: Path, kind: str) -> None:
    (package,) = built.glob(kind)
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
    told("python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install", package)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert (
        told("shaketable", "--version") == told("python", "-m", "shaketable", "--version") == f"shaketable {version}\n"
    )
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
