"""What the tests of the command stand on: a harness as a process of its own, and scripts written for one test."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.waiting import HANG, wait_until
from tests.where import story

from shaketable.harness.cli import main

SOME = [story(name) for name in ("form", "group_members", "handshakes", "lost_decisions", "racks", "ties_of_data")]
"""With data and without, and of a group: test_sim_determinism.py plays them all."""
# By the environment's python: the first line of the command holds a path that may be too long.
COMMAND = [sys.executable, str(Path(sys.executable).with_name("shaketable"))]

HEAD = """\
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.node.core.env import SECOND

"""


def write(folder: Path, body: str, *, about: Sequence[str] = ("settled",), name: str = "story") -> Path:
    """A file with one script that does this."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    file = folder / f"{name}.py"
    file.write_text(
        f"{HEAD}\n@script(about={list(about)!r})\nasync def {name}(cluster: Cluster) -> None:\n"
        f'    """A story of its own."""\n{lines}\n'
    )
    return file


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    def refused(self, *words: str) -> str:
        """One sentence on stderr, exit code 2, nothing else."""
        assert (self.code, self.err.count("\n")) == (2, 1), self
        assert self.err.startswith("shaketable: ")
        assert "Traceback" not in self.out + self.err
        for word in words:
            assert word in self.err, self.err
        return self.err


def here(capsys: pytest.CaptureFixture[str], *arguments: object) -> Ran:
    """In this process, which is fast."""
    capsys.readouterr()
    try:
        code = main([str(a) for a in arguments])
    except SystemExit as end:  # --help and --version
        code = int(end.code or 0)
    out, err = capsys.readouterr()
    return Ran(code, out, err)


def environment(**values: str) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("TOXIPROXY", "COLUMNS"))}
    return {**plain, **values}


def shaketable(*arguments: object, cwd: Path, env: Mapping[str, str] | None = None) -> Ran:
    """As a process of its own."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd, env=environment(**(env or {})), capture_output=True, text=True, timeout=HANG,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def alive(process: psutil.Process) -> bool:
    """One that has ended, and for whose parent's attention it waits, is not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class Harness:
    """A `shaketable` that goes on while the test does something to it."""

    def __init__(self, folder: Path, *arguments: object, command: str = "run", **values: str) -> None:
        """`values`: of its environment."""
        reports = ["--report", str(folder / "out")] if command == "run" else []
        self.report = folder / "out"
        self._marker = uuid.uuid4().hex
        self._output = (folder / "stdout", folder / "stderr")
        with self._output[0].open("wb") as out, self._output[1].open("wb") as err:
            self.process = subprocess.Popen(
                [*COMMAND, command, *map(str, arguments), *reports],
                cwd=folder, env=environment(SHAKETABLE_TEST=self._marker, **values), stdout=out, stderr=err,
                stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip

    def all_of_it(self) -> list[psutil.Process]:
        """Whatever it started, wherever that hangs now: each inherited the marker."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("SHAKETABLE_TEST") == self._marker:
                    found.append(process)
            except (psutil.Error, OSError):
                continue
        return found

    def pair(self) -> set[int]:
        """The guard, and its child, which runs the scripts."""
        with suppress(psutil.NoSuchProcess):
            return {self.process.pid, *(child.pid for child in psutil.Process(self.process.pid).children()[:1])}
        return {self.process.pid}

    def others(self) -> list[psutil.Process]:
        pair = self.pair()
        return [p for p in self.all_of_it() if p.pid not in pair]

    def nodes(self) -> list[psutil.Process]:
        """Oldest first: as they were formed."""
        forked = [p for p in self.others() if "toxiproxy" not in p.name()]
        parents = {p.ppid() for p in forked}
        found = [p for p in forked if p.pid not in parents and p.ppid() not in self.pair()]
        return sorted(found, key=lambda p: p.create_time())

    def toxiproxy(self) -> psutil.Process:
        (server,) = [p for p in self.others() if "toxiproxy" in p.name()]
        return server

    @property
    def run(self) -> Path:
        (folder,) = (self.report / "runs").iterdir()
        return folder

    def recorded(self, words: str) -> bool:
        """Whether the harness's own records hold these words."""
        return any(words in file.read_text() for file in self.report.glob("runs/*/events/harness.jsonl"))

    def ends_by_ctrl_c_with(self, worker: str) -> None:
        """It is interrupted when a process of this module works for it: it says one sentence, and leaves nothing."""
        self.wait_until(lambda: any(worker in each.cmdline() for each in self.all_of_it()), "a worker is there")
        known = self.all_of_it()
        self.process.send_signal(signal.SIGINT)
        told = self.ended()
        assert (told.code, told.out, told.err) == (2, "", "shaketable: interrupted\n")
        self.nothing_is_left(known)

    def wait_until(self, what: Callable[[], Any], why: str) -> None:
        wait_until(lambda: what() or self.process.poll() is not None, why)
        assert what() or self.process.poll() is None, self.ended()

    def wait_for(self, words: str) -> None:
        self.wait_until(lambda: self.recorded(words), f"{words} is recorded")
        assert self.recorded(words), self.ended()

    def ended(self) -> Ran:
        code = self.process.wait(HANG)
        out, err = (path.read_text() for path in self._output)
        return Ran(code, out, err)

    def ctrl_c(self) -> None:
        """As a terminal does: to every process of the foreground group."""
        os.killpg(self.process.pid, signal.SIGINT)

    def nothing_is_left(self, known: Sequence[psutil.Process] = ()) -> None:
        def gone() -> bool:
            # A process that is about to end has no environment any more: those that were known are looked at as well.
            return not self.all_of_it() and not any(alive(process) for process in known)

        wait_until(gone, f"{self.all_of_it()} and {known} are gone")

    def close(self) -> None:
        for process in self.all_of_it():
            try:
                process.kill()
            except psutil.Error:
                continue
        self.process.wait()


@contextmanager
def harness(folder: Path, *arguments: object) -> Iterator[Harness]:
    started = Harness(folder, *arguments)
    try:
        yield started
    finally:
        started.close()


def assert_interrupted(running: Harness, told: Ran) -> None:
    """One sentence, exit code 2, nothing left, and reports of what was run."""
    sentence = f"shaketable: interrupted; what was recorded until then is in {running.report}/runs\n"
    assert (told.code, told.err) == (2, sentence), told
    assert "Traceback" not in told.out
    running.nothing_is_left()
    assert report(running.report)["outcome"] == "unknown"


def report(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return read


def again(verdict: dict[str, Any]) -> list[str]:
    """The arguments of the command that a report gives."""
    words = shlex.split(verdict["again"])
    assert words[0] == "shaketable"
    return words[1:]


def is_called(process: psutil.Process, name: str) -> bool:
    """Not who has ended meanwhile."""
    try:
        return bool(process.name() == name)
    except psutil.NoSuchProcess:
        return False
