"""Hands can do what a script can do: each verb and each of its parameters, or it is said here why not."""

from __future__ import annotations

import inspect
from typing import Final

import pytest

from shaketable.harness.faults.parameters import ONE_WAY
from shaketable.harness.scripting.cluster import Cluster
from shaketable.tui.model.hands.calls import BY_VERB, HEAL, OF_A_LINK, OF_A_NODE

FORMED: Final = "the cluster has formed when hands come to it, and `start` adds nodes"
WAITS: Final = "it waits, and a hand waits by looking"
VERBS_OF_SCRIPTS_ALONE: Final = {
    "form": FORMED,
    "form_at_once": FORMED,
    "join": "it is `start`, and then it waits",
    "after_start": "it takes a function",
    "inject": "each fault is an entry of the menu by its own name",
    "together": "hands do not wait: what they ask for goes on at once anyway",
    "expect": "the checks judge a session; what else must hold is for a script to say",
    "always": "likewise",
    **dict.fromkeys(("sleep", "calm", "until", "until_held", "until_worked"), WAITS),
}
PARAMETERS_OF_SCRIPTS_ALONE: Final = {
    "within": "a script that waits for ever says nothing; a hand sees for itself",
    "patience": "likewise",
    "wait": "a hand never waits",
    "slices": "in the simulator pieces do nothing, and real ones of the usual size do it all",
}


def verbs() -> dict[str, inspect.Signature]:
    found = inspect.getmembers(Cluster, inspect.isfunction)
    return {name: inspect.signature(verb) for name, verb in found if not name.startswith("_")}


def of_hands(verb: str) -> set[str]:
    """The parameters that a hand gives, and those that say to whom it is done."""
    deed, taken = BY_VERB[verb], [*verbs()[verb].parameters.values()][1:]
    whom = {OF_A_LINK: 2, OF_A_NODE: 0 if deed.of_sender else 1}.get(deed.of, 0)
    several = [each.name for each in taken if each.kind is each.VAR_POSITIONAL]
    named = {each.name for each in taken[:whom]} | {*several} | ({"sender"} if deed.of_sender else set())
    return named | {each.name for each in deed.parameters} | ({ONE_WAY} if deed.one_way else set())


def test_each_verb_is_done_by_hand_or_it_is_said_why_not() -> None:
    by_hand = {HEAL, *BY_VERB}
    assert set(verbs()) - by_hand == set(VERBS_OF_SCRIPTS_ALONE)
    assert all(VERBS_OF_SCRIPTS_ALONE.values())


@pytest.mark.parametrize("verb", sorted(set(verbs()) & set(BY_VERB)))
def test_each_parameter_is_given_by_hand_or_it_is_said_why_not(verb: str) -> None:
    taken = set(verbs()[verb].parameters) - {"self"}
    assert taken - of_hands(verb) <= set(PARAMETERS_OF_SCRIPTS_ALONE)


def test_no_reason_is_left_over() -> None:
    missing = {name for verb in set(verbs()) & set(BY_VERB) for name in verbs()[verb].parameters} - {"self"}
    missing -= {name for verb in set(verbs()) & set(BY_VERB) for name in of_hands(verb)}
    assert missing == set(PARAMETERS_OF_SCRIPTS_ALONE)
