"""What is built of the real folders: wheel and source archive have every file, and the one makes the other."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.test_tidy import FACE, IN_THE_REPOSITORY, PACKAGES, SOURCES, files
from tests.where import ROOT

pytestmark = IN_THE_REPOSITORY


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with both."""
    return build(ROOT, tmp_path_factory.mktemp("dist"))


def build(source: Path, target: Path, *options: str) -> Path:
    hatchling = [sys.executable, "-m", "hatchling", "build", "-d", str(target), *options]
    subprocess.run(hatchling, cwd=source, check=True, capture_output=True)
    return target


def wheel_in(folder: Path) -> Path:
    (wheel,) = folder.glob("*.whl")
    return wheel


def ours(*tops: str) -> set[str]:
    return {name for name in files() if name.startswith(tuple(f"{top}/" for top in tops))}


def test_the_wheel_has_every_file_of_our_packages_and_no_other(built: Path) -> None:
    names = set(zipfile.ZipFile(wheel_in(built)).namelist())
    face = {name.replace(f"{FACE}/", "shaketable/", 1) for name in ours(FACE)}
    assert {name for name in names if ".dist-info/" not in name} == face | {
        f"shaketable/{name}" for name in ours(*PACKAGES)
    }


def test_the_source_archive_has_the_folders_as_they_are_here(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert names >= ours(*SOURCES, "tests", "docs", "examples")
    assert names >= {"README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "pyproject.toml", "requirements.lock"}


def test_the_source_archive_makes_the_same_wheel(built: Path, tmp_path: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    again = wheel_in(build(source, tmp_path / "again", "-t", "wheel"))
    assert again.read_bytes() == wheel_in(built).read_bytes()
