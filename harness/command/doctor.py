"""`shaketable doctor`: what is installed, which versions, what is missing, and the one command that mends it."""

from __future__ import annotations

import importlib.metadata
import platform
import resource
import socket
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rich.text import Text

from shaketable.harness.command.requirements import CHECKOUT, name_in, outdated, required
from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.spark.java import find_java
from shaketable.harness.worlds.real.toxiproxy_server import RETRY, find_server

GOOD, WEAK, BAD = "ok", "weak", "missing"
_STYLE = {GOOD: "green", WEAK: "yellow", BAD: "red"}
ENOUGH_FILES = 3 * 20 * 19 + 100
"""three open files for every link of a cluster of 20 nodes, and some"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's. `mend` is the one command that helps, or a sentence where no command does."""

    state: str
    what: str
    detail: str
    mend: str = ""


def examine() -> Iterator[Finding]:
    yield _python()
    yield _platform()
    yield from _environment()
    yield from _packages()
    yield _toxiproxy()
    yield _loopback()
    yield _open_files()
    yield _spark()
    yield _java()


def run_doctor() -> int:
    """0 when all that is needed is there, 2 when something is missing."""
    console = Screen()
    findings = list(examine())
    for finding in findings:
        line = Text(f"{finding.state:<8}", style=_STYLE[finding.state])
        line.append(f"{finding.what:<18} {finding.detail}", style="default")
        console.print(line, soft_wrap=True)
        if finding.mend:
            console.say(f"{'':<8}{'':<18} mend it: {finding.mend}")
    missing = sum(f.state == BAD for f in findings)
    weak = sum(f.state == WEAK for f in findings)
    if missing:
        console.print(f"\n{missing} of {len(findings)} missing: real runs will not work before that is mended.")
        return 2
    console.print("\nAll that is needed is here." + (f" {weak} could be better." if weak else ""))
    return 0


def _python() -> Finding:
    version = platform.python_version()
    detail = f"{version} ({sys.executable})"
    if (3, 11) <= sys.version_info[:2] <= (3, 13):
        return Finding(GOOD, "Python", detail)
    return Finding(BAD, "Python", detail, "make clean setup PYTHON=/path/to/python3.13")


def _platform() -> Finding:
    if platform.system() == "Linux":
        return Finding(GOOD, "Linux", platform.release())
    return Finding(
        WEAK, sys.platform, "simulated runs work; processes of real runs may outlive a harness that is killed"
    )


def _environment() -> Iterator[Finding]:
    if not (names := outdated()):
        return
    mine = Path(sys.prefix).resolve() == CHECKOUT / ".venv"
    mend = f"make -C {CHECKOUT} setup" if mine else _install([str(CHECKOUT)], "-e ")
    detail = f"older than {CHECKOUT / 'pyproject.toml'}, where these are new or changed: {', '.join(names)}"
    yield Finding(WEAK, "environment", detail, mend)


def _packages() -> Iterator[Finding]:
    """Those that shaketable itself requires."""
    for requirement in required()[""]:
        name = name_in(requirement)
        try:
            yield Finding(GOOD, name, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield Finding(BAD, name, "not installed", _install([requirement]))


def _install(requirements: Iterable[str], how: str = "") -> str:
    return " ".join([sys.executable, "-m pip install", *(f"{how}'{each}'" for each in requirements)])


def _spark() -> Finding:
    """Not needed for runs: for what is made of many of them."""
    missing = [each for each in required()["spark"] if find_spec(name_in(each)) is None]
    if missing:
        names = ", ".join(map(name_in, missing))
        size = " (about 800 MB)" if "pyspark" in map(name_in, missing) else ""
        what = f"{names} not installed: needed for campaigns and stores of runs{size}"
        return Finding(WEAK, "Spark", what, _install(missing))
    return Finding(GOOD, "Spark", f"pyspark {importlib.metadata.version('pyspark')}")


def _java() -> Finding:
    try:
        java = find_java()
    except UserError as error:
        return Finding(WEAK, "Java", str(error).partition(": install ")[0], _install(required()["java"]))
    return Finding(GOOD, "Java", f"{java.version} ({java.program}, by {java.where})")


def _toxiproxy() -> Finding:
    try:
        found = find_server()
    except UserError as error:
        return Finding(BAD, "Toxiproxy", str(error), "unset TOXIPROXY_SERVER")
    detail = f"{found.version or ''} {found.where}: {found.why}".strip()
    match found.kind:
        case "build":
            return Finding(WEAK, "Toxiproxy", detail, f"{sys.executable} {RETRY.removeprefix('python ')}")
        case "relay":
            return Finding(
                WEAK,
                "Toxiproxy",
                f"not the real server but the built-in relay: {found.why}",
                f"{sys.executable} {RETRY.removeprefix('python ')}",
            )
        case _:
            return Finding(GOOD, "Toxiproxy", detail)


def _loopback() -> Finding:
    try:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
    except OSError as error:
        return Finding(BAD, "loopback", f"no port of 127.0.0.1 can be bound: {error}", "ip link set lo up")
    return Finding(GOOD, "loopback", "ports of 127.0.0.1 can be bound")


def _open_files() -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY or hard >= ENOUGH_FILES:
        return Finding(GOOD, "open files", f"{soft}, can be raised to {hard}")
    return Finding(
        WEAK,
        "open files",
        f"at most {hard}: enough for about {int((max(hard - 100, 0) / 3) ** 0.5)} nodes",
        f"ulimit -Hn {ENOUGH_FILES}",
    )
