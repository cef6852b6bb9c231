"""A check that its system does not tell is not told, and says so in each report; one that is judged is right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
import pytest
from tests.lengths import LONG, mostly_by_night
from tests.notation.notation import history_of
from tests.notation.other_system import of_system, other

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.registry import CHECKS, checks_of, run_checks, untold
from shaketable.harness.checks.result import (
    BROKEN,
    HELD,
    NOT_TOLD,
    VACUOUS,
    Check,
    CheckResult,
    Findings,
    IfSeen,
)
from shaketable.harness.checks.told import rests_on
from shaketable.harness.history.codec import EVENT_TYPES
from shaketable.harness.history.history import History
from shaketable.harness.records import HARNESS_EVENTS, OURS, Record, UnderTest
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.scripting.targets import scripts_of_ours
from shaketable.node.config import DEFAULT
from shaketable.node.events import Event, Suspected

KINDS: Final = tuple(kind for kind in EVENT_TYPES if kind not in HARNESS_EVENTS)
ALL: Final = tuple(kind.__name__ for kind in KINDS)
EVERY: Final = 20
"""of our stories: a long test plays one of so many"""
STORY: Final = """
n1 installs v1 [n1]
n1 installs v2 [n1 n2]
n2 installs v2 by n1 [n1 n2]
n2 claims
n2 finishes v4 [n2]
"""


def judged(
    records: Sequence[Record], system: UnderTest, only: Iterable[str] | None = None, bounds: Bounds | None = None
) -> dict[str, CheckResult]:
    results = run_checks(History(of_system(records, system)), bounds or Bounds(DEFAULT, 0), only)
    return {result.name: result for result in results}


def needs_of(check: Check) -> tuple[set[type[Event]], set[type[Event]]]:
    """The kinds that it always needs; and those that it needs at times, with those that make it need them."""
    always = {need for need in check.needs if not isinstance(need, IfSeen)}
    at_times = {kind for need in check.needs if isinstance(need, IfSeen) for kind in (need.kind, *need.others)}
    return always, at_times


# What is said


def test_of_our_own_members_every_check_is_judged() -> None:
    assert NOT_TOLD not in {result.status for result in judged(history_of(STORY), OURS).values()}


def test_a_check_that_needs_what_is_not_told_says_which_kinds_and_of_which_system() -> None:
    results = judged(history_of(STORY), other(tells=["ViewInstalled", "Joined", "ClaimStarted"]))
    assert results["view integrity"].status == HELD
    said = {name: results[name].looked_at for name in ("joined", "following", "single authority", "settled")}
    assert said == {
        "joined": "Other does not tell Started",
        "following": "Other does not tell ClaimConsented, ClaimFinished and 3 more",
        "single authority": "Other does not tell MasterFollowed",
        "settled": "Other does not tell ClaimFinished, MasterFollowed and 2 more",
    }
    assert {(results[name].status, results[name].count) for name in said} == {(NOT_TOLD, 0)}


def test_a_kind_that_others_make_necessary_is_not_missed_where_none_of_them_was_told() -> None:
    tells = ["ViewInstalled", "Joined", "MasterFollowed", "Started", "Stopped", "ClaimStarted"]
    quiet = STORY.replace("n2 claims\n", "").replace("n2 finishes v4 [n2]\n", "")
    assert judged(history_of(quiet), other(tells=tells))["settled"].status != NOT_TOLD
    assert judged(history_of(STORY), other(tells=tells))["settled"].looked_at == "Other does not tell ClaimFinished"


def test_a_check_that_is_not_promised_does_not_judge_and_one_of_the_users_own_does() -> None:
    settings = DEFAULT.with_values({"own_checks": "tests.harness.checks.own_examples:no_claims"})
    bounds = Bounds(settings, 0)
    results = judged(history_of(STORY), other(promises=["view integrity"]), bounds=bounds)
    assert results["view integrity"].status == HELD
    assert (results["settled"].status, results["settled"].looked_at) == (NOT_TOLD, "Other does not promise it")
    assert results["no claims"].status == BROKEN


def test_a_check_of_the_users_own_is_not_told_where_the_system_lacks_what_it_needs() -> None:
    own = "tests.harness.checks.own_examples:needs_claims tests.harness.checks.own_examples:no_claims"
    bounds = Bounds(DEFAULT.with_values({"own_checks": own}), 0)
    results = judged(history_of(STORY), other(tells=["ViewInstalled"]), bounds=bounds)
    assert results["needs claims"].looked_at == "Other does not tell ClaimStarted"
    assert results["no claims"].status == VACUOUS


def test_what_rests_on_something_inferred_says_so_and_nothing_else_does() -> None:
    results = judged(history_of(STORY), other(infers=["MasterFollowed"]))
    assert rests_on(results["single authority"]) == ["it rests on what was inferred: MasterFollowed"]
    assert rests_on(results["view order"]) == []
    assert not any(rests_on(result) for result in judged(history_of(STORY), OURS).values())


def test_what_could_be_inferred_and_did_not_occur_is_not_named() -> None:
    results = judged(history_of(STORY), other(infers=["MasterFollowed", "ExplicitSuspicionReceived", "MergeBegan"]))
    assert {rests for result in results.values() for rests in rests_on(result)} == {
        "it rests on what was inferred: MasterFollowed"
    }
    assert not any(rests_on(result) for result in results.values() if result.status == VACUOUS)


def test_of_a_kind_of_which_only_some_events_are_inferred_those_count() -> None:
    records = history_of(f"{STORY}n2 suspects n1\n")
    said = [
        record._replace(event=msgspec.structs.replace(record.event, inferred=("why",)))
        if isinstance(record.event, Suspected)
        else record
        for record in records
    ]
    assert said != records
    assert rests_on(judged(said, other())["detection"]) == ["it rests on what was inferred: Suspected"]
    assert rests_on(judged(records, other())["detection"]) == []


def test_a_check_that_is_not_told_is_not_even_begun() -> None:
    def begin(history: History, bounds: Bounds) -> CheckResult:
        raise AssertionError("it was begun")

    check = Check("mine", "", begin, needs=(KINDS[0],))
    told = untold(check, other(tells=[]))
    assert told is not None
    assert told.looked_at == f"Other does not tell {ALL[0]}"
    assert untold(check, other(tells=[ALL[0]])) is None


def test_what_the_harness_tells_itself_is_told_of_every_system() -> None:
    check = Check("mine", "", lambda history, bounds: Findings(history).result("mine", "", "", 0), needs=HARNESS_EVENTS)
    assert untold(check, other(tells=[])) is None


# What is needed, by the stories


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_each_check_needs_something_and_names_no_kind_twice(check: Check) -> None:
    kinds = [need.kind if isinstance(need, IfSeen) else need for need in check.needs]
    assert len(kinds) == len(set(kinds)) > 0


def turned(before: str, now: str) -> bool:
    """It is red now, or says something else than that it held, or was broken."""
    return before != now and (now == BROKEN or before in (HELD, BROKEN))


def misled_by_one(run: Finished) -> list[str]:
    """Checks that still judge, and are wrong, where a system tells all kinds but one."""
    bounds = Bounds(run.settings, run.allowance)
    before = judged(run.records, OURS, bounds=bounds)
    wrong = []
    for kind in sorted({type(record.event).__name__ for record in run.records} & set(ALL)):
        now = judged(run.records, other(tells=set(ALL) - {kind}), bounds=bounds)
        wrong += [
            f"{name} without {kind}: {before[name].status}, then {result.status}"
            for name, result in now.items()
            if result.status != NOT_TOLD and turned(before[name].status, result.status)
        ]
    return wrong


def misled_by_many(run: Finished) -> list[str]:
    """Checks that are wrong where a system tells nothing but what they need."""
    bounds = Bounds(run.settings, run.allowance)
    before = judged(run.records, OURS, bounds=bounds)
    wrong = []
    for check in checks_of(run.settings.family):
        always, at_times = needs_of(check)
        for kinds in (always, always | at_times) if at_times - always else (always,):
            tells = sorted(kind.__name__ for kind in kinds)
            (now,) = judged(run.records, other(tells=tells), [check.name], bounds).values()
            if now.status != NOT_TOLD and turned(before[check.name].status, now.status):
                wrong.append(f"{check.name} with {tells}: {before[check.name].status}, then {now.status}")
    return wrong


STORIES: Final = [each for each in scripts_of_ours() if not each.why_not_in("sim")]


@pytest.mark.parametrize(
    "script", mostly_by_night(4, (pytest.param(each, id=each.name, marks=LONG) for each in STORIES[::EVERY]))
)
def test_whatever_a_system_leaves_out_no_check_that_judges_is_wrong(script: Script) -> None:
    run = run_simulated(script, Options("sim"))
    assert [*misled_by_one(run), *misled_by_many(run)] == []


def test_to_leave_out_what_is_needed_does_mislead() -> None:
    """The two tests by stories can fail."""
    story = next(each for each in STORIES if each.name == "kill-the-master")
    run = run_simulated(story, Options("sim"))
    bounds = Bounds(run.settings, run.allowance)
    without = [record for record in run.records if type(record.event).__name__ != "ClaimAsked"]
    assert judged(run.records, OURS, ["claims"], bounds)["claims"].status == HELD
    assert judged(without, OURS, ["claims"], bounds)["claims"].status == BROKEN
    assert judged(without, other(tells=set(ALL) - {"ClaimAsked"}), ["claims"], bounds)["claims"].status == NOT_TOLD
    assert judged(without, OURS, ["in place"], bounds)["in place"].status == VACUOUS
