"""The screens of links and of partitions by keyboard and by mouse: cells are chosen, the map turned to another view."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.panels.stories import crowd, session_of
from tests.tui.showing import Shown, drawn, panel, until
from textual.pilot import Pilot

from shaketable.harness.history.words.cluster import tell
from shaketable.tui.app import ShaketableApp
from shaketable.tui.dialogs.why import WhyDialog
from shaketable.tui.model.session import OWNERS, Session
from shaketable.tui.model.standing.tables import MISSING, PLACES
from shaketable.tui.panels.events import last_about
from shaketable.tui.widgets.panel import Panel

SCENES = "tests/tui/panels/links_and_data.py"
MANY = 50


def faulty() -> Session:
    session = session_of(SCENES, "every-fault", 1)
    session.go_to(1_500_000)
    return session


def moving() -> Session:
    session = session_of(SCENES, "many-partitions", 1)
    session.go_to(885_000)
    return session


@asynccontextmanager
async def on_screen(
    session: Session, key: str, name: str, width: int = 120, height: int = 40
) -> AsyncIterator[Pilot[int]]:
    app = ShaketableApp(Shown(session))
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: any(drawn(panel(pilot, name))))
        yield pilot


def session_in(pilot: Pilot[int]) -> Session:
    app = pilot.app
    assert isinstance(app, ShaketableApp)
    return app.session


def link(pilot: Pilot[int]) -> tuple[str, str]:
    chosen = session_in(pilot).chosen
    return chosen.node, chosen.other


async def click_on(pilot: Pilot[int], name: str, text: str, after: int = 0) -> None:
    """On the first row, from that one on, that has this text, where it has it."""
    rows = drawn(panel(pilot, name))
    y = next(number for number, row in enumerate(rows) if text in row and number >= after)
    await pilot.click(f"#{name}", offset=(rows[y].index(text) + 1, y + 1))
    await pilot.pause()


@in_loop
async def test_a_link_is_chosen_with_the_arrows() -> None:
    async with on_screen(faulty(), "2", "matrix") as pilot:
        seen = []
        for key in (
            "down",
            "shift+right",
            "shift+down",
            "shift+down",
            "shift+left",
            "up",
            "shift+left",
            "pagedown",
        ):
            await pilot.press(key)
            seen.append("{}{}".format(*link(pilot)))
        # From the first cell; over the diagonal; at an edge to the end of the row above; far down.
        assert seen == ["n1n2", "n1n3", "n2n3", "n4n3", "n4n2", "n3n2", "n3n1", "n5n1"]
        await until(pilot, lambda: "n5 → n1" in drawn(panel(pilot, "flows"))[0])
        assert session_in(pilot).cursor < len(session_in(pilot).store), "the arrows alone are those of time"


@in_loop
async def test_left_and_right_alone_go_through_time() -> None:
    async with on_screen(faulty(), "2", "matrix") as pilot:
        before = session_in(pilot).cursor
        await pilot.press("right")
        assert session_in(pilot).cursor == before + 1


@in_loop
async def test_a_link_and_a_node_are_chosen_by_mouse() -> None:
    async with on_screen(faulty(), "2", "matrix", 120, 60) as pilot:
        await click_on(pilot, "matrix", "▓ hole")
        assert link(pilot) == ("n1", "n3")
        await until(pilot, lambda: "n1 → n3  ▓ black hole, as asked" in drawn(panel(pilot, "flows"))[0])
        await click_on(pilot, "flows", "n4→n5")
        assert link(pilot) == ("n4", "n5")
        await click_on(pilot, "matrix", "n2", after=3)
        assert link(pilot)[0] == "n2"


@pytest.mark.parametrize(("width", "height"), [(80, 24), (200, 60)])
@in_loop
async def test_fifty_nodes_fit_and_the_heads_stay(width: int, height: int) -> None:
    async with on_screen(crowd(MANY), "2", "matrix", width, height) as pilot:
        heads = drawn(panel(pilot, "matrix"))[:3]
        assert all(str(digit) in heads[2] for digit in range(10)), heads
        await pilot.press("down", "shift+right")
        for _ in range(10):
            await pilot.press("pagedown")
        assert link(pilot)[0] == "n50"
        await until(pilot, lambda: any(row.startswith("▸") and "n50" in row for row in drawn(panel(pilot, "matrix"))))
        assert drawn(panel(pilot, "matrix"))[1:3] == heads[1:3]


@in_loop
async def test_a_partition_is_chosen_with_the_arrows_and_by_mouse() -> None:
    async with on_screen(moving(), "3", "map") as pilot:
        seen = []
        for key in ("down", "shift+right", "down", "shift+left", "shift+left", "up"):
            await pilot.press(key)
            seen.append(session_in(pilot).chosen.partition)
        assert seen == [0, 1, 11, 10, 9, 9]
        await until(pilot, lambda: any(row.strip() == "partition 9" for row in drawn(panel(pilot, "map"))))
        await click_on(pilot, "queue", "  1 SHIFT DOWN")
        assert session_in(pilot).chosen.partition == 29


@in_loop
async def test_enter_opens_the_last_event_of_a_partition() -> None:
    async with on_screen(moving(), "3", "map") as pilot:
        await click_on(pilot, "queue", "  1 SHIFT DOWN")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, WhyDialog))
        here = session_in(pilot)
        place = last_about(here, 29)
        assert place is not None
        assert tell(here.store[place], here.store.names) in drawn(pilot.app.screen.query_one("#chain", Panel))[0]


@in_loop
async def test_the_map_is_turned_from_view_to_view() -> None:
    async with on_screen(moving(), "3", "map") as pilot:
        seen = []
        for _ in range(3):
            await pilot.press("v")
            seen.append(session_in(pilot).chosen.view)
        assert seen == [MISSING, PLACES, OWNERS]
        await pilot.press("v")
        await until(pilot, lambda: any("1↻" in row for row in drawn(panel(pilot, "map"))))
        assert panel(pilot, "map").border_title == "Partitions: missing replicas"


@in_loop
async def test_a_screen_without_links_or_data_says_so() -> None:
    session = faulty()
    session.move(0)
    async with on_screen(session, "2", "flows", 80, 24) as pilot:
        await until(pilot, lambda: "no link yet" in drawn(panel(pilot, "matrix"))[0])
        await pilot.press("down", "shift+right", "enter", "3")
        await until(pilot, lambda: "no partition table yet" in drawn(panel(pilot, "map"))[0])
        await pilot.press("down", "shift+right", "enter", "v")


@in_loop
async def test_a_cell_of_several_spans_is_one_cell() -> None:
    session = moving()
    session.chosen.partition = 40
    async with on_screen(session, "3", "map", 200, 60) as pilot:
        await until(pilot, lambda: any("40 2 1 4 3 –" in row for row in drawn(panel(pilot, "map"))))
        seen = []
        for key in ("shift+right", "shift+right", "shift+left"):
            await pilot.press(key)
            seen.append(session_in(pilot).chosen.partition)
        assert seen == [41, 42, 41]
