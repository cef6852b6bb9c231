"""Conditions answer with the reason why they do not hold: the cases are in tests/data/conditions.txt."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.notation import Case, cases, history_of

from shaketable.harness import conditions
from shaketable.harness.conditions import Condition
from shaketable.harness.errors import ScriptError
from shaketable.harness.observed import Observed

DATA = Path(__file__).parent.parent / "data" / "conditions.txt"
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
    made = getattr(conditions, name)(*arguments)
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


def test_and_or_and_not_between_conditions_are_refused_for_they_would_drop_one() -> None:
    one, other = conditions.agree(["n1"]), conditions.suspects("n1", "n2")
    for joined in (lambda: one and other, lambda: one or other, lambda: not one):
        with pytest.raises(ScriptError, match="join conditions with &"):
            joined()


def test_a_list_that_has_not_come_yet_is_no_error() -> None:
    """In the real world a condition may be looked at between two events of one step."""
    observed = seen("n1 starts")
    observed.nodes["n1"].joined = True
    assert conditions.settled().ask(observed) == "n1 holds no list yet"
    assert conditions.agree(["n1"]).ask(observed) == "n1 holds v=0 [], wanted are n1"
