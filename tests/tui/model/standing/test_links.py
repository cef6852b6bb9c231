"""How a link stands: by what is done to it, and by the word of both its ends. In real runs both of them tell."""

from __future__ import annotations

import pytest
from tests.reasons import gone, reason_in

from shaketable.harness.records import (
    FaultAsked,
    FaultEndAsked,
    FaultEnded,
    FaultTook,
    FaultWithoutEffect,
    Missed,
    NodeEnded,
    NodeNamed,
    NodeSpawned,
    Record,
)
from shaketable.node import events as e
from shaketable.node.core.env import SECOND
from shaketable.node.events import Event
from shaketable.node.messages import Member
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import links as m
from shaketable.tui.model.standing.links import LinkStanding

A = Member("127.0.0.1:5701", "a" * 8)
B = Member("127.0.0.1:5702", "b" * 8)
CUT = FaultAsked(1, "cut", (), ("n1->n2",), "", True, True, ("cut",))
HOLE = FaultAsked(2, "blackhole", (), ("n1->n2",), "", True, True, ("blackhole",))
SLOW = FaultAsked(3, "slow", (), ("n1->n2",), "80 ms", True, False, ("slow",))
TO_N2 = FaultAsked(4, "drop heartbeat", ("n1",), (), "to whom it may concern", True, False, ("drop",), to=("n2",))
TO_N3 = FaultAsked(4, "drop heartbeat", ("n1",), (), "to n2", True, False, ("drop",), to=("n3", "n4"))
PAUSE = FaultAsked(5, "pause", ("n1",), (), "", True, False, ("pause",))
Told = tuple[str, Event]


def sound() -> list[Told]:
    told: list[Told] = []
    for name, member in (("n1", A), ("n2", B)):
        told += [("", NodeNamed(name, member.address)), ("", NodeSpawned(name))]
    for name, member, other in (("n1", A, B), ("n2", B, A)):
        told += [(name, e.Started(member)), (name, e.Joined(False, *reason_in("")))]
        told += [(name, e.LinkUp(other.address)), (name, e.LinkHeard(other.address))]
    return told


def standing(*told: Told, after: int = 10 * SECOND) -> LinkStanding:
    """Of the link from n1 to n2, so long after the last thing that was told before this."""
    incarnations = {"n1": A.uuid, "n2": B.uuid, "": ""}
    records = [Record(number, node, incarnations[node], number, each) for number, (node, each) in enumerate(sound())]
    records += [
        Record(SECOND + number, node, incarnations[node], 100 + number, each)
        for number, (node, each) in enumerate(told)
    ]
    records.append(Record(SECOND + after, "n2", B.uuid, 1000, e.RoundLate(1, False)))
    facts = RunFacts("", "real", "", 1, "fast", {"heartbeat_interval_seconds": 0.25})
    session = Session(facts, Store(records, complete=True), live=False)
    session.move(len(records))
    return m.links(session).of("n1", "n2")


@pytest.mark.parametrize(
    ("told", "case", "done"),
    [
        ([], m.SOUND, ""),
        ([("", CUT), ("", FaultTook(1, "")), ("n1", e.LinkDown(B.address))], m.AS_ASKED, m.CUT),
        ([("", HOLE), ("", FaultTook(2, "")), ("n2", e.LinkSilent(A.address))], m.AS_ASKED, m.HOLE),
        ([("", SLOW), ("", FaultTook(3, ""))], m.AS_ASKED, m.SLOW),
        ([("", PAUSE), ("", FaultTook(5, "")), ("n2", e.LinkSilent(A.address))], m.AS_ASKED, m.PAUSED),
        ([("n1", e.LinkDown(B.address))], m.UNASKED, ""),
        ([("n2", e.LinkSilent(A.address))], m.UNASKED, ""),
        ([("", CUT), ("", FaultTook(1, ""))], m.STILL_FLOWS, m.CUT),
        ([("", HOLE), ("", FaultTook(2, ""))], m.STILL_FLOWS, m.HOLE),
        ([("", HOLE), ("", FaultWithoutEffect(2, "no such link", Missed.UNSEEN))], m.STILL_FLOWS, m.HOLE),
        ([("", CUT)], m.TURNING, m.CUT),
        ([("", TO_N2), ("", FaultTook(4, ""))], m.AS_ASKED, m.FILTERED),
        ([("", TO_N3), ("", FaultTook(4, ""))], m.SOUND, ""),
        ([("n2", e.Suspected(A, *reason_in("no heartbeat"), 3 * SECOND))], m.QUIET, ""),
        ([("n2", e.Suspected(A, *reason_in("asked to")))], m.SOUND, ""),
        ([("n1", e.LinkClosed(B.address)), ("n2", e.LinkSilent(A.address))], m.NOT_IN_USE, ""),
        ([("", NodeEnded("n2", *gone("killed"))), ("n1", e.LinkDown(B.address))], m.NOT_IN_USE, ""),
    ],
)
def test_a_link_stands(told: list[Told], case: str, done: str) -> None:
    found = standing(*told)
    assert (found.case, found.done) == (case, done)


def test_a_black_hole_is_noticed_by_silence_which_takes_its_time() -> None:
    told = [("", HOLE), ("", FaultTook(2, ""))]
    assert standing(*told, after=SECOND // 2).case == m.AS_ASKED
    assert standing(*told, after=2 * SECOND).case == m.STILL_FLOWS


def test_a_link_that_was_healed_may_take_a_moment() -> None:
    told = [
        *[("", CUT), ("", FaultTook(1, "")), ("n1", e.LinkDown(B.address))],
        *[("", FaultEndAsked(1)), ("", FaultEnded(1, ""))],
    ]
    assert standing(*told, after=SECOND // 2).case == m.TURNING
    assert standing(*told, after=2 * SECOND).case == m.UNASKED
    assert standing(*told, ("n1", e.LinkUp(B.address))).case == m.SOUND


def test_while_a_fault_is_put_on_or_taken_off_nothing_is_said_of_it() -> None:
    assert standing(("", CUT), ("n1", e.LinkDown(B.address))).case == m.TURNING
    assert standing(("", HOLE), ("", FaultTook(2, "")), ("", FaultEndAsked(2))).case == m.TURNING


def test_a_link_that_went_down_a_moment_ago_may_have_lost_its_node_as_well() -> None:
    told = ("n1", e.LinkDown(B.address))
    assert standing(told, after=SECOND // 10).case == m.TURNING
    assert standing(told, after=SECOND // 2).case == m.UNASKED


def test_who_is_paused_cannot_say_what_it_hears() -> None:
    paused = FaultAsked(6, "pause", ("n2",), (), "", True, False, ("pause",))
    told = [("", HOLE), ("", FaultTook(2, "")), ("", paused), ("", FaultTook(6, ""))]
    assert standing(*told).case == m.AS_ASKED


def test_the_worst_of_several_is_told() -> None:
    found = standing(("", SLOW), ("", FaultTook(3, "")), ("", HOLE), ("", FaultTook(2, "")))
    assert (found.done, found.several) == (m.HOLE, True)


def test_a_fault_without_effect_is_forgotten_when_another_one_took_effect() -> None:
    failed = [("", CUT), ("", FaultWithoutEffect(1, "no", Missed.UNSEEN))]
    found = standing(*failed, ("", SLOW), ("", FaultTook(3, "")))
    assert (found.case, found.done, [fault.number for fault in found.faults]) == (m.AS_ASKED, m.SLOW, [3])


def test_what_was_found_is_not_kept_when_something_has_changed() -> None:
    records = [
        Record(n, node, {"n1": A, "n2": B}[node].uuid if node else "", n, each)
        for n, (node, each) in enumerate(sound())
    ]
    session = Session(RunFacts("", "real", "", 1, "fast"), Store(records), live=True)
    session.take([])
    assert m.links(session) is m.links(session)
    assert m.links(session).of("n1", "n2").case == m.SOUND
    session.take([Record(50, "n2", B.uuid, 50, e.LinkSilent(A.address))])
    assert m.links(session).of("n1", "n2").case == m.UNASKED
    session.step(-1)
    assert m.links(session).of("n1", "n2").case == m.SOUND
