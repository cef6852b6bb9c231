"""A harness of real processes is killed, interrupted or terminated at any moment: nothing of it is left, and what was
recorded until then can be read."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import Harness, assert_interrupted, harness, is_called, report, write
from tests.lengths import LONG, one_in
from tests.waiting import wait_until

from shaketable.harness.runs.directory import read_run

STORY = """
await cluster.form("n1", "n2", "n3")
await cluster.pause("n3")
try:
    await cluster.sleep(200 * SECOND)
finally:
    open("ending", "w").close()
    await cluster.sleep(SECOND // 10)
"""
SHORT = 'await cluster.form("n1", "n2", "n3")\nawait cluster.pause("n3")'

Moment = Callable[[Harness], object]
MOMENTS: dict[str, tuple[str, Moment]] = {
    "at its start": (
        STORY,
        lambda running: wait_until(lambda: len(running.others()) > 1, "it has started something"),
    ),
    "while it spawns": (STORY, lambda running: running.wait_for("NodeSpawned")),
    "in mid-run, a node paused": (STORY, lambda running: running.wait_for("its process is stopped")),
    "at its end": (SHORT, lambda running: running.wait_for("ScriptEnded")),
}


@pytest.mark.parametrize("moment", one_in(3, MOMENTS))
def test_a_harness_that_is_killed_leaves_nothing_but_a_readable_history(moment: str, tmp_path: Path) -> None:
    story, come_to_it = MOMENTS[moment]
    with harness(tmp_path, write(tmp_path, story)) as running:
        come_to_it(running)
        known = running.others()
        running.process.kill()
        running.process.wait()
        running.nothing_is_left(known)
        if moment == "at its start":
            return
        assert known or moment == "at its end"
        run = read_run(running.run)
        assert run.records
        assert run.info.script == "story"
        if moment != "at its end":
            assert (run.info.exit, run.verdict) == ("", None)


@pytest.mark.parametrize(("moment", "number"), one_in(3, product(MOMENTS, (signal.SIGINT, signal.SIGTERM))))
def test_a_harness_that_is_interrupted_ends_in_good_order(moment: str, number: signal.Signals, tmp_path: Path) -> None:
    story, come_to_it = MOMENTS[moment]
    second = write(tmp_path, STORY, name="second")
    with harness(tmp_path, write(tmp_path, story), second) as running:
        come_to_it(running)
        if number == signal.SIGINT:
            running.ctrl_c()
        else:
            running.process.terminate()
        told = running.ended()
        assert_interrupted(running, told)
        (verdict,) = report(running.report)["runs"]
        run = read_run(running.run)
        assert run.notes == []
        assert run.verdict is not None
        assert run.info.exit == verdict["outcome"]
        if story == STORY:
            assert [r["text"] for r in verdict["reasons"] if "it was interrupted" in r["text"]]


def test_an_impatient_user_interrupts_once_more(tmp_path: Path) -> None:
    story = STORY.replace("SECOND // 10", "SECOND")
    with harness(tmp_path, write(tmp_path, story)) as running:
        running.wait_for("its process is stopped")
        running.ctrl_c()
        running.wait_until((tmp_path / "ending").exists, "the first is obeyed")
        running.ctrl_c()
        told = running.ended()
        assert_interrupted(running, told)
        assert read_run(running.run).notes == []


def test_a_third_interruption_ends_it_on_the_spot(tmp_path: Path) -> None:
    story = STORY.replace("SECOND // 10", "100 * SECOND")
    with harness(tmp_path, write(tmp_path, story)) as running:
        running.wait_for("its process is stopped")
        running.ctrl_c()
        running.wait_until((tmp_path / "ending").exists, "the first is obeyed")
        while running.process.poll() is None:  # two that come together may count as one
            running.process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        told = running.ended()
        assert (told.code, told.err) == (2, "shaketable: interrupted once more, and gone at once\n")
        running.nothing_is_left()
        assert read_run(running.run).records


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_end_while_the_link_server_is_built(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text(
        '#!/bin/sh\nif [ "$1" = version ]; then echo go version go1.99.0 linux/amd64; else exec sleep 300; fi\n'
    )
    go.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    # Only what a Python needs is there besides: no toxiproxy-server.
    monkeypatch.setenv("PATH", f"{go.parent}:/usr/bin:/bin")
    with harness(tmp_path, write(tmp_path, STORY)) as running:
        running.wait_until(lambda: [p for p in running.others() if is_called(p, "sleep")], "the build goes on")
        known = running.others()
        running.process.send_signal(number)
        told = running.ended()
        running.nothing_is_left(known)
        if number == signal.SIGINT:
            assert_interrupted(running, told)


@LONG
def test_a_report_folder_that_is_taken_away_in_mid_run(tmp_path: Path) -> None:
    with harness(tmp_path, write(tmp_path, SHORT + "\nawait cluster.sleep(2 * SECOND)")) as running:
        running.wait_for("its process is stopped")
        shutil.rmtree(running.report)
        told = running.ended()
        assert (told.code, told.err.count("\n")) == (2, 1), told
        assert "the run cannot be recorded" in told.err
        assert "the script ends: done" in told.out
        running.nothing_is_left()
