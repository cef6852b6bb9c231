"""The cursor: it follows the end or stands; steps and jumps; and what the guarantees say where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.notation.notation import history_of

from shaketable.harness.checks.registry import CHECKS
from shaketable.harness.checks.result import BROKEN, HELD, UNKNOWN, VACUOUS, CheckResult, Proof, Violation
from shaketable.harness.records import Record
from shaketable.tui.model.history.store import FAULT, VIEW, Store
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import VIOLATION, Session
from shaketable.tui.model.standing.guarantees import guarantees, unjudged
from shaketable.tui.source import Recorded

FACTS = RunFacts("a story", "sim", "simulated", 1, "fast")
RECORDS = history_of(
    """
    n1 installs v1 [n1]
    n1 installs v2 [n1 n2]
    n2 installs v2 by n1 [n1 n2]
    fault 1: kill n2
    n2 is killed
    n1 installs v3 [n1]
    """
)


def recorded_session(*checks: CheckResult) -> Session:
    session = Session(FACTS, Store(RECORDS, complete=True), live=False, following=False)
    session.checks, session.checked = checks, len(RECORDS)
    return session


def broken_at(*places: int, name: str = "settled") -> CheckResult:
    """One violation for each of these, proved by the first record of all and by that one."""
    violations = tuple(Violation(f"at {place}", (proof_of(0), proof_of(place))) for place in places)
    return CheckResult(name, "", BROKEN, "", 1, violations)


def proof_of(place: int) -> Proof:
    record: Record = RECORDS[place]
    return Proof(record.time, record.node, record.incarnation, record.sequence, type(record.event).__name__, "")


# The cursor


def test_a_cursor_that_follows_goes_with_what_comes_and_one_that_stands_does_not() -> None:
    session = Session(FACTS, Store(), live=True)
    session.take(RECORDS[:4])
    assert (session.cursor, session.picture().count) == (4, 4)
    session.halt()
    session.take(RECORDS[4:])
    assert (session.cursor, session.picture().count, len(session.store)) == (4, 4, len(RECORDS))
    session.step(1)
    session.take([])
    assert (session.cursor, session.following) == (5, False)
    session.follow()
    assert (session.cursor, session.picture().count) == (len(RECORDS), len(RECORDS))


def test_a_step_beyond_an_end_stays_there() -> None:
    session = recorded_session()
    session.step(-1)
    assert session.cursor == 0
    session.move(10_000)
    assert session.cursor == len(RECORDS)
    session.go_to(RECORDS[3].time)
    assert session.store.time_at(session.cursor) == RECORDS[3].time


def test_jumps_go_to_just_after_each_mark_and_back_the_same_way() -> None:
    session = recorded_session(broken_at(5))
    forth = []
    while session.jump(True):
        forth.append(session.cursor)
    marks = {place + 1 for kind in (FAULT, VIEW) for place in session.store.marks[kind]}
    assert forth == sorted({*marks, 6})
    back = []
    while session.jump(False):
        back.append(session.cursor)
    assert back == forth[-2::-1]
    session.move(0)
    assert session.jump(True, (VIOLATION,))
    assert session.cursor == 6


def test_violations_of_one_time_are_told_apart_by_what_they_are() -> None:
    told = [record._replace(time=7) for record in RECORDS]
    session = Session(FACTS, Store(told, complete=True), live=False, following=False)
    proofs = [Proof(*told[place][:4], "", "") for place in (2, 4)]
    session.checks = [CheckResult("settled", "", BROKEN, "", 1, tuple(Violation("", (proof,)) for proof in proofs))]
    assert session.violations() == [3, 5]


def test_a_violation_is_found_when_its_last_record_has_come() -> None:
    session = Session(FACTS, Store(RECORDS[:5]), live=True)
    session.checks = [broken_at(6)]
    assert session.violations() == []
    session.take(RECORDS[5:])
    assert session.violations() == [7]


# What guarantees say


def states(session: Session) -> list[str]:
    return [each.state for each in guarantees(session)]


def test_a_guarantee_is_broken_from_the_last_record_of_a_proof_on() -> None:
    session = recorded_session(broken_at(5, 7))
    session.move(5)
    assert states(session) == ["not broken yet"]
    session.move(6)
    assert states(session) == ["broken"]
    assert [(each.passed, len(each.violations)) for each in guarantees(session)] == [(1, 2)]
    session.move(8)
    (only,) = guarantees(session)
    assert (only.passed, [each.places for each in only.violations]) == (2, [(0, 5), (0, 7)])


def test_what_no_record_proves_is_broken_when_it_was_or_everywhere_if_that_lies_before_all_that_is_here() -> None:
    middle = RECORDS[-3].time
    for time, before in ((middle, "not broken yet"), (-1, "broken")):
        lost = Violation("", (Proof(time, "n9", "u", 1, "", ""),))
        session = recorded_session(CheckResult("settled", "", BROKEN, "", 1, (lost,)))
        session.go_to(middle)
        assert states(session) == ["broken"]
        session.step(-1)
        assert states(session) == [before]


@pytest.mark.parametrize(
    ("status", "before", "at_the_end"),
    [
        (HELD, "holds in the end", "holds"),
        (VACUOUS, "nothing to see", "nothing to see"),
        (UNKNOWN, "unknown", "unknown"),
    ],
)
def test_what_is_not_broken_is_said_with_care(status: str, before: str, at_the_end: str) -> None:
    session = recorded_session(CheckResult("settled", "", status, "", 0))
    session.move(3)
    assert states(session) == [before]
    session.move(len(RECORDS))
    assert states(session) == [at_the_end]


def test_a_live_run_holds_as_far_as_it_is_judged() -> None:
    session = Session(FACTS, Store(), live=True)
    assert [(each.name, each.state) for each in guarantees(session)] == [
        (check.name, "not judged yet") for check in CHECKS
    ]
    session.take(RECORDS)
    session.checks, session.checked = [CheckResult("settled", "", HELD, "", 1)], 4
    assert (states(session), unjudged(session)) == (["holds"], len(RECORDS) - 4)
    session.checks = [CheckResult("settled", "", VACUOUS, "", 0)]
    assert states(session) == ["nothing seen yet"]


def test_a_recorded_run_that_passed_has_no_guarantee_that_is_broken_at_its_end(recorded: Path) -> None:
    session = Recorded(recorded).session
    session.move(len(session.store))
    assert set(states(session)) <= {"holds", "nothing to see", "unknown"}
