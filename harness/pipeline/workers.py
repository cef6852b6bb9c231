"""Processes of this machine that do tasks: each task is one piece of bytes, and so is what comes of it.

A process is a module of ours with `serve`. A process that is killed is replaced, and its task is done again. All of
them end with the process that started them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Final

from shaketable.harness.errors import UserError
from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.harness.worlds.real.tether import tethered

FAILURES: Final = 4
"""of one task, before it is given up, as on Spark"""
_SIZE: Final = 8
"""bytes, in which it is said how many follow"""


class Workers:
    """Each has a thread here that hands it its tasks, and with which it ends."""

    def __init__(self, cores: int, module: str) -> None:
        self._command = (sys.executable, "-P", "-m", module)
        self._threads = ThreadPoolExecutor(cores, "worker")
        self._own = threading.local()
        self._started: list[subprocess.Popen[bytes]] = []
        self._ended = False

    def begin(self, task: bytes) -> Future[bytes]:
        return self._threads.submit(self._do, task)

    def stop(self) -> None:
        """Whatever they are at."""
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

    def first_process(self) -> int:
        """Its number; it is started, if there is none yet."""
        return self._threads.submit(lambda: self._worker().pid).result()

    def _do(self, task: bytes) -> bytes:
        for _ in range(FAILURES):
            if self._ended:
                break
            if (told := _answer(self._worker(), task)) is not None:
                return told
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
                tethered(self._command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
            self._own.worker = worker
            self._started.append(worker)
        return worker


def serve(do: Callable[[bytes], bytes]) -> None:
    """Tasks come on stdin, and what came of each goes to stdout. It ends with stdin."""
    collect_garbage_rarely()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a script prints is no answer
    while (task := _received(sys.stdin.buffer)) is not None:
        _send(answers, do(task))


def _answer(worker: subprocess.Popen[bytes], task: bytes) -> bytes | None:
    """None: it has ended instead."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    with suppress(OSError, ValueError):
        _send(worker.stdin, task)
        if (told := _received(worker.stdout)) is not None:
            return told
    worker.kill()
    worker.wait()
    return None


def _send(to: IO[bytes], piece: bytes) -> None:
    to.write(len(piece).to_bytes(_SIZE, "big") + piece)
    to.flush()


def _received(of: IO[bytes]) -> bytes | None:
    """None: there is no more, or it broke off."""
    head = of.read(_SIZE)
    size = int.from_bytes(head, "big")
    piece = of.read(size) if len(head) == _SIZE else b""
    return piece if len(head) == _SIZE and len(piece) == size else None
