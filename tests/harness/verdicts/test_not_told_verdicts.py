"""What a check that is not told means for the verdict of a run, and what is said of it."""

from __future__ import annotations

import shlex
from xml.etree import ElementTree

import msgspec
import pytest
from tests.notation.notation import history_of
from tests.notation.other_system import of_system, other

from shaketable.harness.checks.membership import same_members
from shaketable.harness.records import UnderTest
from shaketable.harness.reports.junit import to_junit
from shaketable.harness.verdicts.verdict import RunVerdict, ScriptSubject, judge, session_of
from shaketable.node.config import DEFAULT

GOOD = "n1 installs v1 [n1]\nn1 installs v2 [n1 n2]\nn2 installs v2 by n1 [n1 n2]\nexpected: n1 and n2 agree"
BAD = f"{GOOD}\nn1 installs v3 [n2]"
VIEWS = other(tells=["ViewInstalled"])


def judged(
    story: str, *about: str, expects: str | None = None, too: tuple[str, ...] = (), system: UnderTest = VIEWS
) -> RunVerdict:
    subject = ScriptSubject("story", "A story", "chaos/story.py", about, expects, too)
    return judge(of_system(history_of(story), system), subject, DEFAULT, 0)


def test_a_script_that_is_about_more_than_is_told_is_judged_by_the_rest() -> None:
    assert judged(GOOD, "view integrity", "claims").outcome == "passed"
    assert judged(BAD, "view integrity", "claims").outcome == "failed"


def test_a_script_of_whose_subject_nothing_is_told_is_unknown_and_says_why() -> None:
    verdict = judged(GOOD, "joined", "claims")
    assert (verdict.outcome, [(each.outcome, each.about, each.check) for each in verdict.reasons]) == (
        "unknown",
        [("unknown", "check", "claims"), ("unknown", "check", "joined")],
    )
    assert verdict.reasons[1].text == (
        "joined, which the script is about, is not told: Other does not tell Joined and Started"
    )


SET = other(tells=["MembersSeen", "Started"])
AS_A_SET = DEFAULT.with_values({"own_checks": f"{same_members.__name__}:SAME_MEMBERS"})


@pytest.mark.parametrize(
    ("story", "outcome"),
    [
        ("n1 sees [n1 n2]\nn2 sees [n1 n2]", "passed"),
        ("n1 sees [n1 n2]\nn2 sees [n1 n2]\nn2 is killed\n@2000s", "failed"),
        ("n1 starts", "unknown"),
    ],
    ids=["held", "broken", "vacuous"],
)
def test_a_check_of_one_s_own_stands_in_for_a_subject_of_which_nothing_is_told(story: str, outcome: str) -> None:
    subject = ScriptSubject("story", "A story", "chaos/story.py", ("joined", "claims"))
    history = of_system(history_of(f"{story}\nexpected: they agree"), SET)
    assert judge(history, subject, AS_A_SET, 0).outcome == outcome


def test_an_expectation_that_did_not_come_true_is_stronger() -> None:
    assert judged(f"{GOOD}\nexpected in vain: they part", "joined").outcome == "failed"


def test_a_violation_that_is_expected_of_a_check_that_is_not_told_is_unknown() -> None:
    verdict = judged(BAD, expects="claims", too=("view integrity",))
    assert [each.text for each in verdict.reasons] == [
        "claims, expected to be broken, is not told: Other does not tell ClaimAnswered, ClaimAsked and 6 more"
    ]
    assert verdict.outcome == "unknown"


def test_a_check_that_would_be_broken_with_the_expected_one_need_not_be_told() -> None:
    assert judged(BAD, expects="view integrity", too=("claims",)).outcome == "passed"


def test_a_violation_that_rests_on_what_was_inferred_says_so() -> None:
    reason = judged(BAD, system=other(infers=["ViewInstalled"])).reasons[0]
    assert reason.text.endswith(
        "n1 installs v3 [n2], in which it is not. It rests on what was inferred: ViewInstalled."
    )


@pytest.mark.parametrize(
    ("verdict", "tags"),
    [
        (judged(GOOD, "view integrity", "claims"), {"claims": "skipped", "joined": "skipped", "view integrity": None}),
        (judged(GOOD, "joined"), {"claims": "skipped", "joined": "error"}),
        (judged(BAD, expects="claims", too=("view integrity",)), {"claims": "error", "joined": "skipped"}),
    ],
    ids=["passed", "nothing told", "expected"],
)
def test_junit_skips_it_with_the_reason_unless_the_run_is_unknown_for_it(
    verdict: RunVerdict, tags: dict[str, str | None]
) -> None:
    root = ElementTree.fromstring(to_junit(session_of([verdict], "0.1")).encode())
    cases = {case.get("name", "").partition(" [")[0]: case for case in root.iter("testcase")}
    for check, tag in tags.items():
        found = [each.tag for each in cases[check] if each.tag in ("skipped", "error", "failure")]
        assert (check, found) == (check, [tag] if tag else [])
    if tags["joined"] == "skipped":
        skipped = cases["joined"].find("skipped")
        assert skipped is not None
        assert skipped.get("message") == "not told: Other does not tell Joined and Started"
    assert (int(root.get("errors", "")) > 0) == (verdict.outcome == "unknown")


def test_a_verdict_names_another_system_and_says_nothing_of_ours() -> None:
    theirs, ours = judged(GOOD), judge(history_of(GOOD), ScriptSubject("story", "", "chaos/story.py"), DEFAULT, 0)
    assert theirs.system.full_name == "Other 5.7"
    assert msgspec.json.decode(msgspec.json.encode(theirs))["system"] == {
        "name": "other",
        "version": "5.7",
        "title": "Other",
    }
    assert msgspec.json.decode(msgspec.json.encode(theirs), type=RunVerdict) == theirs
    assert shlex.split(theirs.again)[-2:] == ["--system", "other:5.7"]
    assert ours.system.is_ours
    told = msgspec.json.decode(msgspec.json.encode(ours))
    assert "system" not in told
    assert all("inferred" not in check for check in told["checks"])
    assert "--system" not in ours.again
