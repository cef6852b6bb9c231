"""Shrinking finds what a failure needs and no more, ends by itself, and does not end with another failure."""

from __future__ import annotations

import pytest
from tests.harness.nemesis.climates import OFF

from shaketable.chaos.storms.nemesis import PARTS
from shaketable.harness.nemesis.drawing import draw
from shaketable.harness.nemesis.failing import Failure, Played
from shaketable.harness.nemesis.plan import Deed, Plan
from shaketable.harness.nemesis.shrinking import shrink, size_of, units_of
from shaketable.harness.nemesis.weight import weight_of
from shaketable.node.core.env import SECOND

UNITS = units_of(OFF)


def test_of_forty_deeds_two_are_left_if_two_are_needed() -> None:
    """Needed are a black hole of two nodes for at least 20 s, and, later, a crash."""
    noise = [deed for deed in draw(PARTS, OFF, 7).deeds if deed.verb not in ("kill", "crash_at", "leave", "blackhole")]
    hole = Deed(31_234_000, "blackhole", ("n2",), ("n3",), 47_123_000, {"one_way": True})
    crash = Deed(99_777_000, "kill", ("n4",), (), 61_003_000)
    deeds = tuple(sorted([*(noise * 3)[:38], hole, crash], key=lambda deed: deed.at))
    nodes = tuple(f"n{n}" for n in range(1, 7))
    plan = Plan(family="cluster", nodes=nodes, deeds=deeds, storm=400 * SECOND, ending="each part settles")

    def ask(plan: Plan) -> Played:
        holes = [d for d in plan.deeds if d.verb == "blackhole" and plan.ends(d) - d.at >= 20 * SECOND]
        crashes = [d for d in plan.deeds if d.verb == "kill" and any(d.at > hole.at for hole in holes)]
        return Played(bool(crashes), left_out=tuple(n for n, d in enumerate(plan.deeds) if d.verb == "reset"))

    assert len(plan.deeds) == 40
    assert ask(plan).failed
    found = shrink(plan, ask, OFF)
    assert not found.given_up
    assert found.plan.deeds == (Deed(0, "blackhole", ("n2",), ("n3",)), Deed(5 * SECOND, "kill", ("n4",)))
    assert found.plan.nodes == ("n2", "n3", "n4")
    assert found.plan.storm == 20 * SECOND
    assert found.runs < 150


def test_nothing_is_needed_if_all_fails_and_it_ends_by_itself() -> None:
    for seed in range(5):
        found = shrink(draw(PARTS, OFF, seed), lambda plan: Played(True), OFF)
        assert (found.plan.deeds, len(found.plan.nodes), found.plan.storm) == ((), 2, 0)


def test_whatever_is_asked_about_is_lighter_than_what_failed_last_and_asked_once() -> None:
    plan = draw(PARTS, OFF, 3)
    best, asked = [plan], []

    def ask(candidate: Plan) -> Played:
        assert weight_of(candidate, UNITS) < weight_of(best[-1], UNITS)
        assert candidate not in asked
        asked.append(candidate)
        failed = len(candidate.deeds) * 7 % 3 != 1 and any(deed.verb == plan.deeds[4].verb for deed in candidate.deeds)
        if failed:
            best.append(candidate)
        return Played(failed)

    found = shrink(plan, ask, OFF)
    assert (found.plan, found.runs) == (best[-1], len(asked))
    assert shrink(found.plan, lambda candidate: Played(candidate in best), OFF).plan == found.plan


def test_after_so_many_runs_it_says_that_it_gave_up() -> None:
    plan = draw(PARTS, OFF, 3)
    found = shrink(plan, lambda candidate: Played(False), OFF, most=5)
    assert (found.plan, found.runs, found.given_up) == (plan, 5, True)
    assert size_of(plan).startswith(f"{len(plan.deeds)} deeds, {len(plan.nodes)} nodes")


@pytest.mark.parametrize(
    ("said", "alike"),
    [
        ("n4 installs v9 [n1 n4], and within 3 s of calm n1 neither installs it nor is excluded.", True),
        ("n2 goes over and leaves 3 partitions that it owns, 2, 3, 6.", False),
    ],
)
def test_the_same_check_in_like_words_is_the_same_failure(said: str, alike: bool) -> None:
    failure = Failure(
        "view agreement",
        "n1 installs v7 [n1 n2 n3], and within 310.050 s of calm n3 neither installs it nor is excluded.",
    )
    assert failure.is_like(said) is alike
