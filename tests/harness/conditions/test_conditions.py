"""Conditions answer with the reason why they do not hold: the cases are in tests/data/conditions.txt."""

from __future__ import annotations

import pytest
from tests import where
from tests.notation.notation import Case, Writer, cases, history_of, member
from tests.reasons import reason_in

from shaketable.harness.conditions import cluster as conditions
from shaketable.harness.conditions import merging as conditions_merging
from shaketable.harness.conditions.cluster import Condition
from shaketable.harness.errors import ScriptError
from shaketable.harness.records import NodeNamed, Record
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.targets import scripts_of_ours
from shaketable.harness.seen.run import Observed
from shaketable.node.events import Event, ExplicitSuspicionReceived, ViewIgnored

DATA = where.DATA / "conditions.txt"
CASES = list(cases(DATA.read_text(encoding="utf-8")))


def seen(story: str) -> Observed:
    observed = Observed()
    for record in history_of(story, ends=False):
        observed.apply(record)
    return observed


def condition(said: str) -> Condition:
    name, *arguments = said.split()
    if name == "agree":
        return conditions.agree(arguments)
    if name == "holds":  # n2 v7 n2 n4 n5
        return conditions.holds(arguments[0], int(arguments[1].removeprefix("v")), arguments[2:])
    if name == "caught":
        return conditions.caught(int(arguments[0]))
    where = conditions if hasattr(conditions, name) else conditions_merging
    made = getattr(where, name)(*[int(a) if a.isdigit() else a for a in arguments])
    assert isinstance(made, Condition)
    return made


@pytest.mark.parametrize("case", CASES, ids=[case.title for case in CASES])
def test_a_condition_says_why_it_does_not_hold(case: Case) -> None:
    observed = seen(case.story)
    asked = [line.partition(": ")[0] for line in case.expected.splitlines()]
    answers = [f"{what}: {condition(what).ask(observed) or 'it holds'}" for what in asked]
    assert answers == case.expected.splitlines()


def test_of_two_conditions_the_first_reason_is_told_and_both_are_named() -> None:
    both = conditions.agree(["n1"]) & conditions.suspects("n1", "n2")
    assert both.label == "n1 is alone in its list, and n1 suspects n2"
    assert both.ask(seen("n1 starts\nn2 starts")) == "n1 has not joined"
    assert both.ask(seen("n1 installs v1 [n1]\nn2 starts")) == "n1 does not suspect n2"
    assert both.ask(seen("n1 installs v1 [n1]\nn2 starts\nn1 suspects n2")) is None


def test_either_of_two_conditions_is_enough_and_where_neither_holds_both_reasons_are_told() -> None:
    either = conditions.agree(["n1"]) | conditions.suspects("n1", "n2")
    assert either.label == "either n1 is alone in its list, or n1 suspects n2"
    assert either.ask(seen("n1 starts\nn2 starts")) == "n1 has not joined, and n1 does not suspect n2"
    assert either.ask(seen("n1 installs v1 [n1]\nn2 starts")) is None
    assert either.ask(seen("n1 installs v2 [n1 n2]\nn2 starts\nn1 suspects n2")) is None
    mine, third = conditions.agree(["n2"]), conditions.trusts("n1", "n2")
    said = "either n1 is alone in its list, or n1 suspects n2, or n2 is alone in its list"
    assert (either | mine).label == said
    assert (either | (mine | third)).label == f"{said}, or {third.label}"
    same = conditions.follows("n1", "n2") | conditions.follows("n1", "n2")
    assert same.ask(seen("n1 starts\nn2 starts")) == "n1 follows nobody"


def test_what_is_ignored_counts_from_the_moment_at_which_the_condition_is_made() -> None:
    writer, observed = Writer(), Observed()
    writer.write("n1 installs v2 [n1 n2]\nn2 installs v2 by n1 [n1 n2]")
    n1, n2 = member("n1"), member("n2")

    def told(event: Event) -> None:
        writer.tell("n2", event)
        for record in writer.records[len(seen_already) :]:
            observed.apply(record)
            seen_already.append(record)

    seen_already: list[Record] = []
    for _ in range(2):
        told(ExplicitSuspicionReceived(n1, True, *reason_in("it names me as I am")))
        late, told_late = conditions.ignores(observed, "n2", 2), conditions.disobeys(observed, "n2", "n1")
        assert late.ask(observed) == "n2 has ignored no list v=2 since"
        assert told_late.ask(observed) == "n2 has ignored no explicit suspicion from n1 since"
        told(ViewIgnored(3, n1.uuid, n1, *reason_in("without me")))
        told(ExplicitSuspicionReceived(n2, False, *reason_in("it names me as I was")))
        assert late.ask(observed)
        assert told_late.ask(observed)
        told(ViewIgnored(2, n1.uuid, n1, *reason_in("not newer")))
        told(ExplicitSuspicionReceived(n1, False, *reason_in("it names me as I was")))
        assert (late.ask(observed), told_late.ask(observed)) == (None, None)


def test_and_or_and_not_between_conditions_are_refused_for_they_would_drop_one() -> None:
    one, other = conditions.agree(["n1"]), conditions.suspects("n1", "n2")
    for joined in (lambda: one and other, lambda: one or other, lambda: not one):
        with pytest.raises(ScriptError, match="join conditions with & and \\|"):
            joined()


def test_a_list_that_has_not_come_yet_is_no_error() -> None:
    """In the real world a condition may be looked at between two events of one step."""
    observed = seen("n1 starts")
    observed.nodes["n1"].joined = True
    assert conditions.settled().ask(observed) == "n1 holds no list yet"
    assert conditions.agree(["n1"]).ask(observed) == "n1 holds v=0 [], wanted are n1"


@pytest.mark.parametrize("story", ["late-joiners", "fast-restart", "graceful-leave", "kill-the-master"])
def test_a_quick_look_at_what_was_in_the_way_never_says_no_where_all_agree(story: str) -> None:
    """And it spares most of the asking."""
    (script,) = (each for each in scripts_of_ours() if each.name == story)
    records = run_simulated(script, Options("sim")).records
    names = [record.event.peer for record in records if isinstance(record.event, NodeNamed)]
    held = 0
    for asked in (names, names[1:], names[:-1]):
        observed, waited = Observed(), conditions.agree(asked)
        astray, quick = 0, 0
        for record in records:
            observed.apply(record)
            if not observed.nodes.keys() >= {*asked}:
                continue
            why_not = conditions.agree(asked).ask(observed)
            held, astray = held + (why_not is None), astray + (why_not is not None)
            if waited.still_not(observed):
                quick += 1
                assert why_not is not None
            else:
                assert waited.ask(observed) == why_not
        assert quick > astray // 2
    assert held
