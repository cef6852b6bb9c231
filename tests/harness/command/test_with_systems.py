"""What the commands say where a system that others wrote is named."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from tests.harness.command.command_helpers import here, write
from tests.harness.systems.packages import package

from shaketable.harness.systems import registry

HALF = "tests.harness.systems.of_others:"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    systems = {"toy": "tests.harness.systems.toy:TOY", "unready": f"{HALF}UNREADY"}
    monkeypatch.syspath_prepend(str(package(tmp_path / "packages", "toys", **systems)))
    registry._entries.cache_clear()
    yield tmp_path
    registry._entries.cache_clear()


def test_a_setting_that_there_is_not_is_refused_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = write(folder, "pass", about=())
    for value, sentence in (("nonsense=1", "nonsense"), ("heartbeat_timeout_seconds=0", "heartbeat_timeout_seconds")):
        ours = here(capsys, "run", script, "--set", value).refused(sentence)
        assert here(capsys, "run", script, "--system", "toy", "--set", value).refused() == ours


@pytest.mark.parametrize("command", ["explore", "campaign", "shrink"])
@pytest.mark.parametrize("given", [["--system", "toy"], ["--system=toy"], ["--system"]])
def test_what_only_simulates_says_so(command: str, given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, command, *given).refused(
        f"shaketable {command} --system: this command simulates our own members, and other systems have no "
        "simulated world: --system is for run, tui, pytest and compare-detectors"
    )


@pytest.mark.parametrize("command", ["run", "tui"])
def test_an_empty_name_does_not_mean_ours(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, command, "--system", "").refused(f"shaketable {command} --system: the name is empty")


def test_the_list_has_what_fits_and_says_how_many_do_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scripts = folder / "scripts"
    scripts.mkdir()
    write(scripts, "pass", about=(), name="fits")
    write(scripts, 'await cluster.form("n1")', name="waits")
    ran = here(capsys, "run", "--list", scripts, "--system", "toy")
    assert (ran.code, ran.err) == (0, "")
    assert "fits" in ran.out
    assert "waits" not in ran.out
    assert "1 script cannot be run with Toy 1: see shaketable systems list toy" in " ".join(ran.out.split())
    assert "waits" in here(capsys, "run", "--list", scripts).out
    here(capsys, "run", "--list", scripts, "--system", "toy", "--world", "sim").refused("leave out --world sim")


def test_a_system_is_listed_without_the_word_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = write(folder, "pass", about=())
    meant = here(capsys, "systems", "list", "toy", "--scripts", script)
    assert meant.code == 0
    assert here(capsys, "systems", "toy", "--scripts", script) == meant
    here(capsys, "systems", "nobody").refused("--system nobody: there is no such system; there are shaketable, ")
    here(capsys, "systems", "remove", "toy").refused("systems remove: give list or install, and then the name of a ")


def test_it_is_said_whether_it_is_installed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = write(folder, "pass", about=())
    assert "can be run here: it is installed" in here(capsys, "systems", "toy", "--scripts", script).out
    told = " ".join(here(capsys, "systems", "unready", "--scripts", script).out.split())
    assert "can be run here, and is fetched and built first (shaketable systems install unready:1)" in told


def test_a_line_that_is_too_long_goes_on_in_its_column(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    drops = 'await cluster.start("n1")\nawait cluster.drop("membersupdate", sender="n1")'
    scripts = (write(folder, "pass", about=()), write(folder, drops, about=(), name="drops"))
    lines = here(capsys, "systems", "toy", "--scripts", *scripts).out.splitlines()
    assert "  runs 1 of 2 scripts; not the others:" in lines
    at = next(place for place, line in enumerate(lines) if "it does something to" in line)
    column = lines[at].index("it does")
    assert lines[at + 1][:column].strip() == ""
    told = " ".join(line[column:] for line in lines[at : at + 2])
    assert told == "it does something to single messages, and a toy sends none"


def refuses(*given: object) -> NoReturn:
    raise PermissionError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize("how", ["forbidden", "another system"])
def test_where_the_kernel_does_not_tell_what_it_counts(
    how: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "forbidden":
        monkeypatch.setattr("shaketable.harness.worlds.real.tcp_counts.sockets", refuses)
        said = "the kernel does not tell what it counts for connections (netlink: permission denied): run it where "
    else:
        monkeypatch.setattr("platform.system", lambda: "Darwin")
        said = "it needs Linux, where each link has a loopback address of its own and "
    script = write(folder, "pass", about=())
    monkeypatch.chdir(folder)
    here(capsys, "run", script, "--system", "toy").refused(f"--system toy: it cannot be run here: {said}")


def test_a_twin_that_could_say_nothing_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, "run", write(folder, "pass", about=()), "--system", "toy", "--twins").refused(
        "--twins: a quiet twin shows that nobody is suspected falsely, and Toy does not promise it: leave out --twins"
    )
