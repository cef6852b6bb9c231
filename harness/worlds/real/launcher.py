"""Spawns node processes, watches them, and ends them: SIGKILL, SIGSTOP, SIGCONT.

They are forked from a small server process that has imported a node's modules and nothing else (with 20 nodes four
times as fast as a fresh interpreter each, and a fifth of the memory). That server ends when this process ends, and the
kernel then kills the nodes, stopped ones as well: however the harness dies, no node outlives it."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import shutil
import signal
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import multiprocess
import psutil
from multiprocess import forkserver, resource_tracker

from shaketable.harness.faults.actions import NoEffect
from shaketable.harness.folders import NOWHERE, here
from shaketable.harness.systems.system import Process
from shaketable.harness.worlds.real.busy import burn
from shaketable.harness.worlds.real.meeting_point import room_for_sockets
from shaketable.node.process.main import HARNESS, Birth

_PRELOADED: Final = "shaketable.node.process.nursery"


@dataclass(frozen=True, slots=True)
class NodeVitals:
    """How a process is doing. CPU in percent of one core since it was last asked, memory in bytes."""

    alive: bool
    status: str
    cpu: float
    rss: int
    pid: int


class NodeProcess:
    """One process, a node's or a busy one, from its spawning to its reaping."""

    def __init__(self, process: Any, node: str, loop: asyncio.AbstractEventLoop) -> None:
        self.node = node
        self.pid: int = process.pid
        self.alive = True
        self.exit_code: int | None = None
        self.ended: asyncio.Future[int] = loop.create_future()
        """its exit code, negative for a signal; done when it is reaped"""
        self._process = process
        self._loop = loop
        try:
            self._vitals: psutil.Process | None = psutil.Process(self.pid)
        except psutil.NoSuchProcess:  # it has died at once
            self._vitals = None
        self._sentinel: int = process.sentinel
        loop.add_reader(self._sentinel, self._reaped)

    def _reaped(self) -> None:
        self._loop.remove_reader(self._sentinel)
        self.alive = False
        self._process.join()
        self.exit_code = self._process.exitcode
        self.ended.set_result(self._process.exitcode)

    def signal(self, number: signal.Signals) -> None:
        """Whether it is stopped or not. A process that has ended already takes no signal."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def vitals(self) -> NodeVitals:
        if self._vitals is None:
            return NodeVitals(False, "gone", 0.0, 0, self.pid)
        try:
            with self._vitals.oneshot():
                memory = self._vitals.memory_info().rss
                return NodeVitals(self.alive, self._vitals.status(), self._vitals.cpu_percent(), memory, self.pid)
        except psutil.NoSuchProcess:
            return NodeVitals(False, "gone", 0.0, 0, self.pid)


class Launcher:
    """All processes of one run."""

    def __init__(self, control: str, token: bytes, log_dir: Path) -> None:
        self._control = control
        self._token = token
        self._log_dir = log_dir
        self.processes: dict[str, NodeProcess] = {}
        """the newest of each node"""
        self._all: list[NodeProcess] = []
        atexit.register(self.kill_all)

    @staticmethod
    def warm_up() -> None:
        """Starts the server process, which imports while this one goes on. Needs the main thread, as it forks."""
        forkserver.set_forkserver_preload([_PRELOADED])
        _name_the_temporary_folder()
        # When this starts on the way it lets Ctrl-C through again, to the server that is started next.
        resource_tracker.ensure_running()
        os.environ[HARNESS] = str(os.getpid())
        try:
            with _a_bare_parent():
                forkserver.ensure_running()
        finally:
            del os.environ[HARNESS]

    def spawn(self, node: str, process: Callable[[Birth], Process]) -> NodeProcess:
        """`process`: what is born so."""
        old = self.processes.get(node)
        if old is not None and old.alive:
            raise NoEffect(f"{node} still runs")
        self.warm_up()
        birth = Birth(node, self._token, self._control, str(self._log_dir / f"{node}.log"), parent=_server())
        begin, with_ = process(birth)
        spawned = self.processes[node] = self._fork(begin, with_, node)
        return spawned

    def spawn_busy(self, name: str) -> NodeProcess:
        """A process that does nothing but burn CPU."""
        self.warm_up()
        return self._fork(burn, _server(), name)

    def _fork(self, target: Callable[[Any], None], argument: object, name: str) -> NodeProcess:
        if here() == NOWHERE:
            raise NoEffect("the working folder was removed, and a process needs one to start in")
        context = multiprocess.get_context("forkserver")
        process = context.Process(target=target, args=(argument,), name=name, daemon=True)
        with _a_bare_parent():
            process.start()
        spawned = NodeProcess(process, name, asyncio.get_running_loop())
        self._all.append(spawned)
        return spawned

    def kill_all(self) -> None:
        for process in self._all:
            process.signal(signal.SIGKILL)

    async def close(self) -> None:
        """No node is left when this returns. The server process that they were forked from, and Python's resource
        tracker, stay until this process ends: they serve the next run."""
        self.kill_all()
        await asyncio.gather(*(asyncio.shield(process.ended) for process in self._all))
        atexit.unregister(self.kill_all)


def _server() -> int:
    """The process that all others are forked from."""
    pid: int = forkserver._forkserver._forkserver_pid
    return pid


def _name_the_temporary_folder() -> None:
    """Of the server's socket: after this process, so that a process that sees the end of that, however it comes, knows
    it."""
    config = multiprocess.current_process()._config
    if config.get("tempdir") is None:
        folder = config["tempdir"] = tempfile.mkdtemp(prefix=f"sht-{os.getpid()}-", dir=room_for_sockets())
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


@contextlib.contextmanager
def _a_bare_parent() -> Iterator[None]:
    """A child would import the main program of this process, whatever that is; it must also never see its Ctrl-C."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        sys.modules["__main__"] = main
