"""What the tests of the engine stand on: an engine as its own process, and its session taken forward until something
has come true."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from tests.waiting import HANG

from shaketable.harness.runs.directory import RecordedRun, read_run
from shaketable.node.events import Event
from shaketable.tui.engine.client import Engine
from shaketable.tui.engine.protocol import Begin
from shaketable.tui.model.hands.calls import Call

E = TypeVar("E", bound=Event)


class Driving:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.said: list[tuple[str, bool]] = []

    @property
    def events(self) -> list[Event]:
        store = self.engine.session.store
        return [store[place].event for place in range(len(store))]

    def told(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, what: Callable[[], Any]) -> None:
        async with asyncio.timeout(HANG):
            while not what():
                self.engine.pump()
                await asyncio.sleep(0.005)

    async def do(self, *calls: Call) -> list[str]:
        """The trouble with each, in the order in which they were asked for."""
        troubles: dict[int, str] = {}
        for number, call in enumerate(calls):
            self.engine.do(call, lambda trouble, number=number: troubles.__setitem__(number, trouble))  # type: ignore[misc]
        await self.until(lambda: len(troubles) == len(calls))
        return [troubles[number] for number in range(len(calls))]

    def say(self, sentence: str, trouble: bool) -> None:
        self.said.append((sentence, trouble))


def drive(begin: Begin, what: Callable[[Driving], Coroutine[Any, Any, None]]) -> Driving:
    """Opens an engine here, does that with it, and closes it."""

    async def whole() -> Driving:
        driving = Driving(Engine(begin))
        await driving.engine.open(driving.say)
        try:
            await what(driving)
        finally:
            await driving.engine.close()
        return driving

    return asyncio.run(whole())


def recorded(folder: Path) -> RecordedRun:
    (run,) = (folder / "runs").iterdir()
    return read_run(run)
