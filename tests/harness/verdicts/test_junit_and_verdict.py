"""junit.xml says what the exit code says, on every story of tests/data/verdicts.txt and for sessions of them."""

from __future__ import annotations

from xml.etree import ElementTree

import msgspec
import pytest
from tests.harness.verdicts.test_verdict import CASES, judged
from tests.notation.notation import Case

from shaketable.harness.checks.result import BROKEN, HELD, UNKNOWN
from shaketable.harness.reports.junit import to_junit
from shaketable.harness.verdicts.of_checks import check_reasons
from shaketable.harness.verdicts.verdict import (
    LeftOut,
    RunVerdict,
    ScriptSubject,
    SessionVerdict,
    merged,
    session_of,
)

TITLES = {case.title: case for case in CASES}


def counted(session: SessionVerdict) -> tuple[int, int]:
    """Failures and errors."""
    root = ElementTree.fromstring(to_junit(session).encode())
    return int(root.get("failures", "")), int(root.get("errors", ""))


def says_the_same(session: SessionVerdict) -> None:
    failures, errors = counted(session)
    match session.exit_code:
        case 0:
            assert (failures, errors) == (0, 0)
        case 1:
            assert failures > 0
        case _:
            assert failures == 0
            assert errors > 0


def tag_of(run: RunVerdict, check: str) -> str:
    root = ElementTree.fromstring(to_junit(session_of([run], "0.1.0")).encode())
    (case,) = [c for c in root.iter("testcase") if c.get("name", "").startswith(f"{check} [")]
    (child,) = case
    return child.tag


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_a_story(case: Case) -> None:
    says_the_same(session_of([judged(case.story)], "0.1.0"))


def test_the_stories_are_of_every_outcome() -> None:
    assert {judged(case.story).outcome for case in CASES} == {"passed", "failed", "unknown"}


def test_several_runs() -> None:
    runs = [judged(case.story) for case in CASES]
    for outcomes in (("passed",), ("passed", "unknown"), ("passed", "unknown", "failed")):
        says_the_same(session_of([run for run in runs if run.outcome in outcomes], "0.1.0"))


def test_a_session_of_which_something_is_missing() -> None:
    says_the_same(session_of([], "0.1.0"))
    says_the_same(session_of([], "0.1.0", [LeftOut("story", "A story", "it is for the sim world alone")]))
    passed = session_of([judged(TITLES["all held"].story)], "0.1.0")
    says_the_same(msgspec.structs.replace(passed, outcome="unknown"))


def test_a_check_that_cannot_judge_is_an_error_only_where_the_script_is_about_it() -> None:
    subject = judged(TITLES["a check that the script is about cannot be judged"].story)
    other = judged(TITLES["the same for a script that is about something else"].story)
    assert {r.status for run in (subject, other) for r in run.checks if r.name == "settled"} == {UNKNOWN}
    assert (tag_of(subject, "settled"), tag_of(other, "settled")) == ("error", "skipped")


def test_what_a_run_ended_too_soon_to_judge_is_an_error_only_where_the_script_is_about_it() -> None:
    run = judged(TITLES["all held"].story)
    pending = tuple(msgspec.structs.replace(r, status=HELD, pending=2) for r in run.checks)
    for about, tag in (((run.checks[0].name,), "error"), ((), "system-out")):
        reasons = tuple(check_reasons(pending, ScriptSubject("story", "A story", "story.py", about)))
        outcome = merged(["passed", *(reason.outcome for reason in reasons)])
        changed = msgspec.structs.replace(run, about=about, checks=pending, reasons=reasons, outcome=outcome)
        assert tag_of(changed, run.checks[0].name) == tag
        says_the_same(session_of([changed], "0.1.0"))


def test_what_cannot_be_blamed_on_anybody_is_an_error_and_no_failure() -> None:
    run = judged(TITLES["nor does what should have come about behind links that failed by themselves"].story)
    assert next(r.status for r in run.checks if r.name == "settled") == BROKEN
    assert tag_of(run, "settled") == "error"
