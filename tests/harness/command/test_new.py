"""`shaketable new`: a project that passes as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.conftest import AsWritten
from tests.harness.command.command_helpers import here
from tests.where import DOCS, with_part

from shaketable import harness
from shaketable.harness.command.new import FILES

pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = pytester.path / "chaos tests"
    ran = here(capsys, "new", folder)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Made {folder}:\n  README.md\n")
    return folder


def test_its_files_are_there(project: Path) -> None:
    made = {str(file.relative_to(project)) for file in project.rglob("*") if file.is_file()}
    assert made == set(FILES)
    assert f"\nshaketable=={harness.version()}\n" in (project / "requirements.txt").read_text()
    assert (project / "README.md").read_text().count("\n") == 10


def test_it_passes_as_it_is(
    project: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    told = pytester.runpytest_subprocess("--strict-config", "--strict-markers", "--verbose")
    told.assert_outcomes(passed=2)
    told.stdout.fnmatch_lines(
        ["stories/lose_the_master.py::lose-the-master PASSED*", "tests/test_silence.py::*PASSED*"]
    )
    for world in ("sim", "real"):
        ran = here(capsys, "run", "stories/", "--world", world)
        assert (ran.code, ran.err) == (0, ""), ran


def test_its_workflow_runs_what_its_readme_says() -> None:
    commands = re.findall(r"run: (\w.*)", FILES[".github/workflows/chaos.yml"])
    assert commands[:3] == ["pip install -r requirements.txt", "pytest", "shaketable run stories/ --report out/"]
    assert [each for each in commands[:3] if each not in FILES["README.md"]] == []


def test_an_empty_folder_will_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert here(capsys, "new", tmp_path).code == 0
    assert (tmp_path / "stories").is_dir()


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").touch()
    here(capsys, "new", tmp_path).refused(f"{tmp_path} is not empty: give the name of a new folder")
    here(capsys, "new", tmp_path / "mine").refused(f"{tmp_path / 'mine'} is no folder: give the name of a new folder")
    here(capsys, "new", tmp_path / "mine" / "below").refused("cannot be written: not a directory; give a folder that")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_the_page_shows_what_it_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, as_written: AsWritten
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = ["$ shaketable new project", *here(capsys, "new", "project").out.splitlines()]
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("COLUMNS", "100")
    shown += ["$ cd project", "$ shaketable run stories/ --world sim --seeds 200 --quiet"]
    shown += here(capsys, "run", "stories/", "--world", "sim", "--seeds", "200", "--quiet").out.splitlines()
    story = FILES["stories/lose_the_master.py"].partition('"""\n\n')[2]
    text = "\n".join(f"    {line}".rstrip() for line in shown)
    page = DOCS / "own-project.md"
    as_written(page, with_part(page, "new", f"{text}\n\nThe story in it:\n\n```python\n{story}```"))
