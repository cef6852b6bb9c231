"""The Java of this machine, and why it cannot be used."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from shaketable.harness.errors import reason_of, shortened

OLDEST: Final = 17
ANSWERS_WITHIN: Final = 30.0
"""seconds"""
GET_JAVA: Final = "install one (Debian, Ubuntu: apt install openjdk-17-jdk-headless)"


def no_java() -> str:
    """Why there is none that is new enough, and what mends it; "": there is."""
    needs, broken = f"it needs Java {OLDEST} or newer", ""
    for program in _candidates():
        answer = ask(program)
        if answer.version >= OLDEST:
            return ""
        if answer.trouble and not broken:
            broken = f"{needs}, and {program} does not start ({answer.trouble}): mend that, or set JAVA_HOME to another"
    return broken or f"{needs}: {GET_JAVA}"


def find_java() -> Path | None:
    """The first that is new enough, by JAVA_HOME or on the PATH."""
    return next((program for program in _candidates() if ask(program).version >= OLDEST), None)


def home_of_java() -> str:
    """Of a Java with a compiler."""
    java = find_java()
    home = java.resolve().parent.parent if java is not None else None
    return str(home) if home is not None and (home / "bin" / "javac").exists() else ""


def _candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if on_path := shutil.which("java"):
        yield Path(on_path)


class Answer(NamedTuple):
    """Of a Java that is asked what it is."""

    version: int
    """0: it does not say"""
    trouble: str
    """why it does not start, in its own words; "": it does"""


def ask(program: Path) -> Answer:
    command: Sequence[str | Path] = [program, "-version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=ANSWERS_WITHIN)
    except OSError as error:
        return Answer(0, reason_of(error))
    except subprocess.TimeoutExpired:
        return Answer(0, f"it says nothing within {ANSWERS_WITHIN:g} s")
    if done.returncode != 0:
        lines = filter(None, map(str.strip, (done.stderr + done.stdout).splitlines()))
        return Answer(0, shortened(" / ".join(lines)) or f"exit code {done.returncode}")
    told = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return Answer(int(told[1]) if told else 0, "")
