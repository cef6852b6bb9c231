"""What must never be lost in a timeline, however little room a lane has."""

from __future__ import annotations

import math

import pytest
from tests.notation.notation import member
from tests.reasons import gone, reason_in

from shaketable.harness import records as h
from shaketable.harness.records import Record
from shaketable.node import events as e
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import Session
from shaketable.tui.panels.lanes import lanes
from shaketable.tui.text import plain

N1 = member("n1")


def crashed_at_once() -> Session:
    """In a thousandth of the run a node suspects another, claims, makes a list, crashes, and is started again."""
    events: list[tuple[str, e.Event]] = [
        ("", h.NodeNamed("n1", N1.address)),
        ("n1", e.Started(N1)),
        ("n1", e.Suspected(member("n2"), *reason_in("silent"))),
        ("n1", e.ClaimStarted(1, (N1,))),
        ("n1", e.ViewInstalled(2, N1.uuid, N1, (N1,), *reason_in("claimed"))),
        ("", h.NodeEnded("n1", *gone("killed"))),
        ("", h.NodeSpawned("n1")),
        ("", h.StepBegan("wait")),
    ]
    times = [0, 0, *range(50_000, 50_005), 100_000]
    records = [
        Record(time, node, N1.uuid if node else "", n, event)
        for n, (time, (node, event)) in enumerate(zip(times, events, strict=True))
    ]
    session = Session(RunFacts("", "sim", "", 1, "fast"), Store(records, complete=True), live=False)
    session.lanes.work(math.inf)
    return session


@pytest.mark.parametrize("height", [3, 4, 5, 30])
@pytest.mark.parametrize("width", [30, 60, 200])
def test_a_crash_is_seen_whatever_else_happens_in_its_cell(width: int, height: int) -> None:
    shown = plain(lanes(crashed_at_once(), width, height)).split("\n")
    life = next(text for text in shown if "n1" in text and "○" in text)
    assert "✗" in life
    assert "✗2" not in life  # no version of a list beside it
