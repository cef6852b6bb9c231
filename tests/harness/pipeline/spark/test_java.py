"""Which Java Spark gets, and what is said where none will do."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.spark.java import Java, find_java, write_wrapper


def stand_in(home: Path, version: str) -> Path:
    """Says that it is such a Java, or tells its arguments."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\n[ "$1" = -version ] && echo \'openjdk version "{version}" 2025\' >&2 && exit\nprintf "%s|" "$@"\n'
    )
    program.chmod(0o755)
    return program


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.mark.usefixtures("nowhere")
def test_none_is_one_sentence_with_what_mends_it() -> None:
    with pytest.raises(UserError, match=r"^Spark needs Java 17 or newer, and there is none .*'shaketable\[java\]'$"):
        find_java()


@pytest.mark.usefixtures("nowhere")
def test_too_old_a_java_is_told_and_a_newer_one_on_the_path_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path / "old", "1.8.0_402")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    with pytest.raises(UserError, match=r"and [^\n]*/old/bin/java \(JAVA_HOME\) is Java 8: install one"):
        find_java()
    new = stand_in(tmp_path / "new", "21.0.8")
    monkeypatch.setenv("PATH", f"{new.parent}:/bin:/usr/bin")
    assert find_java() == Java(new, 21, "PATH")


@pytest.mark.usefixtures("nowhere")
def test_what_does_not_start_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UserError, match=r"\(JAVA_HOME\) is no Java that starts"):
        find_java()


@pytest.mark.parametrize(("version", "kept"), [(17, True), (25, False)])
def test_the_wrapper_drops_what_cannot_be_taken_and_nothing_else(tmp_path: Path, version: int, kept: bool) -> None:
    program = stand_in(tmp_path / "a place with 'quotes'", str(version))
    write_wrapper(Java(program, version, "PATH"), tmp_path / "home")
    opens = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
    given = ["-cp", "a b", "--add-modules=jdk.incubator.vector", opens, "", "$HOME", "Main"]
    done = subprocess.run([tmp_path / "home/bin/java", *given], capture_output=True, text=True, check=True)
    assert done.stdout.split("|")[:-1] == ["-cp", "a b", *([opens] if kept else []), "", "$HOME", "Main"]
