"""One node as the real world knows it: its process, its control connection, and what it was last seen doing."""

from __future__ import annotations

import asyncio
import itertools
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from shaketable.harness.faults.actions import NoEffect
from shaketable.harness.records import Ending
from shaketable.harness.systems.system import Place
from shaketable.harness.worlds.real.launcher import NodeProcess
from shaketable.harness.worlds.real.node_log import NodeLog
from shaketable.harness.worlds.real.observer import Peer
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Event, Failed, Held, Released, Stopped
from shaketable.node.messages import Address
from shaketable.node.process import control

T = TypeVar("T")


class RealNode:
    """Lives as long as its name; a restart gives it another process."""

    def __init__(self, place: Place, address: Address, patience: Micros) -> None:
        self.place = place
        self.name = place.node
        self.number = place.number
        self.address = address
        self.port = place.port
        self._patience = patience
        """for an answer of a process that runs"""
        self.rest_host = ""
        self.rest_port = 0
        """where its process listens for HTTP requests; 0: it does not"""
        self.file: Path | None = None
        """of its configuration"""
        self.life = -1
        """0 for the first process, 1 after a restart ..."""
        self.process: NodeProcess | None = None
        self.peer: Peer | None = None
        self.running = False
        """it was told to run, and listens"""
        self.ran = False
        """it has said that it does"""
        self.listens = False
        """others can connect to it"""
        self.paused = False
        self.held: Held | None = None
        self.killed = False
        self.not_understood = False
        """it is killed for what it said"""
        self.leaving = False
        """asked to: nobody is told of an end twice, as if it were two"""
        self._last_words: Stopped | Failed | None = None
        self._ready: asyncio.Future[Peer]
        self._started: asyncio.Future[control.Running | control.CannotRun]
        self.ended: asyncio.Future[Ending]
        """how this process ended; done when all that it said was read"""
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[control.Done | control.Snapshot]] = {}

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.alive

    def cannot_send(self) -> str:
        """Why nothing can come from it or arrive at it, "" if nothing hinders."""
        return self.cannot_probe() or (f"{self.name} holds" if self.held else "")

    def cannot_probe(self) -> str:
        """Why no probe comes from it or is heard by it, "" if nothing hinders."""
        if not self.running or not self.alive:
            return f"{self.name} is not running"
        return f"{self.name} is paused" if self.paused else ""

    def spawned(self, process: NodeProcess) -> None:
        loop = asyncio.get_running_loop()
        self.life += 1
        self.process, self.peer = process, None
        self.running = self.listens = self.paused = self.killed = self.not_understood = self.leaving = False
        self.ran = False
        self.held = None
        self._last_words = None
        self._log = NodeLog(self.place.folder / f"{self.name}.log")
        self._ready = loop.create_future()
        self._started = loop.create_future()
        self.ended = loop.create_future()

    def connected(self, peer: Peer) -> None:
        self.peer = peer
        if not self._ready.done():
            self._ready.set_result(peer)

    def saw(self, event: Event) -> None:
        match event:
            case Held():
                self.held = event
            case Released():
                self.held = None
            case Stopped() | Failed():
                self._last_words = event

    @property
    def said_last_words(self) -> bool:
        return self._last_words is not None

    def how_it_ended(self) -> Ending:
        match self._last_words:
            case Failed():
                return Ending.FAILED
            case Stopped(refused=refused):
                return Ending.REFUSED if refused else Ending.LEFT
        by_signal = self.process is not None and self.process.exit_code == -signal.SIGKILL
        if by_signal and self.killed:
            return Ending.KILLED
        if by_signal and self.not_understood:
            return Ending.NOT_UNDERSTOOD
        return Ending.DIED if self.ran else Ending.NEVER_RAN

    def gone(self, end: Ending) -> None:
        """Nobody waits for it any more."""
        early = f"the process of {self.name} {self._early()}"
        lost = NoEffect(early if end is Ending.NEVER_RAN else f"{self.name} ended: {end}")
        self.running = self.listens = self.paused = False
        self.held = None
        self.ended.set_result(end)
        open_ends: list[asyncio.Future[Any]] = [self._ready, self._started, *self._answers.values()]
        for waiting in open_ends:
            if not waiting.done():
                waiting.set_exception(lost)
                waiting.exception()  # it may well be that nobody asks

    def in_words(self, end: Ending) -> str:
        """With what its log says of it, where it says nothing itself."""
        if end is not Ending.NEVER_RAN:
            return end.value
        return "; ".join(filter(None, (self._early(), self._log.end())))

    def more_of(self, end: Ending) -> str:
        """A process that SIGKILL ended has written nothing of it."""
        if end is not Ending.DIED:
            return ""
        killed = self.process is not None and self.process.exit_code == -signal.SIGKILL
        return "; ".join(filter(None, (self._status(), "" if killed else self._log.end())))

    def _early(self) -> str:
        return f"ended before it ran ({self._status()})"

    def _status(self) -> str:
        code = self.process.exit_code if self.process is not None else None
        if code is None or code >= 0:
            return f"exit code {code}"
        return next((f"by {each.name}" for each in signal.Signals if each == -code), f"by signal {-code}")

    # Talking to it

    async def run(self, order: control.Run) -> None:
        peer = await self._in_time(self._ready, "has not come up")
        peer.order(order)
        answer = await self._in_time(self._started, "does not say whether it runs")
        if isinstance(answer, control.CannotRun):
            raise NoEffect(answer.reason)
        self.running = True

    def tell(self, order: control.Order) -> None:
        if self.peer is not None:
            self.peer.order(order)

    async def ask(self, make: Callable[[int], control.Order]) -> control.Done | control.Snapshot:
        """Gives an order and waits until it is carried out; refused is an exception."""
        number = next(self._numbers)
        answer: asyncio.Future[control.Done | control.Snapshot] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        self.tell(make(number))
        try:
            done = await self._in_time(answer, "does not answer")
        finally:
            self._answers.pop(number, None)
        if isinstance(done, control.Done) and done.refusal:
            raise NoEffect(f"{self.name}: {done.refusal}")
        return done

    async def is_gone(self) -> None:
        """Waits until the process is gone. A node that has said its last words, or was killed, is still there for a
        moment."""
        await self._in_time(self.ended, "has not ended")

    def answered(self, said: control.Said) -> None:
        match said:
            case control.Running() | control.CannotRun():
                self.ran = self.ran or isinstance(said, control.Running)
                if not self._started.done():
                    self._started.set_result(said)
            case control.Done(order=number) | control.Snapshot(order=number):
                waiting = self._answers.get(number)
                if waiting is not None and not waiting.done():
                    waiting.set_result(said)

    async def _in_time(self, answer: asyncio.Future[T], complaint: str) -> T:
        try:
            return await asyncio.wait_for(asyncio.shield(answer), self._patience / SECOND)
        except TimeoutError:
            why = ": it is paused" if self.paused else ""
            raise NoEffect(f"{self.name} {complaint} within {self._patience // SECOND} s{why}") from None
