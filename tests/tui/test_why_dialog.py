"""`w` or Enter opens an event in full, with the chain behind it. From there one goes to each event of the chain."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import acting
from tests.tui.panels.stories import session_of
from tests.tui.showing import Shown, drawn, until
from textual.pilot import Pilot

from shaketable.harness.systems.log_lines import LogLines
from shaketable.node import events as e
from shaketable.tui.app import ShaketableApp
from shaketable.tui.dialogs.why import WhyDialog
from shaketable.tui.model.session import Session
from shaketable.tui.widgets.panel import Panel


def figure_5() -> tuple[Session, int]:
    """Just after the removal, and the place of that."""
    session = session_of("chaos/demo.py", "demo-figure-5", 1)
    place = next(at for at, record in enumerate(session.store) if isinstance(record.event, e.MemberRemoved))
    session.work(float("inf"))
    session.move(place + 1)
    return session, place


@asynccontextmanager
async def asked(session: Session, *keys: str, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[int]]:
    app = ShaketableApp(Shown(session))
    async with app.run_test(size=size) as pilot:
        await pilot.press("6", *keys)
        await until(pilot, lambda: isinstance(app.screen, WhyDialog) and any(rows(pilot)))
        yield pilot


def rows(pilot: Pilot[int]) -> list[str]:
    return drawn(pilot.app.screen.query_one("#chain", Panel))


@pytest.mark.parametrize("key", ["w", "enter"])
@in_loop
async def test_an_event_opens_in_full_and_goes_back_to_the_fault(key: str) -> None:
    session, _ = figure_5()
    async with asked(session, key, size=(120, 50)) as pilot:
        text = "\n".join(rows(pilot))
        assert "n1 removes n2 in v5 (partial member disconnection)" in text.splitlines()[0]
        assert "begun by" in text
        assert "a timer that was set after event" in text
        assert "↑ then n2, n3 and n4 sent Heartbeat" in text
        assert "fault 2: cut n2->n4 n4->n2" in text
        words = " ".join(text.split())
        assert "[n1 n3 n4] of v4 stay and [n2] leave" in words, "long words are wrapped, and not cut off"
        assert "…" not in text


@in_loop
async def test_the_line_of_its_log_stands_there_where_one_is_known(tmp_path: Path) -> None:
    session, place = figure_5()
    session.facts = msgspec.structs.replace(session.facts, directory=str(tmp_path))
    record = session.store[place]
    LogLines(tmp_path, record.node).note(record.incarnation, record.sequence, "INFO: I remove n2\x1b[2J")
    async with asked(session, "w", size=(120, 50)) as pilot:
        text = rows(pilot)
        assert "INFO: I remove n2␛[2J" in text[[row.strip() for row in text].index("the line of its log") + 1]


@in_loop
async def test_enter_goes_to_an_event_of_the_chain_and_escape_stays_where_one_was() -> None:
    session, place = figure_5()
    async with asked(session, "w") as pilot:
        await pilot.press("escape")
        assert session.cursor == place + 1
        await pilot.press("w", "down", "down", "enter")
        await until(pilot, lambda: not isinstance(pilot.app.screen, WhyDialog))
        assert session.cursor < place + 1
        assert isinstance(session.store[session.cursor - 1].event, e.SuspicionsReported)


@in_loop
async def test_before_anything_has_happened_there_is_nothing_to_explain() -> None:
    async with acting() as here:
        here.session.move(0)
        await here.press("w")
        assert here.said == ["nothing has happened yet"]
