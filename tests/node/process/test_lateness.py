"""A process tells what a busy machine does to it, and not what it does itself."""

from __future__ import annotations

from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import Event, FramesLate, StoodStill
from shaketable.node.process.lateness import LATE, Lateness

INTERVAL = LATE + 100 * MILLISECOND
A, B = "127.0.0.1:5701", "127.0.0.1:5702"


class Process:
    """Its events, and how long it has computed."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.has_computed: Micros = 0
        self.lateness = Lateness(INTERVAL, self.events.append, lambda: self.has_computed)


def test_a_process_that_looks_in_time_tells_nothing() -> None:
    process = Process()
    for now in (0, INTERVAL, 2 * INTERVAL + LATE - 1, 3 * INTERVAL + LATE):
        process.lateness.look(now)
    assert process.events == []


def test_one_that_did_not_run_tells_for_how_long() -> None:
    process = Process()
    process.lateness.look(0)
    process.lateness.look(INTERVAL + 3 * SECOND)
    assert process.events == [StoodStill(3 * SECOND)]


def test_one_that_computed_meanwhile_stood_still_for_the_rest_alone() -> None:
    process = Process()
    process.lateness.look(0)
    process.has_computed = 2 * SECOND
    process.lateness.look(INTERVAL + 3 * SECOND)
    process.has_computed = 5 * SECOND
    process.lateness.look(2 * INTERVAL + 6 * SECOND)
    assert process.events == [StoodStill(1 * SECOND)]


def test_frames_that_are_late_are_told_at_first_and_when_it_has_doubled_and_from_time_to_time() -> None:
    process = Process()
    for came, late in ((0, LATE - 1), (1, LATE), (2, 2 * LATE - 1), (3, 2 * LATE), (4, 0), (5, LATE), (8, LATE)):
        process.lateness.came(A, came * SECOND - late, came * SECOND)
    process.lateness.came(B, SECOND - LATE, SECOND)
    told = [FramesLate(A, LATE), FramesLate(A, 2 * LATE), FramesLate(A, LATE), FramesLate(B, LATE)]
    assert process.events == told


def test_frames_that_waited_while_the_process_computed_are_not_late() -> None:
    process = Process()
    process.lateness.look(0)
    process.has_computed = 2 * SECOND
    process.lateness.came(A, INTERVAL, INTERVAL + 2 * SECOND)
    assert process.events == []


def test_a_process_that_looks_more_often_tells_of_less() -> None:
    events: list[Event] = []
    lateness = Lateness(LATE // 2, events.append, lambda: 0)
    lateness.look(0)
    lateness.look(LATE)
    lateness.came(A, 0, LATE // 2)
    assert events == [StoodStill(LATE // 2), FramesLate(A, LATE // 2)]
