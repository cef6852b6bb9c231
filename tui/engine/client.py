"""The screens' end of an engine: starts it, takes what it says into a session, and sees to its end.

Frames that come wait until a screen's next frame, which takes no more of them than leaves the keys quick."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, Final

from shaketable.harness.errors import reason_of
from shaketable.harness.history import codec
from shaketable.harness.systems.registry import chosen
from shaketable.tui.engine.facts import Known, again, known_unseen, new_folder, preset_of
from shaketable.tui.engine.protocol import (
    EVENTS,
    Began,
    Begin,
    Checked,
    Do,
    Done,
    Malformed,
    Now,
    Order,
    Over,
    Said,
    SetSpeed,
    Splitter,
    StepOn,
    Stop,
    Vital,
    framed,
    word_in,
)
from shaketable.tui.model.hands.calls import Call, heal
from shaketable.tui.model.hands.saving import save
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.run_facts import Ended, RunFacts
from shaketable.tui.model.session import Session
from shaketable.tui.source import Hands

COMMAND: Final = (sys.executable, "-P", "-m", "shaketable.tui.engine")
LOG: Final = "engine.log"
A_FRAME_TAKES: Final = 0.03
"""seconds at most, of the tenth of one that a frame lasts"""
_time: Final = attrgetter("time")
READ: Final = 1 << 18
WAITING: Final = 8 * 1024 * 1024
"""bytes that wait to be taken: then no more are read, and the engine waits"""
PATIENCE: Final = 8.0
"""seconds in which an engine that was told to end has to be gone"""

Say = Callable[[str, bool], None]
Then = Callable[[str], None]


class Engine:
    """A `Source`, and its own `Hands`."""

    def __init__(self, begin: Begin, known: Known | None = None) -> None:
        """`known`: what `look_at` has found, if somebody has looked."""
        self.begin = begin
        known = known or known_unseen(begin)
        facts = RunFacts(
            known.script,
            begin.world,
            "",
            begin.seed,
            preset_of(begin),
            known.settings,
            again=again(begin),
            system=chosen(begin.system).under_test,
        )
        self.session = Session(facts, Store(), live=True, speed=begin.speed if begin.world == "sim" else None)
        self.hands: Hands | None = self
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._frames: deque[tuple[bytes, bytes]] = deque()
        self._waiting = 0
        self._room = asyncio.Event()
        self._answers: dict[int, Then] = {}
        self._number = 0
        self._silent = False
        """its pipe has ended"""
        self._log = ""
        self._unsaid: list[tuple[str, bool]] = []
        self._say: Say = lambda sentence, trouble: self._unsaid.append((sentence, trouble))

    # Source

    async def start(self) -> None:
        with self._folder() as log:
            self._process = await asyncio.create_subprocess_exec(
                *COMMAND, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log,
                # Ctrl-C in the terminal is for the screens, which still need the engine to take the nodes down.
                start_new_session=True,
            )  # fmt: skip
        self._order(self.begin)
        self._reading = asyncio.get_running_loop().create_task(self._read(self._process))

    async def open(self, say: Say) -> None:
        self._say = say
        for sentence, trouble in self._unsaid:
            say(sentence, trouble)
        if self._process is None:
            await self.start()

    def pump(self) -> bool:
        if not self._frames:
            return False
        ends = time.monotonic() + A_FRAME_TAKES
        try:
            while self._frames:
                kind, content = self._frames.popleft()
                self._waiting -= len(content)
                self._take(kind, content)
                if time.monotonic() >= ends:
                    break
        except (Malformed, codec.CodecError) as error:
            self._break_off(f"the engine cannot be understood any more, and is ended: {error}")
        if self._waiting < WAITING // 2:
            self._room.set()
        if self._silent and not self._frames and self.session.ended is None:
            self._break_off(f"the engine has ended unexpectedly{f'; see {self._log}' if self._log else ''}")
        return True

    async def close(self) -> None:
        process = self._process
        if process is None:
            return
        try:
            self._order(Stop())
            assert process.stdin is not None
            process.stdin.close()
            self._waiting = -(10**12)  # nobody takes anything any more, and nothing shall wait for that
            self._room.set()
            async with asyncio.timeout(PATIENCE):
                await process.wait()
        except TimeoutError:
            pass
        finally:
            _kill(process)
            await process.wait()
            if self._reading is not None:
                self._reading.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await self._reading
            self._process = None

    # Hands

    def do(self, call: Call, then: Then) -> None:
        if self.session.ended is not None or self._process is None:
            then("the run is over: nothing can be done to it any more")
            return
        self._number += 1
        self._answers[self._number] = then
        self._order(Do(self._number, call))

    def heal(self, fault: int, then: Then) -> None:
        self.do(heal(fault), then)

    def set_speed(self, speed: float | None) -> None:
        if self.begin.world == "sim":
            self.session.speed = speed
        self._order(SetSpeed(speed))

    def step_on(self, events: int) -> None:
        if self.begin.world == "sim":
            self.session.speed = 0
        self._order(StepOn(events))

    def save(self, path: Path, then: Then) -> None:
        store = self.session.store
        then(save([store[place] for place in range(len(store))], self.session.facts, path))

    # The pipe

    def _folder(self) -> IO[Any] | _Nothing:
        """The log of the engine; its folder, where the run is recorded, is made. Without one nothing is recorded."""
        name = self.begin.script.rpartition("::")[2] or "by-hand"
        try:
            folder = new_folder(f"{Path(name).stem}-{self.begin.world}")
            log = (folder / LOG).open("ab")
        except OSError as error:
            self._say(f"the run cannot be recorded: {reason_of(error)}", True)
            return _Nothing()
        self._log = str(folder / LOG)
        self.begin = Begin(**{**_fields(self.begin), "directory": str(folder)})
        return log

    def _order(self, order: Order) -> None:
        if self._process is not None and self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(framed(order))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        splitter = Splitter()
        try:
            while data := await process.stdout.read(READ):
                for frame in splitter.feed(data):
                    self._frames.append(frame)
                    self._waiting += len(frame[1])
                if self._waiting > WAITING:
                    self._room.clear()
                    await self._room.wait()
        except Malformed as malformed:
            self._frames.append((b"", str(malformed).encode()))
        self._silent = True
        self._frames.append((b"", b""))  # so that the next frame looks

    def _take(self, kind: bytes, content: bytes) -> None:
        if kind == EVENTS:
            # They come from several pipes, and are read by turns: what came together stands in the order of time.
            self.session.take(sorted(map(codec.from_line, content.splitlines()), key=_time))
            return
        if not kind:
            if content:
                raise Malformed(content.decode())
            return
        session = self.session
        match word_in(content):
            case Began(facts=facts):
                session.facts = facts
            case Now(time=now):
                session.now = now
            case Vital(of=of):
                session.vitals = of
            case Checked(records=records, results=results):
                session.checked, session.checks = records, results
            case Done(number=number, trouble=trouble):
                then = self._answers.pop(number, None)
                if then is not None:
                    then(trouble)
            case Said(text=text, error=error):
                self._say(text, error)
            case Over(outcome=outcome, reasons=reasons):
                if reasons and not len(session.store):
                    self._say(reasons[0], False)  # it never began: why stays as long as there is nothing else to show
                self._end(Ended(outcome, reasons))

    def _end(self, ended: Ended) -> None:
        self.session.ended, self.session.live, self.hands = ended, False, None
        self.session.store.complete = True
        answers, self._answers = self._answers, {}
        for then in answers.values():
            then("the run ended before this was done")

    def _break_off(self, sentence: str) -> None:
        self._frames.clear()
        if self._process is not None:
            _kill(self._process)
        if self.session.ended is None:
            self._say(sentence, True)
            self._end(Ended("unknown", (sentence,)))


class _Nothing:
    """Stands for a log that cannot be written."""

    def __enter__(self) -> int:
        return asyncio.subprocess.DEVNULL

    def __exit__(self, *_: object) -> None: ...


def _fields(begin: Begin) -> dict[str, Any]:
    return {name: getattr(begin, name) for name in begin.__struct_fields__}


def _kill(process: asyncio.subprocess.Process) -> None:
    """With all of its group; what is in none of its own dies with it, by the kernel."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
