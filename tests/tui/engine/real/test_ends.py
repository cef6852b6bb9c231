"""However the screens end, nothing of their engine is left: no node, even if stopped, no busy process, no server."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.command.command_helpers import alive, environment, wait_until

from shaketable.harness.recording.directory import read_run

STAND_IN = Path(__file__).with_name("stand_in.py")
GONE_WITHIN = 25.0
"""seconds: what an engine may take to end its world in good order, and to write its verdict"""


class StandIn:
    """The screens' process, and all that came of it."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self._marker = uuid.uuid4().hex
        self.output = folder / "told"
        with self.output.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, str(STAND_IN), *arguments],
                cwd=folder, env=environment(SHAKETABLE_TEST=self._marker), stdin=subprocess.DEVNULL,
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

    def engine(self) -> psutil.Process:
        (found,) = [p for p in self.others() if p.ppid() == self.process.pid]
        return found

    def nothing_is_left(self, known: list[psutil.Process]) -> None:
        wait_until(lambda: not self.others() and not any(map(alive, known)), "all are gone", GONE_WITHIN)

    def close(self) -> None:
        for process in [*self.others(), psutil.Process(self.process.pid)] if self.process.poll() is None else []:
            process.kill()
        self.process.wait()


@pytest.fixture
def stand_in(tmp_path: Path) -> Iterator[StandIn]:
    started = StandIn(tmp_path, "real")
    try:
        yield started
    finally:
        started.close()


def test_nothing_outlives_the_screens_and_the_recording_is_whole(stand_in: StandIn) -> None:
    stand_in.wait_for("took 1")
    stand_in.wait_for("took 2")
    known = stand_in.others()
    busy = len(os.sched_getaffinity(0))
    assert len(known) >= 3 + busy + 2, known  # the nodes, the busy processes, the engine, the link server
    stand_in.process.kill()
    stand_in.process.wait()
    stand_in.nothing_is_left(known)
    (folder,) = (stand_in.folder / "runs").iterdir()
    run = read_run(folder)
    assert run.notes == []
    assert run.verdict is not None
    assert run.info.exit == run.verdict.outcome
    assert (folder / "engine.log").read_text() == ""


def test_nothing_outlives_an_engine_that_is_killed(stand_in: StandIn) -> None:
    stand_in.wait_for("took 2")
    known = stand_in.others()
    stand_in.engine().kill()
    stand_in.wait_for("said the engine has ended unexpectedly; see runs/")
    stand_in.nothing_is_left([p for p in known if p.pid != stand_in.process.pid])
    (folder,) = (stand_in.folder / "runs").iterdir()
    assert read_run(folder).records
