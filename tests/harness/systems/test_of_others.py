"""A system of another package that is wrong is told as its own fault, in a sentence, and hides no other system."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import here, write
from tests.harness.systems.of_others import HERE, RAISED, RAISING
from tests.harness.systems.packages import package

from shaketable.harness.errors import UserError
from shaketable.harness.records import OURS
from shaketable.harness.systems import registry
from shaketable.tui.engine.facts import look_at
from shaketable.tui.engine.protocol import Begin

TOY = "tests.harness.systems.toy:TOY"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    registry._entries.cache_clear()
    yield tmp_path / "packages"
    registry._entries.cache_clear()


def refused(name: str) -> str:
    with pytest.raises(UserError) as told:
        registry.chosen(name)
    return str(told.value)


def test_its_entry_point_is_called_as_it_is(packages: Path) -> None:
    package(packages, "toys", other=TOY)
    assert refused("other") == (
        "--system other: the package toys registers 'toy' by another name than its own: "
        "the entry point has to be called toy"
    )


def test_one_name_is_for_one_package(packages: Path) -> None:
    for name in ("toys", "bricks"):
        package(packages, name, toy=TOY)
    told = refused("toy")
    assert "the package toys" in told
    assert "the package bricks" in told
    assert told.endswith(" both call their system so: uninstall one of them")


@pytest.mark.parametrize("name", ["shaketable", "hazelcast", "jgroups"])
def test_our_names_are_ours(packages: Path, name: str) -> None:
    package(packages, "toys", **{name: TOY})
    assert refused(name).startswith(
        f"--system {name}: the package toys calls its system so, and this is a name of shaketable: "
    )
    assert registry.chosen("").under_test == OURS


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("tells", "it says that it tells Stoped, and there is no such kind of event; did you mean Stopped?"),
        ("promises", "it says that it promises 'setled', and there is no such check; did you mean settled?"),
        ("settings", "the package wrong has settings that nobody can have: "),
        ("versions", "its `versions` is 5, and has to be a tuple of texts; this is a fault of the package wrong"),
        ("listed", "its `tells` is ['Started'], and has to be a tuple of texts, or None; this is a fault of "),
        ("ports", "its `ports` is -1, and has to be a whole number from 1 on; this is a fault of the package wrong"),
        ("nobody", "tests.harness.systems.of_others:NOBODY is no System"),
    ],
)
def test_what_it_says_of_itself_is_looked_at(
    packages: Path, capsys: pytest.CaptureFixture[str], name: str, sentence: str
) -> None:
    package(packages, "wrong", **{name: f"{HERE}:{name.upper()}"})
    script = write(packages, 'await cluster.start("n1")')
    here(capsys, "run", script, "--system", name).refused(f"--system {name}: {sentence}")
    with pytest.raises(UserError, match=f"^--system {name}: "):
        look_at(Begin(world="real", seed=1, nodes=1, system=name))


@pytest.mark.parametrize("name", RAISING)
def test_what_its_code_raises_is_its_own_fault(
    packages: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    package(packages, "wrong", **{name: f"{HERE}:{name.upper()}"})
    monkeypatch.chdir(packages)
    script = write(packages, 'await cluster.start("n1")', about=())
    listed = ["systems", "list", name, "--scripts", script]
    does = listed if name in ("missing", "ready") else ["run", script, "--system", name]
    here(capsys, *does).refused(
        f"--system {name}: its `{name}` has raised {RAISED}; this is a fault of the package wrong"
    )


def test_one_that_cannot_be_loaded_hides_no_other(packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package(packages, "wrong", away="nowhere:AT_ALL", missing=f"{HERE}:MISSING", toy=TOY)
    script = write(packages, 'await cluster.start("n1")')
    ran = here(capsys, "systems", "--scripts", script)
    told = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (2, "")
    assert "away cannot be loaded: --system away: nowhere:AT_ALL cannot be loaded: ModuleNotFoundError" in told
    assert "missing cannot be loaded: --system missing: its `missing` has raised RuntimeError" in told
    assert "Toy 1 --system toy" in told


def test_a_module_that_ends_the_process_does_not(packages: Path) -> None:
    package(packages, "wrong", ends="ends_at_once:IT")
    (packages / "ends_at_once.py").write_text("raise SystemExit(7)\n")
    assert refused("ends") == "--system ends: ends_at_once:IT cannot be loaded: SystemExit: 7"
