"""A run that is over is played: its time passes at a speed, it is halted by any move, and it ends at its end."""

from __future__ import annotations

import pytest
from tests.notation.notation import history_of

from shaketable.node.core.env import SECOND
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.playback import Playback, faster
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import Session

RECORDS = [
    record._replace(time=(number + 1) * SECOND)
    for number, record in enumerate(
        history_of(
            """
            n1 installs v1 [n1]
            n1 installs v2 [n1 n2]
            n2 installs v2 by n1 [n1 n2]
            fault 1: kill n2
            n2 is killed
            n1 installs v3 [n1]
            """
        )
    )
]


def over() -> Session:
    facts = RunFacts("a story", "real", "toxiproxy", 1, "fast")
    return Session(facts, Store(RECORDS, complete=True), live=False, following=False)


def test_time_passes_at_the_speed_that_it_is_told() -> None:
    playback = Playback()
    assert playback.pass_to(5.0) == 0
    playback.begin(100.0, 7 * SECOND)
    assert playback.pass_to(100.5) == 7_500_000
    playback.set_speed(101.0, 10.0)
    assert playback.pass_to(102.0) == 18 * SECOND
    playback.halt()
    assert playback.pass_to(110.0) == 18 * SECOND


@pytest.mark.parametrize(
    ("speed", "steps", "then"), [(1.0, 1, 2.0), (1.0, -1, 0.5), (0.1, -1, 0.1), (100.0, 1, None), (None, -1, 100.0)]
)
def test_the_steps_of_speed(speed: float | None, steps: int, then: float | None) -> None:
    assert faster(speed, steps) == then


def test_events_come_when_their_time_has_come_and_the_clock_goes_on_between_them() -> None:
    session = over()
    session.move(1)
    began = 100.0
    session.play(began)
    assert session.play_on(began + 0.5)
    assert session.cursor == 1
    assert session.clock == 1_500_000
    session.play_on(began + 2.1)
    assert session.cursor == 3
    session.playback.set_speed(began + 2.1, 100.0)
    session.play_on(began + 3)
    assert session.cursor == len(RECORDS)
    assert not session.playback.plays, "it ends at the end"
    assert session.clock == RECORDS[-1].time
    assert not session.play_on(began + 4)


def test_at_its_end_it_is_played_from_the_beginning() -> None:
    session = over()
    session.move(len(RECORDS))
    session.play(0.0)
    assert (session.cursor, session.playback.plays) == (0, True)


def test_any_move_halts_it_where_one_has_gone() -> None:
    session = over()
    for move in (lambda: session.step(1), lambda: session.go_to(3 * SECOND), lambda: session.jump(True)):
        session.move(0)
        session.play(0.0)
        move()
        place = session.cursor
        assert not session.playback.plays
        assert not session.play_on(100.0)
        assert session.cursor == place
