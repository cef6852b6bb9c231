"""Checks of a user's own, named by the setting `own_checks`: they judge beside ours, and their mistakes are told."""

from __future__ import annotations

import pytest

from shaketable import Cluster
from shaketable.harness.checks.registry import CHECKS, check_own, checks_of
from shaketable.harness.checks.result import BROKEN, HELD, UNKNOWN, VACUOUS, CheckResult
from shaketable.harness.errors import ScriptError, UserError
from shaketable.harness.records import FaultWithoutEffect, Missed, Record
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import script
from shaketable.harness.verdicts.verdict import RunVerdict, ScriptSubject, judge
from shaketable.node.config import CLUSTER, SettingError

EXAMPLES = "tests.harness.checks.own_examples"


@script
async def kill_the_master(cluster: Cluster) -> None:
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n1")
    await cluster.expect(cluster.that.agree("n2", "n3"), within=cluster.bounds.crash)


@script
async def only_form(cluster: Cluster) -> None:
    await cluster.form("n1", "n2")


def verdict_with(*names: str, of: object = kill_the_master) -> RunVerdict:
    own = " ".join(f"{EXAMPLES}:{name}" for name in names)
    return judged(run_simulated(of, Options(values={"own_checks": own})))  # type: ignore[arg-type]


def said_by(verdict: RunVerdict, name: str) -> CheckResult:
    (result,) = [check for check in verdict.checks if check.name == name]
    return result


def test_it_stands_behind_ours_under_its_own_name_and_rule() -> None:
    verdict = verdict_with("no_claims", "counts")
    assert [check.name for check in verdict.checks[len(CHECKS) :]] == ["no claims", "counts"]
    assert said_by(verdict, "no claims").rule == "Nobody claims the mastership."


def test_a_broken_one_fails_the_run_and_shows_its_proof() -> None:
    verdict = verdict_with("no_claims")
    assert verdict.outcome == "failed"
    assert said_by(verdict, "no claims").status == BROKEN
    assert verdict.reasons[0].text == "no claims is broken: n2 claims."
    assert [proof.kind for proof in verdict.reasons[0].proof] == ["ClaimStarted"]


def test_one_that_saw_nothing_is_vacuous_and_the_run_passes() -> None:
    verdict = verdict_with("no_claims", of=only_form)
    assert (verdict.outcome, said_by(verdict, "no claims").status) == ("passed", VACUOUS)


def test_one_that_watches_sees_each_record_up_to_the_end_of_the_script() -> None:
    verdict = verdict_with("counts")
    counted = said_by(verdict, "counts")
    assert counted.status == HELD
    assert counted.count > 30


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("raises", "it raised KeyError: 'n1' (own_examples.py:"),
        ("exits", "it raised SystemExit: 0 (own_examples.py:"),
        ("goes", "it raised Gone: of no kind (own_examples.py:"),
        ("raises_late", "it raised ValueError: of what it sees (own_examples.py:"),
        ("raises_last", "it raised ValueError: in the end (own_examples.py:"),
        ("counts_in_words", "its CheckResult is wrong: Expected `int`, got `str` - at `$.count`"),
        ("counts_backwards", "its CheckResult is wrong: count=-1 and pending=0 are numbers of things"),
        ("is_sure", "its CheckResult is wrong: there is no status 'certain'; there are held, broken"),
        ("shows_nothing", "its CheckResult is wrong: its status is broken, and it has 0 violations"),
        ("says_nonsense", "it answered with 7, which is no CheckResult"),
    ],
)
def test_a_mistake_in_it_makes_the_run_unknown_and_is_told(name: str, why: str) -> None:
    verdict = verdict_with(name)
    called = name.replace("_", " ")
    assert said_by(verdict, called).status == UNKNOWN
    assert verdict.outcome == "unknown"
    (reason,) = verdict.reasons
    assert reason.text.startswith(f"{called} cannot be judged: {why}")


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ("nowhere.at_all:check", "ModuleNotFoundError: No module named 'nowhere'"),
        (EXAMPLES, f"{EXAMPLES} lacks :NAME at its end"),
        (f"{EXAMPLES}:nothing", "has no attribute 'nothing'"),
        (f"{EXAMPLES}:no_check", "is no check; make one with Check(name, rule, begin)"),
        (f"{EXAMPLES}:taken", "is called 'settled', as another check is; give it another name"),
        (f"{EXAMPLES}:needs_words", "needs ('ClaimStarted',); give a tuple of kinds of event, from shaketable.events"),
        (f"{EXAMPLES}:counts {EXAMPLES}:counts", "is called 'counts', as another check is"),
    ],
)
def test_a_wrong_name_is_told_before_anything_begins(names: str, why: str) -> None:
    with pytest.raises(SettingError) as told:
        check_own(names)
    assert why in str(told.value)
    with pytest.raises(UserError, match="own_checks"):
        Options(values={"own_checks": names}).settings(only_form)


def test_a_script_can_be_about_one_that_its_settings_name() -> None:
    about = script(about=["no claims"], settings={"own_checks": f"{EXAMPLES}:no_claims"})
    verdict = judged(run_simulated(about(only_form.body), Options()))
    assert verdict.outcome == "unknown"
    assert verdict.reasons[0].text == "no claims, which the script is about, saw nothing to judge: claims: 0"
    expected = script(expects_violation="no claims", settings={"own_checks": f"{EXAMPLES}:no_claims"})
    assert judged(run_simulated(expected(kill_the_master.body), Options())).outcome == "passed"


def test_a_script_cannot_be_about_one_that_its_settings_do_not_name() -> None:
    with pytest.raises(ScriptError, match="there is no check 'no claims'"):
        script(about=["no claims"])


def test_where_a_fault_took_no_effect_a_broken_one_proves_nothing() -> None:
    finished = run_simulated(kill_the_master, Options(values={"own_checks": f"{EXAMPLES}:no_claims"}))
    last = finished.records[-2]
    failing = Record(last.time, "", "", last.sequence + 1000, FaultWithoutEffect(1, "for a test", Missed.UNSEEN))
    records = [*finished.records[:-1], failing, finished.records[-1]]
    subject = ScriptSubject("kill-the-master", "", "")
    verdict = judge(records, subject, finished.settings, finished.allowance)
    assert said_by(verdict, "no claims").status == BROKEN
    assert verdict.outcome == "unknown"


def test_a_recording_can_be_judged_where_the_check_is_not_at_hand() -> None:
    finished = run_simulated(only_form, Options())
    elsewhere = finished.settings.with_values({"own_checks": "nowhere.at_all:check"})
    verdict = judge(finished.records, ScriptSubject("only-form", "", ""), elsewhere, finished.allowance)
    assert verdict.outcome == "unknown"
    assert "nowhere.at_all:check cannot be judged" in verdict.reasons[0].text
    assert "No module named 'nowhere'" in verdict.reasons[0].text


def test_before_a_run_is_judged_its_own_are_listed_too() -> None:
    assert [check.name for check in checks_of(CLUSTER, f"{EXAMPLES}:counts")[len(CHECKS) :]] == ["counts"]
