"""The solver of the check "best clique" answers as trying everything does; and what is too much for it, it says."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.notation.notation import history_of, member

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.clique import fewest_leave as solver
from shaketable.harness.checks.clique.fewest_leave import TooMuchWork, fewest_leave
from shaketable.harness.checks.registry import run_checks
from shaketable.harness.history.history import History
from shaketable.node.config import DEFAULT
from shaketable.node.messages import Member

Numbers = tuple[int, int]


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[Member], list[Numbers], list[int]]:
    """Up to ten members, some of them lite, some pairs of them, the master's among them, and how much they hold."""
    many = draw(st.integers(2, 10))
    lite = draw(st.lists(st.booleans(), min_size=many, max_size=many))
    members = [member(f"n{number + 1}{'~' if lite[number] else ''}") for number in range(many)]
    pairs = draw(st.lists(st.sampled_from(list(combinations(range(many), 2))), max_size=3 * many))
    replicas = draw(st.just([]) | st.lists(st.integers(0, 4), min_size=many, max_size=many))
    return members, [pair if draw(st.booleans()) else pair[::-1] for pair in pairs], replicas


def by_trying_all(members: list[Member], broken: list[Numbers], replicas: list[int]) -> list[int]:
    """Of all that have no broken pair in them and the master: the most, the most data members, the most replicas, and
    the first by place."""
    several = range(len(members))
    best: tuple[int, int, int, list[int]] | None = None
    for size in range(len(members), 0, -1):
        for stay in combinations(several, size):
            if 0 not in stay or any(one in stay and other in stay for one, other in broken):
                continue
            data = sum(not members[place].lite for place in stay)
            answer = -size, -data, -sum(replicas[place] for place in stay) if replicas else 0, list(stay)
            best = answer if best is None else min(best, answer)
        if best is not None:
            return best[3]
    raise AssertionError("the master can always stay alone")


@settings(max_examples=400, deadline=None)
@given(questions())
def test_it_answers_as_trying_everything_does(question: tuple[list[Member], list[Numbers], list[int]]) -> None:
    members, broken, replicas = question
    stay = by_trying_all(members, broken, replicas)
    leave = fewest_leave(members, [(members[one].uuid, members[other].uuid) for one, other in broken], replicas)
    assert [m for m in members if m not in leave] == [members[place] for place in stay]


def test_pairs_racks_and_rings_of_a_hundred_are_little_work() -> None:
    members = [member(f"n{number}") for number in range(1, 101)]
    uuids = [m.uuid for m in members]
    pairs = [(uuids[place], uuids[place + 1]) for place in range(1, 99, 2)]
    assert fewest_leave(members, pairs, most_work=100) == tuple(members[2:100:2])
    racks = [(one, other) for one in uuids[1:50] for other in uuids[50:]]
    assert fewest_leave(members, racks, most_work=100) == tuple(members[1:50])
    ring = [(uuids[place], uuids[1 + place % 99]) for place in range(1, 100)]
    assert len(fewest_leave(members, ring, most_work=5000)) == 50


STORY = """
n1 installs v4 [n1 n2 n3 n4]
n1 is told by n3: suspects n2
n1 decides v4: n3 leaves (n3 suspects n2)
n1 installs v5 [n1 n2 n4]
"""


def test_a_decision_that_is_too_much_work_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooMuchWork):
        fewest_leave([member("n1"), member("n2"), member("n3")], [(member("n2").uuid, member("n3").uuid)], most_work=0)
    monkeypatch.setattr(solver, "MOST_WORK", 0)
    (result,) = run_checks(History(history_of(STORY)), Bounds(DEFAULT), ["best clique"])
    assert (result.status, result.count) == ("unknown", 0)
    assert result.notes == ("n1's decision about v4: too much work to judge",)
