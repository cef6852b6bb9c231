"""The decision who stays after a partial disconnection: the text's examples, the rule, and what the decision must not
depend on."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lengths import cases
from tests.node.cluster.cliques.cliques_by_hand import (
    Case,
    by_all_subsets,
    by_bron_and_kerbosch,
    case_by_chance,
    names,
    racks_by_chance,
)

from shaketable.node.cluster.cliques import Decision, Question, Resolution, Unclear, decide
from shaketable.node.cluster.cliques.listing import largest

PLENTY = 10**9


def decided(case: Case) -> Decision:
    decision = decide(case.members, case.broken, lite=case.lite, replicas=case.replicas)
    assert decision is not None, "there was no limit"
    return decision


def listed(case: Case, most: int = 1000) -> list[str]:
    listing = largest(Question(case.members, case.broken, case.lite, case.replicas), most, PLENTY)
    return [" ".join(answer) for answer in listing.answers]


# The text's examples

FIGURE_5 = Case(["N1", "N2", "N3", "N4"], [("N2", "N3"), ("N2", "N4"), ("N3", "N2"), ("N4", "N2")])
RACKS = Case(["A1", "A2", "B1", "B2", "C1", "C2"], [(b, c) for b in ("B1", "B2") for c in ("C1", "C2")])
AT_RANDOM = [("A1", "B1"), ("B2", "C1")]


def test_figure_5_keeps_two_rather_than_one() -> None:
    decision = decided(FIGURE_5)
    assert decision.stay == ("N1", "N3", "N4")
    assert decision.leave == ("N2",)
    question = Question(FIGURE_5.members, FIGURE_5.broken)
    assert question.cut_off("N2", decision.stay) == ("N3", "N4")
    assert question.groups() == [("N2", "N3", "N4")]


def test_racks_have_two_answers_and_the_older_rack_stays() -> None:
    assert listed(RACKS) == ["A1 A2 B1 B2", "A1 A2 C1 C2"]
    assert decided(RACKS).stay == ("A1", "A2", "B1", "B2")


def test_the_random_case_has_its_four_answers_under_a_seventh_member() -> None:
    case = Case(["M", *RACKS.members], AT_RANDOM)
    assert listed(case) == ["M A1 A2 B2 C2", "M A1 A2 C1 C2", "M A2 B1 B2 C2", "M A2 B1 C1 C2"]
    assert decided(case).stay == ("M", "A1", "A2", "B2", "C2")
    assert Question(case.members, case.broken).groups() == [("A1", "B1"), ("B2", "C1")]


def test_the_random_case_has_two_of_them_as_the_text_writes_it_with_a1_as_the_master() -> None:
    case = Case(RACKS.members, AT_RANDOM)
    assert listed(case) == ["A1 A2 B2 C2", "A1 A2 C1 C2"]
    assert decided(case).stay == ("A1", "A2", "B2", "C2")


# The rule


def test_nobody_leaves_when_nothing_is_broken() -> None:
    assert decided(Case(names(3), [])).stay == ("n1", "n2", "n3")
    assert decided(Case(["n1"], [])).stay == ("n1",)


def test_who_cannot_talk_to_the_master_leaves_even_if_the_master_alone_stays() -> None:
    case = Case(names(4), [("n1", "n2"), ("n3", "n1"), ("n1", "n4")])
    assert decided(case).stay == ("n1",)
    assert Question(case.members, case.broken).cut_off("n3", ["n1"]) == ("n1",)
    assert Question(case.members, case.broken).groups() == []


def test_equal_lists_because_of_the_master_takes_its_broken_pairs_along() -> None:
    case = Case(names(4), [("n2", "n1"), ("n2", "n3"), ("n2", "n4")])
    assert decided(case).leave == ("n2",)
    assert Question(case.members, case.broken).groups() == []


TIE = Case(names(4), [("n2", "n3")])


@pytest.mark.parametrize(
    ("lite", "replicas", "stays"),
    [
        ([], {}, "n2"),
        (["n2"], {}, "n3"),
        (["n2", "n3"], {}, "n2"),
        ([], {"n2": 3, "n3": 4}, "n3"),
        ([], {"n2": 4, "n3": 4}, "n2"),
        (["n2"], {"n2": 9, "n3": 1}, "n3"),
        (["n1", "n4"], {"n1": 7, "n3": 1}, "n3"),
    ],
)
def test_a_tie_goes_by_data_members_then_replicas_then_age(
    lite: list[str], replicas: dict[str, int], stays: str
) -> None:
    decision = decided(Case(TIE.members, TIE.broken, lite, replicas))
    assert stays in decision.stay
    assert len(decision.leave) == 1


def test_size_comes_before_all_the_rest() -> None:
    case = Case(names(4), [("n2", "n3"), ("n2", "n4")], lite=["n3", "n4"], replicas={"n2": 1000})
    assert decided(case).leave == ("n2",)


def test_the_oldest_in_which_two_answers_differ_stays_whatever_comes_after_it() -> None:
    path = [("n2", "n3"), ("n3", "n4"), ("n4", "n5"), ("n5", "n2")]
    assert decided(Case(names(5), path)).stay == ("n1", "n2", "n4")
    younger = [("n3", "n2"), ("n2", "n5"), ("n5", "n4"), ("n4", "n6"), ("n6", "n3")]  # a ring of five: two of them stay
    assert decided(Case(names(6), younger)).stay == ("n1", "n2", "n4")


# Against others


@cases(2_000, 10_000)
def test_cases_by_chance_have_the_answer_of_all_subsets(count: int) -> None:
    for seed in range(count):
        rng = random.Random(seed)
        count = rng.randint(1, 14)
        case = case_by_chance(rng, count, rng.randint(0, 3 * count), master=rng.random() < 0.3)
        assert list(decided(case).stay) == by_all_subsets(case)[0], f"seed {seed}: {case}"


@pytest.mark.parametrize("seed", range(40))
def test_larger_cases_have_the_answer_of_bron_and_kerbosch(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(15, 25)
    for case in (case_by_chance(rng, count, rng.randint(2, 5) * count), racks_by_chance(rng, count, 3, count)):
        assert list(decided(case).stay) == by_bron_and_kerbosch(case), case


@pytest.mark.parametrize("seed", range(60))
def test_the_listing_has_all_the_largest_answers_the_best_first(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(2, 10)
    case = case_by_chance(rng, count, rng.randint(0, 2 * count), master=rng.random() < 0.3)
    assert listed(case) == [" ".join(answer) for answer in by_all_subsets(case)]


def test_a_listing_that_is_cut_short_says_so_and_begins_with_those_that_keep_the_oldest() -> None:
    many = Case(names(21), [(f"n{i}", f"n{i + 1}") for i in range(2, 21, 2)])
    listing = largest(Question(many.members, many.broken), 3, PLENTY)
    assert not listing.complete
    assert listing.answers[0] == decided(many).stay
    assert len(listing.answers) == 3
    assert not largest(Question(many.members, many.broken), 3, 0).answers


# What it must not depend on


@st.composite
def questions(draw: st.DrawFn) -> Case:
    count = draw(st.integers(2, 30))
    rng = random.Random(draw(st.integers(0, 2**32)))
    return case_by_chance(rng, count, draw(st.integers(0, 3 * count)), master=draw(st.booleans()))


@given(questions(), st.randoms(use_true_random=False))
@settings(deadline=None)  # a busy machine is no fault
def test_the_order_of_the_pairs_their_ends_and_their_number_do_not_matter(case: Case, rng: random.Random) -> None:
    pairs = case.broken + [pair for pair in case.broken if rng.random() < 0.5]
    pairs = [pair if rng.random() < 0.5 else pair[::-1] for pair in pairs]
    rng.shuffle(pairs)
    assert decided(Case(case.members, pairs, case.lite, case.replicas)) == decided(case)


@given(questions())
@settings(deadline=None)
def test_who_stays_is_fully_connected_and_equal_lists_has_a_reason(case: Case) -> None:
    decision = decided(case)
    broken = {frozenset(pair) for pair in case.broken}
    assert decision.stay[0] == case.members[0]
    assert sorted((*decision.stay, *decision.leave), key=case.members.index) == case.members
    assert not [pair for pair in itertools.combinations(decision.stay, 2) if frozenset(pair) in broken]
    question = Question(case.members, case.broken)
    for name in decision.leave:
        others = [other for other in decision.stay if frozenset((name, other)) in broken]
        assert others
        assert list(question.cut_off(name, decision.stay)) == others


HARD = case_by_chance(random.Random(1), 100, 300)


@pytest.mark.parametrize("slice_of_work", [1, 100, 777, 10_000])
def test_a_decision_is_the_same_however_it_is_sliced(slice_of_work: int) -> None:
    resolution = Resolution(Question(HARD.members, HARD.broken, HARD.lite, HARD.replicas))
    slices = 1
    while resolution.step(slice_of_work):
        slices += 1
    assert resolution.decision == decided(HARD)
    assert slices > 1
    assert not resolution.step(slice_of_work), "done is done"


@pytest.mark.parametrize("slice_of_work", [1, 777, 10**9])
def test_a_budget_that_runs_out_does_so_at_the_same_work_however_it_is_sliced(slice_of_work: int) -> None:
    needed = decided(HARD).work
    spent = []
    for budget in (0, needed // 2, needed):
        resolution = Resolution(Question(HARD.members, HARD.broken, HARD.lite, HARD.replicas), budget)
        while resolution.step(slice_of_work):
            assert not resolution.done
        assert resolution.done
        assert (resolution.decision is None) == (budget < needed)
        spent.append(resolution.work)
    whole = Resolution(Question(HARD.members, HARD.broken, HARD.lite, HARD.replicas), needed // 2)
    assert not whole.step(PLENTY)
    assert spent[1] == whole.work
    assert needed // 2 < spent[1] < needed == spent[2]


def test_no_decision_without_a_budget_for_it() -> None:
    assert decide(HARD.members, HARD.broken, budget=1000) is None
    assert decide(names(3), [], budget=0) is not None, "nothing to do is not too much"


@pytest.mark.parametrize(
    ("case", "complaint"),
    [
        (Case([], []), "names each member once, the master first"),
        (Case(["n1", "n2", "n1"], []), "names each member once, the master first"),
        (Case(["n1"], [("n1", "n9")]), "n9 is not in the member list"),
        (Case(["n1"], [("n1", "n1")]), "n1 cannot have a broken pair with itself"),
        (Case(["n1"], [], ["n7"]), "n7 is not in the member list"),
        (Case(["n1"], [], [], {"n8": 1}), "n8 is not in the member list"),
        (Case(["n1"], [], [], {"n1": -1}), "n1 cannot hold -1 replicas"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_one_sentence(case: Case, complaint: str) -> None:
    with pytest.raises(Unclear, match=complaint):
        Question(case.members, case.broken, case.lite, case.replicas)
