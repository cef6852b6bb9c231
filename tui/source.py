"""Where a session's records come from: a recorded run, or an engine that runs one now."""

from __future__ import annotations

import asyncio
import gc
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Final, Protocol

import msgspec

from shaketable.harness.history.times import time_said
from shaketable.harness.records import OURS, FaultTook
from shaketable.harness.runs.directory import event_files, read_around, unreadable
from shaketable.harness.verdicts.verdict import PASSED
from shaketable.tui.model.hands.calls import Call
from shaketable.tui.model.history.indexing import Index
from shaketable.tui.model.history.kinds import CODE_OF
from shaketable.tui.model.history.lost import lost_events, what_is_lost
from shaketable.tui.model.history.store import STEP, Store
from shaketable.tui.model.run_facts import Ended, RunFacts
from shaketable.tui.model.session import Session

SLICE: Final = 0.04
"""seconds that may be spent on reading before a key is answered"""
AT_ONCE: Final = 8 << 20
"""bytes that are read before anything is shown: a fraction of a second"""
MOST_TOLD: Final = 2
"""sentences about what is wrong with a history"""
_TOOK: Final = re.compile(re.escape(bytes([CODE_OF[FaultTook]])))
ORDERED: Final = 0.4
"""how much of reading is done when all events stand in order; the rest is what was believed at each"""


class Hands(Protocol):
    """What can be done to a live run. Each returns at once; what came of it is told by the source's words."""

    def do(self, call: Call, then: Callable[[str], None]) -> None:
        """`then` is told the trouble, or ""."""

    def heal(self, fault: int, then: Callable[[str], None]) -> None: ...
    def set_speed(self, speed: float | None) -> None: ...
    def step_on(self, events: int) -> None: ...
    def save(self, path: Path, then: Callable[[str], None]) -> None: ...


class Source(Protocol):
    session: Session
    hands: Hands | None
    """None: nothing can be done to it"""

    async def start(self) -> None:
        """Begins what takes time, as soon as there is a loop. Where nobody calls it, `open` does so."""

    async def open(self, say: Callable[[str, bool], None]) -> None:
        """`say` takes a sentence for the user, and whether it is a trouble."""

    def pump(self) -> bool:
        """Takes over what has come since; whether anything has. Called before each frame."""

    async def close(self) -> None:
        """No process of ours is left when this returns."""


def _tell(notes: Sequence[str], say: Callable[[str, bool], None]) -> None:
    """What is wrong with a history; if there is much of it, not all covers the screen."""
    for note in notes[:MOST_TOLD]:
        say(note, True)
    if len(notes) > MOST_TOLD:
        say(f"and {len(notes) - MOST_TOLD} more like these", True)


def _first_of_note(store: Store) -> int:
    took = store.where(_TOOK, 0, len(store))
    if took:
        return took[0] + 1
    steps = store.marks[STEP][1:2]  # the first is that it forms; what the nodes tell of that very moment belongs to it
    return store.place_of(store.time_at(steps[0] + 1)) if steps else len(store)


class Recorded:
    """A run that is over. It is read in slices, while the screens are drawn already; a small one at once."""

    hands: Hands | None = None

    def __init__(self, directory: Path, at: str = "") -> None:
        """`at`: where it opens, as a user types a time; else that is found."""
        self._at = at
        run = read_around(directory)
        info, self._verdict = run.info, run.verdict
        facts = RunFacts(
            script=info.script,
            world=info.world,
            fabric=info.fabric,
            seed=info.seed,
            preset=info.preset,
            settings=info.settings,
            directory=str(directory),
            system=info.system or OURS,
        )
        if run.verdict is not None:
            broken = (run.verdict.expects_violation, *run.verdict.broken_too)
            facts = msgspec.structs.replace(
                facts,
                again=run.verdict.again,
                title=run.verdict.title,
                about=run.verdict.about,
                expects=tuple(name for name in broken if name is not None),
            )
        self.session = Session(facts, Store(complete=True), live=False, following=False, notes=run.notes, reading=0.0)
        if run.verdict is not None:
            self.session.checks, self.session.crash_points = run.verdict.checks, run.verdict.crash_points
            self.session.ended = Ended(run.verdict.outcome, tuple(r.text for r in run.verdict.reasons))
        elif info.exit:
            self.session.no_verdict = f"it is missing, or cannot be read; the run ended as {info.exit}"
        else:
            self.session.no_verdict = "the run broke off, or is going on"
            run.notes.append("the run has no verdict: it broke off, or is going on")
        try:
            self._index = Index(event_files(directory))
        except OSError as error:
            raise unreadable(directory, error) from None
        self._until = 0.0
        self._slices = self._read()
        self._task: asyncio.Task[None] | None = None
        self._news = False
        if self._index.bytes <= AT_ONCE:
            self.read_all()

    def read_on(self, seconds: float = SLICE) -> bool:
        """Whether there is more to be read."""
        self._until, was_collecting = perf_counter() + seconds, gc.isenabled()
        gc.disable()  # what is made is kept: to look for garbage among it takes as long again
        try:
            for _ in self._slices:
                if perf_counter() >= self._until:
                    break
        finally:
            if was_collecting:
                gc.enable()
        self._news = True
        return self.session.reading < 1.0

    def read_all(self) -> None:
        while self.read_on():
            pass

    def _read(self) -> Iterator[None]:
        session, index = self.session, self._index
        for part in index.read():
            session.reading = ORDERED * part
            yield
        session.store.adopt(index)
        session.lost = lost_events(session.store, self._verdict)
        session.notes += index.notes
        session.notes += what_is_lost(session.store, self._verdict, sum(file.damaged for file in index.files))
        session.checked = len(session.store) if session.checks else 0
        place = self._opening()
        session.move(place)
        if place and not self._at and self._verdict is not None and self._verdict.outcome != PASSED:
            session.chosen.node = session.store.node(place - 1)  # whose event proves it
        while session.beliefs.known < len(session.store):
            session.work(self._until)
            session.reading = min(0.99, ORDERED + (1 - ORDERED) * session.beliefs.known / len(session.store))
            yield
        session.work(self._until)
        session.reading = 1.0

    def _opening(self) -> int:
        """Where it was asked for; at the first violation; where it failed for another reason, or at its end if nothing
        shows that, as one that broke off. One that passed: at its first fault that took effect, else where it has
        formed, else at its end; at the beginning there is nothing to be seen."""
        if self._at:
            return self.session.store.place_of(time_said(self._at, 0, self.session.store.end))
        violations = self.session.violations()
        if violations:
            return violations[0]
        if self._verdict is not None and self._verdict.outcome == PASSED:
            return _first_of_note(self.session.store)
        reasons = self._verdict.reasons if self._verdict is not None else ()
        last = [self.session.store.find(*msgspec.structs.astuple(r.proof[-1])[:4]) for r in reasons if r.proof]
        return next((place + 1 for place in last if place is not None), len(self.session.store))

    async def start(self) -> None:
        """It was read, or begun to be, when it was made."""

    async def open(self, say: Callable[[str, bool], None]) -> None:
        ended = self.session.ended
        if ended is not None and ended.outcome != PASSED and ended.reasons:
            more = f" And {len(ended.reasons) - 1} more, on screen 7." if len(ended.reasons) > 1 else ""
            say(f"{ended.outcome}: {ended.reasons[0].rstrip('.')}.{more}", True)
        _tell(self.session.notes, say)  # after it: of what has no room on the screen the first is seen
        if self.session.reading < 1.0:
            self._task = asyncio.create_task(self._reading(say, len(self.session.notes)))

    async def _reading(self, say: Callable[[str, bool], None], told: int) -> None:
        while self.read_on():  # noqa: ASYNC110
            await asyncio.sleep(0)  # keys and frames have their turn
        _tell(self.session.notes[told:], say)

    def pump(self) -> bool:
        news, self._news = self._news, False
        return self.session.work(perf_counter() + SLICE) or news

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
