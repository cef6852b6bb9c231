"""What a timeline is made of: tracks that are asked for a span of time, and a fold that grows with its history."""

from __future__ import annotations

import math
from time import perf_counter

import pytest
from tests.reasons import gone
from tests.tui.panels.stories import by_hand, finished, session_of

from shaketable.harness import records as h
from shaketable.harness.history import signs
from shaketable.harness.records import Record
from shaketable.node import events as e
from shaketable.tui.model.folds import lanes as m
from shaketable.tui.model.folds.course import whom_of
from shaketable.tui.model.folds.lanes import Lanes, Track
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import Session

CLAIMS = ("chaos/cluster/claims.py", "two-claims-at-once", 3)


def lanes_of(session: Session) -> Lanes:
    session.lanes.work(math.inf)
    return session.lanes


def test_a_track_is_asked_for_a_time_and_for_a_span() -> None:
    track: Track[str] = Track()
    for time, value in ((10, "a"), (20, "b"), (20, "b"), (30, "c")):
        track.add(time, time, value)
    assert len(track) == 3  # what does not change is no change
    assert [track.at(time) for time in (9, 10, 19, 20, 99)] == [None, "a", "a", "b", "c"]
    assert list(track.within(10, 30)) == [0, 1]
    assert list(track.within(11, 31)) == [1, 2]
    assert [track.before(time) for time in (10, 11, 31)] == [-1, 0, 2]


def test_a_life_goes_from_starting_to_its_end_and_begins_again() -> None:
    lanes = lanes_of(session_of("tests/tui/panels/scenes.py", "every-state", 3))
    lives = {name: lane.life.values for name, lane in lanes.of.items()}
    assert lives["n1"] == [signs.STARTING, signs.MASTER]
    assert lives["n2"] == [signs.STARTING, signs.MEMBER, signs.HELD]
    assert lives["n3"] == [signs.STARTING, signs.MEMBER, signs.PAUSED]
    assert lives["n9"] == [signs.STARTING, signs.MEMBER, signs.CRASHED, signs.STARTING, signs.MEMBER]
    assert lives["n10"] == [signs.STARTING, signs.MEMBER, signs.LEFT]
    assert set(lanes.seen) >= {signs.MASTER, signs.HELD, signs.PAUSED, signs.CRASHED, signs.LEFT, m.SUSPECTS}


def test_claims_suspicions_and_lists_are_those_of_the_picture_at_each_event() -> None:
    session = session_of(*CLAIMS)
    lanes = lanes_of(session)
    for place in range(len(session.store)):
        seen = session.beliefs.at(place + 1).observed
        if place + 1 < len(session.store) and session.store[place + 1].time == session.store[place].time:
            continue  # several at once: a track knows the last of them
        time = session.store.time_at(place + 1)
        for name, node in seen.nodes.items():
            lane = lanes.of[name]
            if not node.running:
                continue
            installed = lane.views.at(time)
            assert (installed.version if installed is not None else 0) == node.version
            assert sorted(lane.doubts.at(time) or ()) == sorted(
                seen.names_of(each.peer for each in node.suspected.values())
            )
            assert bool(lane.claims.at(time)) == node.claiming
            if node.joined and node.master is not None:
                assert (lane.life.at(time) == signs.MASTER) == (node.master.uuid == node.incarnation)


@pytest.mark.parametrize("portion", [1, 7, 100])
def test_it_grows_with_its_history_to_the_same(portion: int) -> None:
    records = finished(*CLAIMS).records
    growing = Session(RunFacts("", "sim", "", 1, "fast"), Store(), live=True)
    for start in range(0, len(records), portion):
        growing.take(records[start : start + portion])
        growing.lanes.work(math.inf)
    at_once = lanes_of(session_of(*CLAIMS))
    assert growing.lanes.known == at_once.known == len(records)
    assert growing.lanes.course == at_once.course
    for name, lane in at_once.of.items():
        for mine, its in ((growing.lanes.of[name].life, lane.life), (growing.lanes.of[name].doubts, lane.doubts)):
            assert (mine.times, mine.places, mine.values) == (its.times, its.places, its.values)


def test_it_stops_when_its_time_is_over_and_goes_on_later() -> None:
    session = session_of(*CLAIMS)
    assert not session.lanes.work(perf_counter() - 1)
    assert session.lanes.known == 0
    assert session.lanes.work(math.inf)
    assert not session.lanes.work(math.inf)


def test_last_words_of_a_process_before_are_not_those_of_its_successor() -> None:
    session = by_hand("n1 installs v1 [n1]\nn2 installs v1 by n1 [n1 n2]")
    records = list(session.store)
    old = records[-1]
    spawned = Record(old.time + 10, "", "", 99, h.NodeSpawned("n2"))
    late = old._replace(time=old.time + 20, sequence=old.sequence + 1)
    lanes = Lanes(Store([*records, spawned, late]))
    lanes.work(math.inf)
    assert lanes.of["n2"].life.values[-1] == signs.STARTING
    assert len(lanes.of["n2"].views) == 1


def test_last_words_of_a_process_begin_nothing_that_would_never_end() -> None:
    told = "n1 installs v1 [n1]\nn2 installs v1 by n1 [n1 n2]\nn2 suspects n1\nn2 claims"
    records = list(by_hand(told).store)
    late = [each for each in records if isinstance(each.event, e.Suspected | e.ClaimStarted)]
    before = [each for each in records if each not in late]
    ended = Record(late[-1].time + 10, "", "", 99, h.NodeEnded("n2", *gone("killed")))
    lanes = Lanes(Store([*before, ended, *late]))
    lanes.work(math.inf)
    assert lanes.of["n2"].life.values[-1] == signs.CRASHED
    assert (list(lanes.of["n2"].doubts.values), list(lanes.of["n2"].claims.values)) == ([], [])


def test_a_history_may_lack_its_beginning() -> None:
    records = [
        Record(5, "", "", 0, h.FaultTook(7, "somehow")),
        Record(6, "", "", 1, h.FaultEnded(7, "somehow")),
        Record(7, "", "", 2, h.FaultWithoutEffect(8, "", h.Missed.UNSEEN)),
        Record(8, "", "", 3, h.NodeEnded("n9", *gone("killed"))),
        Record(9, "", "", 4, h.AnsweredByHand(3, None, "")),
    ]
    lanes = Lanes(Store(records))
    lanes.work(math.inf)
    assert (lanes.course.faults[7].took, lanes.course.faults[7].ended) == (5, 6)
    assert lanes.course.faults[8].without_effect == ""
    assert lanes.of["n9"].life.values == [signs.CRASHED]


@pytest.mark.parametrize(
    ("nodes", "links", "said"),
    [
        (("n1",), (), "n1"),
        ((), ("n1->n2",), "n1→n2"),
        ((), ("n1->n2", "n2->n1"), "n1⇄n2"),
        ((), ("n2->n1", "n1->n2", "n1->n3"), "n1⇄n2 n1→n3"),
        ((), ("n1->n2", "n1->n3", "n1->n4", "n4->n1"), "n1→n2 n1→n3 +1"),
        ((), (), ""),
    ],
)
def test_whom_a_fault_is_about(nodes: tuple[str, ...], links: tuple[str, ...], said: str) -> None:
    assert whom_of(nodes, links) == said


def test_a_call_by_hand_is_a_step_with_its_answer() -> None:
    asked = [Record(1, "", "", n, h.AskedByHand(n, f"cluster.kill('n{n}')")) for n in (1, 2, 3)]
    answers = [
        Record(2, "", "", 4, h.AnsweredByHand(1, None, "")),
        Record(2, "", "", 5, h.AnsweredByHand(2, None, "it is gone")),
    ]
    lanes = Lanes(Store([*asked, *answers]))
    lanes.work(math.inf)
    assert [(step.by_hand, step.answer) for step in lanes.course.steps] == [(1, ""), (2, "it is gone"), (3, None)]
