"""A process that a test starts, and all that comes of it, wherever that hangs in the end."""

from __future__ import annotations

import contextlib
import subprocess
import uuid
from collections.abc import Sequence
from pathlib import Path

import psutil
from tests.harness.command.command_helpers import alive, environment
from tests.waiting import wait_until


class Watched:
    def __init__(self, folder: Path, command: Sequence[str]) -> None:
        self.folder = folder
        self._marker = uuid.uuid4().hex
        self.output = folder / "told"
        with self.output.open("wb") as out:
            self.process = subprocess.Popen(
                command, cwd=folder, env=environment(SHAKETABLE_TEST=self._marker), stdin=subprocess.DEVNULL,
                stdout=out, stderr=out, start_new_session=True,
            )  # fmt: skip

    def others(self) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            try:
                mine = process.environ().get("SHAKETABLE_TEST") == self._marker
            except (psutil.Error, OSError):
                continue
            if mine and process.pid != self.process.pid and alive(process):
                found.append(process)
        return found

    def wait_for(self, words: str) -> None:
        wait_until(lambda: words in self.output.read_text() or self.process.poll() is not None, words)
        assert words in self.output.read_text(), self.output.read_text()

    def child(self) -> psutil.Process:
        """The one that it started itself."""
        (found,) = [p for p in self.others() if p.ppid() == self.process.pid]
        return found

    def nothing_is_left(self, known: Sequence[psutil.Process]) -> None:
        """Once they end they have no environment any more, hence those that were known."""
        wait_until(lambda: not self.others() and not any(map(alive, known)), "all are gone")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for process in self.others():
            with contextlib.suppress(psutil.NoSuchProcess):  # its parent has ended it meanwhile
                process.kill()
