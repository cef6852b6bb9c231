"""However check-node ends, no process and no folder of it is left: also not what a node has started."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import Harness, Ran
from tests.lengths import LONG

STARTS_ANOTHER = """\
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["sleep", "1000"], start_new_session=True)
{then}
"""
"""it says nothing, and outlives its line"""
ENDS: dict[str, Callable[[Harness], object]] = {
    "Ctrl-C": lambda running: running.ctrl_c(),
    "SIGTERM": lambda running: running.process.terminate(),
    "SIGHUP": lambda running: running.process.send_signal(signal.SIGHUP),
    "a kill of its child": lambda running: os.kill(max(running.pair() - {running.process.pid}), signal.SIGKILL),
}


@LONG
@pytest.mark.parametrize("end", ENDS)
def test_when_it_is_ended(end: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    told = _left_by("signal.pause()", ENDS[end], tmp_path, tmp_path_factory.mktemp("t"))
    assert (told.code, told.err.count("\n")) == (2, 1), told
    assert told.err.startswith("shaketable: ")


@LONG
def test_when_the_node_has_ended_before(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    told = _left_by("raise SystemExit(3)", lambda running: None, tmp_path, tmp_path_factory.mktemp("t"))
    assert (told.code, told.err) == (1, ""), told


def _left_by(then: str, end: Callable[[Harness], object], folder: Path, temporary: Path) -> Ran:
    program = folder / "node.py"
    program.write_text(STARTS_ANOTHER.format(then=then))
    running = Harness(folder, f"{sys.executable} {program}", command="check-node", TMPDIR=str(temporary))
    try:
        if "pause" in then:
            running.wait_until(lambda: any(each.name() == "sleep" for each in running.all_of_it()), "it has a child")
        end(running)
        told = running.ended()
        running.nothing_is_left()
        assert list(temporary.iterdir()) == []
    finally:
        running.close()
    return told
