"""A campaign as a process of its own, in which something is killed, and what a plain reader then finds in its store."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import psutil
import pyarrow.parquet as pq
from tests.harness.command.command_helpers import Ran, alive, environment
from tests.waiting import HANG, wait_until

from shaketable.harness.pipeline.campaigns import processes

RUNS: Final = 90
"""three waves: what the third one plays hangs on what the first one has reached"""
PROGRAM: Final = """
import sys
from shaketable.harness.cli import main
from shaketable.harness.pipeline.campaigns import campaign, campaign_command, waves

waves.LEAST = 40
campaign.KEPT_WITHIN = 0.2
campaign_command._report = lambda *args, **kwargs: ()
sys.exit(main(sys.argv[1:]))
"""
"""the command with short waves that are kept often, so that few runs have many moments; and without its reports"""
SCRIPTS: Final = ("form", "kill-the-master", "storm")
ALL, WORKER, JAVA, DRIVER = ("all", "worker", "java", "driver")
KINDS: Final = (
    (ALL, True), (ALL, False), (WORKER, True), (JAVA, True), (DRIVER, True), (WORKER, False), (DRIVER, False),
)  # fmt: skip
"""what is killed, and whether Spark plays the runs"""
OF_THIS_TIME: Final = ("wall_micros", "wall_began")


class Running:
    def __init__(self, out: Path, *, spark: bool) -> None:
        self.out = out
        self.spark = spark
        self.store = out / "store"
        command = ["campaign", "--runs", str(RUNS), "--sample", "20", "--out", str(out)]
        command += ["--spark-master", "local[2]"] if spark else ["--cores", "2"]
        variants = ["--variant", "as written", "--variant", "fast"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *command, *variants, "--scripts", *SCRIPTS],
            cwd=out.parent, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        self.started = psutil.Process(self.process.pid)

    @property
    def kept(self) -> int:
        """Runs, by the names of what lies in the store."""
        return sum(int(batch.name.rpartition("-")[2]) for batch in self.store.glob("runs/schema=*/batch=*"))

    def below(self) -> list[psutil.Process]:
        with suppress(psutil.NoSuchProcess):
            return self.started.children(recursive=True)
        return []

    def java(self) -> list[psutil.Process]:
        return [each for each in self.below() if "org.apache.spark.deploy.SparkSubmit" in _command_of(each)]

    def daemons(self) -> list[psutil.Process]:
        return [each for each in self.below() if "pyspark.daemon" in _command_of(each) and _is_below_java(each)]

    def workers(self) -> list[psutil.Process]:
        if not self.spark:
            return [each for each in self.below() if processes.WORKER in _command_of(each)]
        return [worker for daemon in self.daemons() for worker in _children_of(daemon)]

    def victims(self, kind: str, chance: random.Random) -> list[psutil.Process]:
        """In the order in which they are killed."""
        if kind == ALL:
            everything = [self.started, *self.below()]
            return chance.sample(everything, len(everything))
        there = {DRIVER: lambda: [self.started], WORKER: self.workers, JAVA: self.java}[kind]
        found: list[psutil.Process] = wait_until(lambda: there() or self.process.poll() is not None, f"{kind} is there")
        return [chance.choice(found)] if isinstance(found, list) else []

    def ended(self) -> Ran:
        out, err = self.process.communicate(timeout=HANG)
        return Ran(self.process.returncode, out, err)


@contextmanager
def campaign(out: Path, *, spark: bool) -> Iterator[Running]:
    running = Running(out, spark=spark)
    try:
        yield running
    finally:
        everything = running.below()
        running.process.kill()
        running.process.wait()
        wait_until(lambda: not any(map(alive, everything)), "all that it started has ended")


def kill_at(running: Running, kind: str, chance: random.Random, most: int, late: float) -> int:
    """When a chosen number of runs is kept, up to so many, and then up to so many seconds later. How many were kept."""
    enough = chance.randrange(most) if chance.random() < 0.8 else 0
    wait_until(lambda: running.kept >= enough or running.process.poll() is not None, f"{enough} runs are kept")
    with suppress(subprocess.TimeoutExpired):
        running.process.wait(chance.uniform(0, late))
    kept = running.kept
    for victim in running.victims(kind, chance):
        with suppress(psutil.NoSuchProcess):
            victim.kill()
    return kept


def rows_of(store: Path) -> dict[str, dict[str, Any]]:
    """As anybody reads them, by the glob of the docs."""
    rows = _read(store.glob("runs/*/*/*.parquet"))
    by_run = {row["run"]: {name: value for name, value in row.items() if name not in OF_THIS_TIME} for row in rows}
    assert len(by_run) == len(rows), "a run is there twice"
    return by_run


def events_of(store: Path) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for event in _read(store.glob("history/*/*/*.parquet")):
        found.setdefault(event["run"], []).append(event)
    return found


def _read(files: Iterator[Path]) -> list[dict[str, Any]]:
    return [row for file in sorted(files) for row in pq.ParquetFile(file).read().to_pylist()]


def _command_of(process: psutil.Process) -> Sequence[str]:
    with suppress(psutil.Error):
        return list(process.cmdline())
    return []


def _children_of(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return list(process.children())
    return []


def _is_below_java(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        parent = process.parent()
        return parent is not None and "java" in parent.name()
    return False
