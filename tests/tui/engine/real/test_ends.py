"""However the screens end, nothing of their engine is left: no node, even if stopped, no busy process, no server."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.engine.real.watched import Watched

from shaketable.harness.runs.directory import read_run

STAND_IN = Path(__file__).with_name("stand_in.py")


@pytest.fixture
def screens(tmp_path: Path) -> Iterator[Watched]:
    started = Watched(tmp_path, [sys.executable, str(STAND_IN), "real"])
    try:
        yield started
    finally:
        started.close()


def test_nothing_outlives_the_screens_and_the_recording_is_whole(screens: Watched) -> None:
    screens.wait_for("took 1")
    screens.wait_for("took 2")
    known = screens.others()
    busy = len(os.sched_getaffinity(0))
    assert len(known) >= 3 + busy + 2, known  # the nodes, the busy processes, the engine, the link server
    screens.process.kill()
    screens.process.wait()
    screens.nothing_is_left(known)
    (folder,) = (screens.folder / "runs").iterdir()
    run = read_run(folder)
    assert run.notes == []
    assert run.verdict is not None
    assert run.info.exit == run.verdict.outcome
    assert (folder / "engine.log").read_text() == ""


def test_nothing_outlives_an_engine_that_is_killed(screens: Watched) -> None:
    screens.wait_for("took 2")
    known = screens.others()
    screens.child().kill()
    screens.wait_for("said the engine has ended unexpectedly; see runs/")
    screens.nothing_is_left(known)
    (folder,) = (screens.folder / "runs").iterdir()
    assert read_run(folder).records
