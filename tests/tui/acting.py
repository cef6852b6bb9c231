"""A run that lives and can be broken by hand, for tests of what keys and clicks do: hands that only remember.

n1 is the master of n2 and n3; n3 is paused by fault 1, and n4 has crashed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.notation.notation import Writer
from tests.notation.notation_faults import kinds_of
from tests.tui.showing import Heard, Shown, until
from textual.pilot import Pilot

from shaketable.harness import records as h
from shaketable.harness.records import HARNESS, OURS, Record, UnderTest
from shaketable.node.events import Event
from shaketable.tui.dialogs.open_run import OpenRun
from shaketable.tui.model.hands.calls import Call
from shaketable.tui.model.hands.saving import written
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import Session
from shaketable.tui.source import Hands
from shaketable.tui.widgets.panel import Panel

STORY = """\
n1 installs v4 [n1 n2 n3 n4]
n2 installs v4 by n1 [n1 n2 n3 n4]
n3 installs v4 by n1 [n1 n2 n3 n4]
n4 installs v4 by n1 [n1 n2 n3 n4]
fault 1: pause n3
n4 is killed"""
NONE_IS_GONE = STORY.removesuffix("\nn4 is killed")


class Remembering(Hands):
    def __init__(self) -> None:
        self.done: list[str] = []
        self.healed: list[int] = []
        self.speeds: list[float | None] = []
        self.steps = 0
        self.trouble = ""

    def do(self, call: Call, then: Callable[[str], None]) -> None:
        self.done.append(written(call))
        then(self.trouble)

    def heal(self, fault: int, then: Callable[[str], None]) -> None:
        self.healed.append(fault)
        then(self.trouble)

    def set_speed(self, speed: float | None) -> None:
        self.speeds.append(speed)

    def step_on(self, events: int) -> None:
        self.steps += events

    def save(self, path: Path, then: Callable[[str], None]) -> None:
        path.write_text("saved")
        then("")


RING = """\
n1 leads from 1 [n1 n2 n3]
n2 n3 take 1 of n1
n1 sends to n2, and watches n3
n2 sends to n3, and watches n1
n3 sends to n1, and watches n2
n1 tells 2: joined and ready of n2 [n1 n2 n3]
n2 takes 2 of n1
n1 suspects n3"""


class Living(Shown):
    def __init__(
        self,
        world: str = "sim",
        script: str = "",
        *,
        story: str = STORY,
        settings: Mapping[str, str | int | float | bool] | None = None,
        system: UnderTest = OURS,
        cannot: Mapping[str, str] | None = None,
    ) -> None:
        writer = Writer()
        for said in story.split("\n"):
            writer.write(said)
        again = f"shaketable tui --nodes 4 --world {world}"
        facts = RunFacts(
            script,
            world,
            "simulated",
            7,
            "fast",
            settings=dict(settings or {}),
            again=again,
            system=system,
            cannot=dict(cannot or {}),
        )
        session = Session(facts, Store(writer.records), live=True, speed=1.0 if world == "sim" else None)
        session.follow()
        super().__init__(session)
        self.hands = self.remembering = Remembering()
        self.sequence = 10_000
        self.may_close = asyncio.Event()
        self.may_close.set()
        self.closed = False

    def over(self) -> None:
        self.session.live, self.hands = False, None

    def tell(self, event: Event) -> None:
        """Something more happens in the run."""
        self.sequence += 1
        self.session.take([Record(self.session.store.end + 1_000, HARNESS, "", self.sequence, event)])

    def fault(self, number: int, verb: str) -> None:
        self.tell(h.FaultAsked(number, verb, ("n1",), (), lasts=True, silences=False, detail="", kinds=kinds_of(verb)))
        self.tell(h.FaultTook(number, "it took"))

    def by_hand(self, number: int, call: str) -> None:
        self.tell(h.AskedByHand(number, call))
        self.tell(h.AnsweredByHand(number, None, ""))

    async def close(self) -> None:
        await self.may_close.wait()
        self.closed = True


class Acting:
    """One app with its pilot."""

    def __init__(self, pilot: Pilot[int], source: Living) -> None:
        self.pilot = pilot
        self.source = source
        self.session = source.session

    @property
    def app(self) -> Heard:
        assert isinstance(self.pilot.app, Heard)
        return self.pilot.app

    @property
    def hands(self) -> Remembering:
        return self.source.remembering

    @property
    def said(self) -> list[str]:
        return self.app.heard

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        await self.press(*("space" if letter == " " else letter for letter in text))

    async def until(self, holds: Callable[[], object]) -> None:
        await until(self.pilot, holds)

    def text(self) -> str:
        """The whole screen."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in lines)

    async def sees(self, words: str) -> None:
        await self.until(lambda: words in self.text())

    async def click(self, words: str, times: int = 1) -> None:
        """Where these words stand on the screen."""
        await self.sees(words)
        rows = self.text().split("\n")
        y = next(y for y, row in enumerate(rows) if words in row)
        await self.pilot.click(offset=(rows[y].index(words) + 1, y), times=times)
        await self.pilot.pause()

    async def click_in(self, widget: str, words: str, times: int = 1) -> None:
        """Where they stand in this widget."""

        def at() -> tuple[int, int] | None:
            region = self.app.screen.query_one(widget).region
            for y, row in enumerate(self.text().split("\n")):
                found = row.find(words, region.x, region.right) if region.y <= y < region.bottom else -1
                if found >= 0:
                    return found, y
            return None

        await self.until(lambda: at() is not None)
        await self.pilot.click(offset=at() or (0, 0), times=times)
        await self.pilot.pause()

    async def click_key(self, title: str) -> None:
        await self.until(lambda: title in self.text().split("\n")[-1])
        row = self.text().split("\n")
        await self.pilot.click(offset=(row[-1].index(title) + 1, len(row) - 1))
        await self.pilot.pause()


@asynccontextmanager
async def acting(source: Living | None = None, width: int = 100, height: int = 30) -> AsyncIterator[Acting]:
    source = source or Living()
    app = Heard(source)
    async with app.run_test(size=(width, height), notifications=True) as pilot:
        here = Acting(pilot, source)
        await until(pilot, lambda: bool(app.query_one("#keys", Panel)._lines))
        yield here
        source.may_close.set()


async def recordings_by(key: str, here: Acting) -> OpenRun:
    """The list of recordings that a key opens, when it is loaded."""
    await here.press(key)
    dialog = here.app.screen
    assert isinstance(dialog, OpenRun)
    await here.until(lambda: dialog.choice.loaded)
    return dialog
