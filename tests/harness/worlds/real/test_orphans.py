"""However a harness ends, nothing that it started is left: no node, no link server, no load."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from tests.harness.command.command_helpers import alive
from tests.waiting import HANG, wait_until

HARNESS = Path(__file__).with_name("orphan_harness.py")
CORES = len(os.sched_getaffinity(0))
"""as many busy processes"""


@contextmanager
def harness(folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[psutil.Process]]]:
    """In a session of its own, so that a signal to its group is that of a terminal's Ctrl-C."""
    command = [sys.executable, str(HARNESS), str(folder)]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert started.stdout is not None
    children: list[psutil.Process] = []
    try:
        assert "each node says that it runs" in started.stdout.readline()
        assert "its process is stopped" in started.stdout.readline()
        assert "burn" in started.stdout.readline()
        children = psutil.Process(started.pid).children(recursive=True)
        assert len([c for c in children if c.status() == psutil.STATUS_STOPPED]) == 1
        assert len(children) >= 5 + CORES
        yield started, children
    finally:
        started.kill()
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()
        started.wait()
        started.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_a_harness_that_is_killed(tmp_path: Path, number: signal.Signals) -> None:
    with harness(tmp_path) as (started, children):
        started.send_signal(number)
        started.wait(HANG)
        wait_until(lambda: not any(map(alive, children)), "all have ended")


def test_ctrl_c_reaches_the_harness_alone_and_it_ends_all(tmp_path: Path) -> None:
    with harness(tmp_path) as (started, children):
        nodes = [child for child in children if child.ppid() != started.pid]
        psutil.Process(started.pid).suspend()
        for process in (psutil.Process(started.pid), *children):
            process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert len(nodes) == 3 + CORES
        assert all(map(alive, nodes)), "neither a node nor a busy process must end by the terminal's Ctrl-C"
        psutil.Process(started.pid).resume()
        started.wait(HANG)
        wait_until(lambda: not any(map(alive, children)), "all have ended")
