"""Where a session's records come from: a recorded run, or an engine that runs one now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from shaketable.harness.recording.directory import read_run
from shaketable.tui.model.calls import Call
from shaketable.tui.model.session import Ended, RunFacts, Session
from shaketable.tui.model.store import Store


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

    async def open(self, say: Callable[[str, bool], None]) -> None:
        """`say` takes a sentence for the user, and whether it is a trouble."""

    def pump(self) -> bool:
        """Takes over what has come since; whether anything has. Called before each frame."""

    async def close(self) -> None:
        """No process of ours is left when this returns."""


class Recorded:
    """A run that is over."""

    hands: Hands | None = None

    def __init__(self, directory: Path) -> None:
        run = read_run(directory)
        info = run.info
        facts = RunFacts(
            script=info.script,
            world=info.world,
            fabric=info.fabric,
            seed=info.seed,
            preset=info.preset,
            settings=info.settings,
            directory=str(directory),
            again=run.verdict.again if run.verdict is not None else "",
        )
        self.session = Session(facts, Store(run.records, complete=True), live=False, following=False, notes=run.notes)
        if run.verdict is not None:
            self.session.checks, self.session.checked = run.verdict.checks, len(run.records)
            self.session.ended = Ended(run.verdict.outcome, tuple(r.text for r in run.verdict.reasons))
        violations = self.session.violations()
        self.session.move(violations[0] if violations else 0)

    async def open(self, say: Callable[[str, bool], None]) -> None:
        for note in self.session.notes:
            say(note, True)

    def pump(self) -> bool:
        return False

    async def close(self) -> None: ...
