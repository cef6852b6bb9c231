"""What the script's panels say of what seldom happens: no effect, no receipt, trouble, calls by hand, crash points."""

from __future__ import annotations

import math

from shaketable.harness import records as h
from shaketable.harness.history.crash_points import CrashPoint
from shaketable.harness.records import Record
from shaketable.node.core.env import SECOND
from shaketable.node.events import Event
from shaketable.tui.model.folds.lanes import Lanes
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.run_facts import Ended, RunFacts
from shaketable.tui.model.session import Session
from shaketable.tui.panels.events import events
from shaketable.tui.panels.heading import heading
from shaketable.tui.panels.lanes import lanes
from shaketable.tui.panels.receipts import receipts
from shaketable.tui.panels.steps import present_step, steps, steps_title
from shaketable.tui.text import plain, target_of


def session_of(*events: Event, script: str = "a-story", live: bool = False) -> Session:
    records = [Record(n * SECOND // 10, "", "", n, event) for n, event in enumerate(events)]
    session = Session(RunFacts(script, "sim", "", 1, "fast"), Store(records, complete=not live), live=live)
    session.follow()
    session.lanes.work(math.inf)
    return session


def cut(number: int, *, lasts: bool = True) -> h.FaultAsked:
    return h.FaultAsked(number, "cut", (), ("n1->n2",), "", lasts, True, ("cut",))


def test_a_fault_without_effect_stands_out_in_both_panels() -> None:
    session = session_of(cut(1), h.FaultWithoutEffect(1, "nobody noticed", h.Missed.UNSEEN))
    assert plain(steps(session, 60, 9)) == " ▸   0.000 ░ cut n1→n2: NO EFFECT (nobody noticed)"
    assert "░ 1 cut n1→n2  NO EFFECT: nobody noticed" in plain(receipts(session, 60, 9))
    assert {span.role for each in receipts(session, 60, 9) for span in each if "NO EFFECT" in span.text} == {"bad"}
    session.move(1)
    assert "NO EFFECT" not in plain(steps(session, 60, 9)) + plain(receipts(session, 60, 9))


def test_a_receipt_is_told_as_far_as_the_cursor_knows_it() -> None:
    session = session_of(cut(1), h.FaultTook(1, "seen"), h.FaultEndAsked(1), h.FaultEnded(1, "gone"))
    told = []
    for place in range(5):
        session.move(place)
        told.append(plain(receipts(session, 70, 9)).split("\n")[-1].strip())
    assert told == [
        "· 1 cut n1→n2  asked at 0.000 s, later",
        "○ 1 cut n1→n2  asked at 0.000 s, no receipt yet",
        "▓ 1 cut n1→n2  since 0.100 s (seen)",
        "▓ 1 cut n1→n2  since 0.100 s (seen)",
        "░ 1 cut n1→n2  0.100 s to 0.300 s (seen; gone)",
    ]


def test_what_was_to_hold_and_did_not_is_said_with_its_reason() -> None:
    session = session_of(
        h.Expected("all agree", 2 * SECOND, False, "n2 holds v3"),
        h.InvariantBroken("n1 leads", "n2 does"),
        h.FabricTrouble("the server hangs"),
        h.FabricRestored("a new one"),
        h.ScriptEnded(h.ScriptOutcome.FAILED, "it did not hold"),
    )
    assert plain(steps(session, 80, 9)).split("\n") == [
        "     0.000 ✗ NOT within 2.000 s of the last fault: all agree (n2 holds v3)",
        "     0.100 ✗ not at all times: n1 leads (n2 does)",
        "     0.200 ✗ the server hangs",
        "     0.300 ✓ a new one",
        " ▸   0.400 ■ the script ends: failed (it did not hold)",
    ]
    assert "expectations  0 of 2 held" in plain(receipts(session, 80, 20))
    assert "✗ all agree: n2 holds v3" in plain(receipts(session, 80, 20))


def test_calls_by_hand_are_steps_with_their_answers() -> None:
    session = session_of(
        h.StepBegan("form n1"),
        h.AskedByHand(1, "cluster.kill('n1')"),
        h.AnsweredByHand(1, None, ""),
        h.AskedByHand(2, "cluster.kill('n1')"),
        h.AnsweredByHand(2, None, "it is gone"),
        h.AskedByHand(3, "cluster.delay('membersupdate', 500000, sender='n2')"),
        script="",
        live=True,
    )
    assert steps_title(session) == "Driven by hand"
    assert plain(steps(session, 80, 9)).split("\n") == [
        "     0.000 → form n1",
        '     0.100 » cluster.kill("n1")  ✓',
        '     0.300 » cluster.kill("n1")  ✗ it is gone',
        ' ▸   0.500 » cluster.delay("membersupdate", 500 * MILLISECOND, sender="n2")',
    ]
    assert "the session goes on" in plain(receipts(session, 80, 9))
    last = 'by hand 3: cluster.delay("membersupdate", 500 * MILLISECOND, sender="n2")'
    assert last in plain(events(session, 120, 9))


def test_what_is_wrong_with_a_history_stays_in_the_heading_and_is_told_among_the_receipts() -> None:
    session = session_of(h.StepBegan("form n1"))
    assert "note" not in plain(heading(session, 120, 1)) + plain(receipts(session, 80, 9))
    session.notes += ["a line is lost", "and another"]
    assert "! 2 notes, on 7" in plain(heading(session, 120, 1))
    assert "! 2 notes" in plain(heading(session, 80, 1))
    assert "! a line is lost\n" in plain(receipts(session, 80, 9))
    assert "! and another" in plain(receipts(session, 80, 9))


def test_who_waits_says_for_how_long() -> None:
    session = session_of(h.StepBegan("until n1 leads", means=h.StepKind.WAITS), live=True)
    session.now = 5 * SECOND
    assert plain(steps(session, 80, 9)) == " ▸   0.000 ↻ until n1 leads, for 5.000 s so far"
    assert "↻ it runs: until n1 leads" in plain(receipts(session, 80, 9))


def test_where_there_are_more_steps_than_rows_those_around_the_present_one_are_shown() -> None:
    session = session_of(*(h.StepBegan(f"step {number}") for number in range(100)))
    session.move(51)
    lines = steps(session, 40, 9)
    assert len(lines) == 9
    assert present_step(session) == "event:50"
    assert [target_of(each) for each in lines] == [f"event:{place}" for place in range(44, 53)]
    session.move(0)
    assert present_step(session) == ""
    assert [target_of(each) for each in steps(session, 40, 9)] == [f"event:{place}" for place in range(9)]


def test_how_a_run_ended_and_what_it_visited() -> None:
    session = session_of(h.StepBegan("form n1"))
    assert plain(receipts(session, 80, 9)).endswith("○ there is none")
    session.no_verdict = "it broke off"
    assert "there is none: it broke off" in plain(receipts(session, 80, 9))
    session.ended = Ended("unknown", ("a fault took no effect",))
    session.crash_points = (CrashPoint("copied", ("owner",), "move"), CrashPoint("copied", ("master", "owner"), "move"))
    told = plain(receipts(session, 80, 20))
    assert "? UNKNOWN" in told
    assert "· a fault took no effect" in told
    assert "■ copied: owner, master/owner" in told


def test_what_is_not_read_yet_is_not_said_to_be_nothing() -> None:
    session = session_of(h.StepBegan("form n1"), h.NodeNamed("n1", "127.0.0.1:5701"))
    session.lanes = Lanes(session.store)
    assert plain(steps(session, 40, 5)) == plain(lanes(session, 40, 5)) == " ↻ still reading"
    session.lanes.work(math.inf)
    assert "form n1" in plain(steps(session, 40, 5))
    nothing = Session(session.facts, Store(complete=True), live=False)
    assert plain(steps(nothing, 40, 5)).split("\n")[0] == " nothing was asked for yet"
    assert plain(lanes(nothing, 40, 5)).split("\n")[0] == " nothing has happened yet"
