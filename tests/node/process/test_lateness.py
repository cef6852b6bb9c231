"""What a busy machine does to a process is told, and what the process does itself is not."""

from __future__ import annotations

from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import Event, FramesLate, StoodStill
from shaketable.node.process.lateness import LATE, Lateness

INTERVAL = 250 * MILLISECOND
A, B = "127.0.0.1:5701", "127.0.0.1:5702"


class Process:
    """Its events, and how long it has computed."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.has_computed: Micros = 0
        self.lateness = Lateness(self.events.append, lambda: self.has_computed)


def test_a_process_that_looks_in_time_tells_nothing() -> None:
    process = Process()
    for now in (0, INTERVAL, 2 * INTERVAL + LATE - 1, 4 * INTERVAL + LATE):
        process.lateness.look(now, INTERVAL)
    assert process.events == []


def test_one_that_did_not_run_tells_for_how_long() -> None:
    process = Process()
    process.lateness.look(0, INTERVAL)
    process.lateness.look(INTERVAL + 3 * SECOND, INTERVAL)
    assert process.events == [StoodStill(3 * SECOND)]


def test_one_that_computed_meanwhile_stood_still_for_the_rest_alone() -> None:
    process = Process()
    process.lateness.look(0, INTERVAL)
    process.has_computed = 2 * SECOND
    process.lateness.look(INTERVAL + 3 * SECOND, INTERVAL)
    process.has_computed = 5 * SECOND
    process.lateness.look(2 * INTERVAL + 6 * SECOND, INTERVAL)
    assert process.events == [StoodStill(1 * SECOND)]


def test_frames_that_are_late_are_told_at_first_and_when_it_has_doubled() -> None:
    process = Process()
    for late in (LATE - 1, LATE, 2 * LATE - 1, 2 * LATE, 3 * LATE, 0, LATE):
        process.lateness.came(A, SECOND, SECOND + late)
    process.lateness.came(B, SECOND, SECOND + LATE)
    told = [FramesLate(A, LATE), FramesLate(A, 2 * LATE), FramesLate(A, LATE), FramesLate(B, LATE)]
    assert process.events == told


def test_frames_that_waited_while_the_process_computed_are_not_late() -> None:
    process = Process()
    process.lateness.look(0, INTERVAL)
    process.has_computed = 2 * SECOND
    process.lateness.came(A, INTERVAL, INTERVAL + 2 * SECOND)
    assert process.events == []
