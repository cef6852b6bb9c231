"""Plays a small campaign by processes of this machine, without Spark: its start would take longer than all the runs.

A task is the same, and so is what comes of it. A process that is killed is replaced, and its task is done again."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.keeping import Here, by_first
from shaketable.harness.pipeline.campaigns.spreading import Played
from shaketable.harness.pipeline.campaigns.summaries import Summary, summary_of
from shaketable.harness.pipeline.campaigns.worker import received, send, task_of
from shaketable.harness.pipeline.stores.here import batches_in, rows_in
from shaketable.harness.worlds.real.tether import tethered

FAILURES: Final = 4
"""of one task, before it is given up, as on Spark"""
COMMAND: Final = (sys.executable, "-P", "-m", "shaketable.harness.pipeline.campaigns.worker")
_played: Final = msgspec.msgpack.Decoder(Played)


class Processes(Here):
    """Each has a thread here that hands it its tasks, and with which it ends."""

    def __init__(self, store: Path, cores: int) -> None:
        super().__init__(store)
        self._cores = cores
        self._threads = ThreadPoolExecutor(cores, "worker")
        self._own = threading.local()
        self._started: list[subprocess.Popen[bytes]] = []
        self._ended = False

    @property
    def cores(self) -> int:
        return self._cores

    def already(self) -> dict[int, list[Summary]]:
        return by_first(self._store, {name: [summary_of(rows_in(folder))] for name, folder in batches_in(self._store)})

    def for_a_thread(self, call: Callable[..., object]) -> Callable[..., object]:
        return call

    def play(self, tasks: Sequence[Sequence[Case]], room: int) -> list[Played]:
        under_way = [self._threads.submit(self._play, task_of(task, room)) for task in tasks]
        return [each.result() for each in under_way]

    def stop(self) -> None:
        self._ended = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for each in self._started:
            with suppress(OSError):
                each.kill()
        self._threads.shutdown()
        for each in self._started:
            for pipe in (each.stdin, each.stdout):
                with suppress(OSError):
                    pipe and pipe.close()
            each.wait()

    def _play(self, task: bytes) -> Played:
        for _ in range(FAILURES):
            if self._ended:
                break
            if (told := _answer(self._worker(), task)) is not None:
                return _played.decode(told)
        raise UserError(
            "the runs cannot be simulated: a worker process ended again and again, mostly for want of memory: "
            "use fewer cores (--cores 1)"
        )

    def _worker(self) -> subprocess.Popen[bytes]:
        """Of this thread."""
        worker: subprocess.Popen[bytes] | None = getattr(self._own, "worker", None)
        if worker is None or worker.poll() is not None:
            # In a session of its own no Ctrl-C of the terminal reaches it.
            worker = subprocess.Popen(
                tethered(COMMAND), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
            self._own.worker = worker
            self._started.append(worker)
        return worker


def _answer(worker: subprocess.Popen[bytes], task: bytes) -> bytes | None:
    """None: it has ended instead."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    with suppress(OSError, ValueError):
        send(worker.stdin, task)
        if (told := received(worker.stdout)) is not None:
            return told
    worker.kill()
    worker.wait()
    return None
