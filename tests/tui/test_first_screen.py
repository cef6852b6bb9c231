"""The first screen by keyboard and by mouse: rows are chosen, events gone to, nodes compared, panels scrolled."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.panels.stories import crowd, session_of
from tests.tui.showing import Shown, drawn, panel, until
from textual import events
from textual.pilot import Pilot

from shaketable.harness.history.words.cluster import tell
from shaketable.tui.app import ShaketableApp
from shaketable.tui.model.session import Session

MANY = 50


def two_claims() -> Session:
    session = session_of("chaos/cluster/claims.py", "two-claims-at-once", 3)
    session.go_to(4_357_000)
    return session


@asynccontextmanager
async def running(session: Session, width: int = 120, height: int = 40) -> AsyncIterator[Pilot[int]]:
    app = ShaketableApp(Shown(session))
    async with app.run_test(size=(width, height)) as pilot:
        await until(pilot, lambda: "node" in "".join(drawn(panel(pilot, "nodes"))[:2]))
        yield pilot


def marked(pilot: Pilot[int], name: str = "nodes") -> list[str]:
    return [row for row in drawn(panel(pilot, name)) if row.startswith("▸")]


@in_loop
async def test_up_and_down_choose_a_node_and_its_pane_follows() -> None:
    session = two_claims()
    async with running(session) as pilot:
        await pilot.press("down")
        assert session.chosen.node == "n3"  # the first master was shown before: n2
        await pilot.press("down")
        assert session.chosen.node == "n4"
        await until(pilot, lambda: panel(pilot, "node").border_title == "Node n4")
        assert len(marked(pilot)) == 1
        assert "n4" in marked(pilot)[0]
        await pilot.press("up", "up", "up", "up", "up")
        assert session.chosen.node == "n1"


@in_loop
async def test_keys_that_come_faster_than_frames_are_obeyed_in_their_order() -> None:
    session = two_claims()
    async with running(session) as pilot:
        for key in ("down", "down", "m", "up"):
            pilot.app.post_message(events.Key(key, None))
        await until(pilot, lambda: bool(session.chosen.other))
        await pilot.pause()
        assert (session.chosen.other, session.chosen.node) == ("n4", "n3")


@in_loop
async def test_left_and_right_step_through_time_whatever_has_the_focus() -> None:
    session = two_claims()
    async with running(session) as pilot:
        for name in ("nodes", "node", "last"):
            panel(pilot, name).focus()
            before = session.cursor
            await pilot.press("right", "right", "left")
            assert session.cursor == before + 1


@in_loop
async def test_a_click_on_a_row_chooses_its_node() -> None:
    session = two_claims()
    async with running(session) as pilot:
        await pilot.click("#nodes", offset=(30, 5))  # the frame, the head, n1, n2, n3, n4
        assert session.chosen.node == "n4"


@in_loop
async def test_the_cursor_goes_to_the_event_that_is_clicked_or_walked_to() -> None:
    session = two_claims()
    async with running(session) as pilot:
        here = session.cursor
        rows: list[str] = []
        while rows != (rows := drawn(panel(pilot, "last"))):  # until it is laid out: a click is meant for what is seen
            await pilot.pause()
        at = next(y for y, row in enumerate(rows) if row.startswith("▸"))
        await pilot.click("#last", offset=(30, at + 1 - 5))
        there = session.cursor
        assert there < here
        panel(pilot, "last").focus()
        await until(pilot, lambda: [rows[at - 5][1:] in row for row in marked(pilot, "last")] == [True])
        await pilot.press("down")
        assert there < session.cursor < here
        await until(pilot, lambda: rows[at - 4][1:] in marked(pilot, "last")[0])
        await pilot.press("up")
        assert session.cursor == there


@in_loop
async def test_rows_that_a_filter_leaves_are_walked_and_the_wheel_walks_too() -> None:
    session = two_claims()
    session.chosen.filter = "suspects"
    async with running(session) as pilot:
        last = panel(pilot, "last")
        await until(pilot, lambda: last.border_title == "Events with “suspects”")
        last.focus()
        await pilot.press("up")
        assert "n5 suspects n1" in told(session)  # n4's was the last before the cursor
        await pilot.press("up", "up", "down")
        assert "n3 suspects n1" in told(session)
        await pilot._post_mouse_events([events.MouseScrollUp], "#last", offset=(20, 5))
        assert "n3 suspects n2" in told(session)


def told(session: Session) -> str:
    return tell(session.store[session.cursor - 1], session.store.names)


@in_loop
async def test_two_nodes_are_compared_in_the_place_of_the_events() -> None:
    session = two_claims()
    async with running(session) as pilot:
        await pilot.press("down", "m", "down", "d")
        assert (session.chosen.node, session.chosen.other) == ("n4", "n3")
        await until(pilot, lambda: panel(pilot, "difference").border_title == "n4 and n3")
        assert not panel(pilot, "last").display
        await until(
            pilot, lambda: any("≠ its" in row or "= its author" in row for row in drawn(panel(pilot, "difference")))
        )
        await pilot.press("d")
        assert panel(pilot, "last").display
        await pilot.press("up", "m")
        assert session.chosen.other == ""


@in_loop
async def test_keys_scroll_the_pane_of_a_node_and_choose_nothing_there() -> None:
    session = two_claims()
    async with running(session, 80, 24) as pilot:
        node = panel(pilot, "node")
        first, cursor, chosen = drawn(node)[0], session.cursor, session.chosen.node
        node.focus()
        await pilot.press("down", "down")
        await until(pilot, lambda: drawn(node)[0] != first)
        assert (session.cursor, session.chosen.node) == (cursor, chosen)
        await pilot.press("pagedown", "pageup", "pageup")
        await until(pilot, lambda: drawn(node)[0] == first)


@in_loop
async def test_fifty_nodes_of_note_scroll_under_a_head_that_stays() -> None:
    session = crowd(MANY, *[f"n{number} suspects n2" for number in range(3, MANY + 1)])
    async with running(session, 80, 24) as pilot:
        nodes = panel(pilot, "nodes")
        for _ in range(MANY // 4):
            await pilot.press("pagedown")
        await pilot.press("pagedown")
        assert session.chosen.node == f"n{MANY}"
        await until(pilot, lambda: len(marked(pilot)) == 1)
        assert marked(pilot)[0].startswith(f"▸ ● n{MANY}")
        assert drawn(nodes)[1].split()[:2] == ["node", "list"]
        await pilot.press("pageup")
        room = nodes.scrollable_content_region.height
        assert session.chosen.node == f"n{MANY - room + 3}"
        await pilot.press(*["pageup"] * 10)
        assert session.chosen.node == "n1"
        await until(pilot, lambda: drawn(nodes)[2].startswith("▸ ● n1 "))


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60)])
@in_loop
async def test_every_panel_has_room_for_something(width: int, height: int) -> None:
    async with running(two_claims(), width, height) as pilot:
        for name in ("nodes", "node", "last"):
            await until(pilot, lambda name=name: sum(map(bool, drawn(panel(pilot, name)))) >= 4)  # type: ignore[misc]
        assert pilot.app.focused is panel(pilot, "nodes")


@in_loop
async def test_a_click_on_a_tab_goes_to_its_screen_and_gives_it_the_keys() -> None:
    async with running(two_claims()) as pilot:
        tabs = panel(pilot, "tabs")
        await until(pilot, lambda: "Events" in drawn(tabs)[0])
        await pilot.click("#tabs", offset=(drawn(tabs)[0].index("Events"), 0))
        assert pilot.app.focused is panel(pilot, "all_events")
        await pilot.press("1")
        assert pilot.app.focused is panel(pilot, "nodes")
