"""The timeline, the checks and the script by keyboard and by mouse."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.panels.stories import crowd, session_of
from tests.tui.showing import Shown, drawn, panel, until
from textual.pilot import Pilot

from shaketable.tui.app import ShaketableApp
from shaketable.tui.doing.looking import time_of
from shaketable.tui.model.session import Session
from shaketable.tui.panels.timescale import span_of, window_of
from shaketable.tui.widgets.panel import Panel

MANY = 50
END = 7_054_798
"""of the run with two claims"""


def two_claims() -> Session:
    session = session_of("chaos/cluster/claims.py", "two-claims-at-once", 3, with_verdict=True)
    session.go_to(4_357_000)
    return session


def broken() -> Session:
    return session_of("chaos/legacy/legacy_faults.py", "legacy-missed-removal", 3, with_verdict=True)


@asynccontextmanager
async def on_screen(number: int, session: Session, width: int = 120, height: int = 40) -> AsyncIterator[Pilot[int]]:
    session.work(float("inf"))
    app = ShaketableApp(Shown(session))
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.press(str(number))
        assert isinstance(app.focused, Panel)
        await until(pilot, lambda: any(drawn(app.focused)))  # type: ignore[arg-type]
        yield pilot


def row(pilot: Pilot[int], name: str, begins: str) -> tuple[int, str]:
    return next((y, text) for y, text in enumerate(drawn(panel(pilot, name))) if text.lstrip("▸ ").startswith(begins))


# The timeline


@in_loop
async def test_up_and_down_go_from_lane_to_lane() -> None:
    session = two_claims()
    async with on_screen(4, session) as pilot:
        await pilot.press("down")
        assert session.chosen.node == "n3"
        await until(pilot, lambda: row(pilot, "lanes", "n3")[1].startswith("▸"))
        await pilot.press("up", "up", "up")
        assert session.chosen.node == "n1"


@in_loop
async def test_a_click_on_the_line_goes_to_its_time_and_one_on_a_mark_to_its_event() -> None:
    session = two_claims()
    async with on_screen(4, session) as pilot:
        y, n1 = row(pilot, "lanes", "n1")
        await pilot.click("#lanes", offset=(n1.index("◆") + 1, y + 1))
        place = session.cursor - 1
        assert session.store[place].node == "n1"
        assert type(session.store[place].event).__name__ == "ViewInstalled"
        lanes = panel(pilot, "lanes")
        x = 60
        target = lanes.target_at(x, y)
        assert target.startswith("time:")
        await pilot.click("#lanes", offset=(x + 1, y + 1))
        assert session.cursor == session.store.place_of(time_of(target.partition(":")[2]))
        window = window_of(session, lanes.scrollable_content_region.width - 9)
        assert window.cell(time_of(target.partition(":")[2])) == x - 9


@in_loop
async def test_a_click_on_a_fault_or_a_step_goes_there() -> None:
    session = two_claims()
    async with on_screen(4, session) as pilot:
        y, faults = row(pilot, "lanes", "faults")
        await pilot.click("#lanes", offset=(faults.index("blackhole") + 1, y + 1))
        assert type(session.store[session.cursor - 1].event).__name__ == "FaultTook"
        y, steps = row(pilot, "lanes", "steps")
        await pilot.click("#lanes", offset=(steps.index("until") + 1, y + 1))
        assert type(session.store[session.cursor - 1].event).__name__ == "StepBegan"


@in_loop
async def test_z_shows_less_time_and_shift_z_more_up_to_the_whole_run() -> None:
    session = two_claims()
    async with on_screen(4, session) as pilot:
        assert span_of(session) == END + 1
        await pilot.press("z", "z")
        assert span_of(session) == 2_000_000
        await until(pilot, lambda: "Timeline of" in str(panel(pilot, "lanes").border_title))
        assert not window_of(session, 100).whole
        await pilot.press("Z", "Z", "Z", "Z")
        assert window_of(session, 100).whole
        await pilot.press(*["z"] * 11)
        assert span_of(session) == 10_000
        window = window_of(session, 100)
        assert window.begin <= session.time < window.end


@in_loop
async def test_a_stride_is_a_tenth_of_what_is_shown() -> None:
    session = two_claims()
    async with on_screen(4, session) as pilot:
        before = session.time
        await pilot.press("shift+right")
        assert session.cursor == session.store.place_of(before + (END + 1) // 10)
        session.go_to(0)
        await pilot.press("shift+left")
        assert session.time == 0


def test_the_window_stands_while_the_cursor_is_in_its_middle_half_and_always_holds_it() -> None:
    session = two_claims()
    session.chosen.span = 1_000_000
    begins = []
    for time in range(0, END, 10_000):
        session.go_to(time)
        window = window_of(session, 90)
        assert window.begin <= session.time < window.end
        begins.append(window.begin)
    assert begins == sorted(begins)
    assert len(set(begins)) <= 2 * END // 1_000_000 + 2


def test_the_window_of_a_live_run_ends_a_little_after_its_end() -> None:
    session = two_claims()
    session.live = True
    session.follow()
    session.chosen.span = 1_000_000
    window = window_of(session, 100)
    assert window.cell(END) in range(90, 100)
    session.chosen.span = None
    assert window_of(session, 100).whole  # 7 s are less than what is usual of a live run


@in_loop
async def test_fifty_lanes_scroll_under_the_scale_and_the_faults() -> None:
    session = crowd(MANY, "fault 1: kill n3")
    async with on_screen(4, session, 80, 24) as pilot:
        await pilot.press(*["down"] * (MANY - 1))
        assert session.chosen.node == f"n{MANY}"
        await until(pilot, lambda: any(text.startswith(f"▸ n{MANY}") for text in drawn(panel(pilot, "lanes"))))
        shown = drawn(panel(pilot, "lanes"))
        assert [text.split()[0] for text in shown[:3]] == ["time", "steps", "faults"]
        assert "kill n3" in shown[2]
        assert len({text.split()[0] for text in shown[3:] if text}) == len(shown) - 3


@in_loop
async def test_a_tall_timeline_has_the_events_below() -> None:
    async with on_screen(4, two_claims(), 200, 60) as pilot:
        await until(pilot, lambda: any("▸" in text for text in drawn(panel(pilot, "moments"))))
    async with on_screen(4, two_claims(), 120, 40) as pilot:
        assert not panel(pilot, "moments").display


# The guarantees


@in_loop
async def test_enter_on_a_broken_guarantee_goes_from_proof_to_proof() -> None:
    session = broken()
    session.move(0)
    async with on_screen(5, session) as pilot:
        y, text = row(pilot, "guarantees", "! view agreement")
        assert "breaks at 1.112 s" in text
        violations = session.violations()
        await pilot.press("enter")  # what is broken first is chosen
        assert session.cursor == violations[0]
        await until(pilot, lambda: any("▸ ✗ view agreement" in text for text in drawn(panel(pilot, "guarantees"))))
        await pilot.press("enter")
        assert session.cursor in violations[1:-1]
        await pilot.press("down")
        assert session.chosen.check == "settled"
        await until(pilot, lambda: panel(pilot, "proof").border_title == "Settled")
        await pilot.press("enter")
        assert session.cursor == violations[-1]  # that is judged at the end of the run
        here = session.cursor
        await pilot.click("#guarantees", offset=(8, y + 1 + 3), times=2)
        assert session.cursor == here  # nothing has broken that one


@in_loop
async def test_a_row_of_the_proof_goes_to_its_event() -> None:
    session = broken()
    session.move(0)
    async with on_screen(5, session) as pilot:
        proof = panel(pilot, "proof")
        proof.focus()
        await pilot.press("down")
        assert session.cursor > 0
        told = session.store[session.cursor - 1]
        assert type(told.event).__name__ in ("ViewInstalled", "NodeEnded")
        await until(pilot, lambda: any(text.startswith(" ▸") for text in drawn(proof)))


# The script


@in_loop
async def test_up_and_down_go_from_step_to_step() -> None:
    session = two_claims()
    session.move(0)
    async with on_screen(7, session) as pilot:
        kinds = []
        for _ in range(4):
            await pilot.press("down")
            kinds.append(type(session.store[session.cursor - 1].event).__name__)
        assert kinds == ["StepBegan", "FaultAsked", "FaultAsked", "StepBegan"]
        await until(
            pilot, lambda: any(text.startswith(" ▸") and "until n3" in text for text in drawn(panel(pilot, "steps")))
        )
        assert str(panel(pilot, "steps").border_title).startswith("two-claims-at-once: ")


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60)])
@in_loop
async def test_every_panel_has_room_for_something(width: int, height: int) -> None:
    async with on_screen(4, two_claims(), width, height) as pilot:
        for number, names in ((4, ("lanes",)), (5, ("guarantees", "proof")), (7, ("steps", "receipts"))):
            await pilot.press(str(number))
            for name in names:
                await until(pilot, lambda name=name: sum(map(bool, drawn(panel(pilot, name)))) >= 4)  # type: ignore[misc]
