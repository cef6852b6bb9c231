"""Spark says nothing on the console, and nothing of it is left when its command is interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.harness.command.command_helpers import environment
from tests.waiting import HANG, wait_until

BUSY = """
import sys, time
from shaketable.harness.pipeline.spark.session import ending_in_order, spark_session

def for_long(batches):
    time.sleep(600)
    yield from batches

try:
    with ending_in_order():
        spark = spark_session(cores=1, memory="512m", short=True)
        listening = {socket.laddr.ip for process in __import__("psutil").Process().children(recursive=True)
                     for socket in process.net_connections("inet") if socket.status == "LISTEN"}
        print(*sorted(address.removeprefix("::ffff:") for address in listening), flush=True)
        spark.range(1).mapInArrow(for_long, "id long").count()
except KeyboardInterrupt:
    sys.exit("interrupted")
"""


@pytest.mark.spark
def test_nothing_is_left_of_it(tmp_path: Path) -> None:
    program = tmp_path / "busy.py"
    program.write_text(BUSY)
    process = subprocess.Popen(
        [sys.executable, program],
        env=environment(TMPDIR=str(tmp_path)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline().split() == ["127.0.0.1"]
        running = psutil.Process(process.pid)
        wait_until(lambda: len(running.children(recursive=True)) > 2, "a task is at work")
        started = running.children(recursive=True)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=HANG)
    finally:
        process.kill()
    assert told == "interrupted\n"
    wait_until(lambda: not any(each.is_running() for each in started), "all that it started has ended")
    assert [*tmp_path.iterdir()] == [program]
