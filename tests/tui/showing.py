"""A source for tests of the screens: a session that is there already; and what a panel has drawn, as text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.waiting import HANG
from textual.pilot import Pilot

from shaketable.tui.app import ShaketableApp
from shaketable.tui.kept import Keeper
from shaketable.tui.model.session import Session
from shaketable.tui.preferences import Preferences
from shaketable.tui.source import Hands, Source
from shaketable.tui.widgets.panel import Panel

"""seconds; what has not come by then, on however busy a machine, will not"""


class Shown:
    """Nothing ever comes, and nothing can be done."""

    hands: Hands | None = None

    def __init__(self, session: Session) -> None:
        self.session = session

    async def start(self) -> None: ...

    async def open(self, say: Callable[[str, bool], None]) -> None: ...

    def pump(self) -> bool:
        return False

    async def close(self) -> None: ...


class Heard(ShaketableApp):
    """Keeps all that it says. On a busy machine a notice may not be drawn for seconds, and it waits for that."""

    NOTIFICATION_TIMEOUT = HANG

    def __init__(
        self,
        source: Source,
        keeper: Keeper | None = None,
        preferences: Preferences | None = None,
        *,
        tour: bool = False,
    ) -> None:
        super().__init__(source, keeper, preferences, tour=tour)
        self.heard: list[str] = []

    def say(self, sentence: str, trouble: bool = False) -> None:
        self.heard.append(sentence)
        super().say(sentence, trouble)


def panel(pilot: Pilot[int], name: str) -> Panel:
    return pilot.app.query_one(f"#{name}", Panel)


def drawn(panel: Panel) -> list[str]:
    """The rows of a panel as they stand on the screen, without its frame."""
    return [panel.render_line(y).text.rstrip() for y in range(panel.scrollable_content_region.height)]


async def until(pilot: Pilot[int], holds: Callable[[], object]) -> None:
    """The app draws ten times a second: what a key has changed is seen a little later."""
    try:
        async with asyncio.timeout(HANG):
            await pilot.pause(0.02)
            while not holds():
                await pilot.pause(0.02)
    except TimeoutError:
        raise AssertionError("this has never come to the screen") from None
