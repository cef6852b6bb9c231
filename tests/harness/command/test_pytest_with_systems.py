"""The pytest plugin with members that others wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.command.test_pytest_plugin import run_pytest
from tests.harness.systems.of_others import HERE, RAISED
from tests.harness.systems.packages import package, path_with
from tests.lengths import LONG

FAILS = """\
TRIED = []


async def test_fails(cluster):
    TRIED.append(cluster)
    assert len(TRIED) == 1, "as it has to"
"""
MARKED = """\
import pytest


@pytest.mark.shaketable({marker})
async def test_marked(cluster):
    await cluster.form("n1")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    systems = {"toy": "tests.harness.systems.toy:TOY", "unfit": f"{HERE}:UNFIT"}
    toy = package(tmp_path / "packages", "toys", **systems)
    monkeypatch.setenv("PYTHONPATH", path_with(toy))
    (tmp_path / "suite").mkdir()
    return tmp_path / "suite"


def test_an_empty_name_does_not_mean_ours(folder: Path) -> None:
    (folder / "test_mine.py").write_text(MARKED.format(marker=""))
    code, told = run_pytest(folder, "--shaketable-system=")
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "argument --shaketable-system: the name is empty" in told


@LONG
def test_without_a_simulated_world_it_takes_the_real_one_and_again_says_whose_members(folder: Path) -> None:
    (folder / "test_mine.py").write_text(FAILS)
    code, told = run_pytest(folder, "--shaketable-system=toy")
    assert code == 1, told
    assert "as it has to" in told
    assert (
        "again: pytest test_mine.py::test_fails --shaketable-world=real --shaketable-system=toy:1 --shaketable-seed=1"
        in told
    )


@pytest.mark.parametrize(
    ("marker", "options", "sentence"),
    [
        ("", ["--shaketable-world=sim"], "leave out --shaketable-world=sim"),
        ("world='sim'", [], "leave out world='sim' of the marker"),
        ("", ["-o", "shaketable_world=sim"], "leave out shaketable_world = sim of "),
    ],
)
def test_a_world_that_was_asked_for_is_refused_in_the_words_that_asked(
    folder: Path, marker: str, options: list[str], sentence: str
) -> None:
    (folder / "test_mine.py").write_text(MARKED.format(marker=marker))
    code, told = run_pytest(folder, "--shaketable-system=toy", *options)
    assert code == 1, told
    assert f"Toy has no simulated world: {sentence}" in told


@pytest.mark.parametrize(
    ("marker", "options", "sentence"),
    [
        ("", ["--shaketable-system=nope"], "--shaketable-system=nope: there is no such system; "),
        ("system='toy:'", [], "system='toy:' of the marker: no version comes after the colon: "),
        ("", ["-o", "shaketable_system=toy:7"], "shaketable_system = toy:7 of "),
    ],
)
def test_a_system_that_cannot_be_had_is_refused_in_the_words_that_asked(
    folder: Path, marker: str, options: list[str], sentence: str
) -> None:
    (folder / "test_mine.py").write_text(MARKED.format(marker=marker))
    code, told = run_pytest(folder, "--shaketable-world=real", *options)
    assert code == 1, told
    assert sentence in told
    assert " --system" not in told


def test_a_fault_of_a_system_is_one_sentence(folder: Path) -> None:
    (folder / "test_mine.py").write_text(MARKED.format(marker=""))
    code, told = run_pytest(folder, "--shaketable-system=unfit")
    assert code == 1, told
    assert f"--shaketable-system=unfit: its `unfit` has raised {RAISED}; this is a fault of " in told
    assert "Traceback" not in told
