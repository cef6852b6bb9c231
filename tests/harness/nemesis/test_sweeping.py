"""A sweep comes to each kind of message, each event and each kind of deed, and mostly to the oldest nodes."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from tests.harness.nemesis.climates import STORIES

from shaketable.harness.faults.verb import EVENT, LINK, MESSAGE, NODE, STARTED_AGAIN
from shaketable.harness.nemesis.course import Course
from shaketable.harness.nemesis.deeds import AT_ONCE, KINDS, WORK
from shaketable.harness.nemesis.drawing import draw
from shaketable.harness.nemesis.mutating import mended, mutated
from shaketable.harness.nemesis.options import MESSAGES, POINTS, services_of
from shaketable.harness.nemesis.plan import Deed, Plan
from shaketable.harness.nemesis.sweeping import OF_A_TURN, sweep
from shaketable.node.core.env import SECOND

SIZE = sum(OF_A_TURN.values())
TWO = ("the first", "the second")
"""that go soon after each other"""


def swept(story: str, turns: int) -> tuple[Plan, list[Deed]]:
    climate, settings = STORIES[story]
    plan, verbs = draw(climate, settings, 1), list(climate.weights)
    chance = random.Random(1)
    return plan, [deed for turn in range(turns) for deed in sweep(plan, verbs, settings, turn, chance)]


@pytest.mark.parametrize("story", STORIES)
def test_it_comes_to_all_there_is(story: str) -> None:
    climate, settings = STORIES[story]
    plan, deeds = swept(story, 200)
    services = services_of(settings, data=any(deed.verb == WORK for deed in plan.deeds))
    for waits_for, kinds, word in ((MESSAGE, MESSAGES, "kind"), (EVENT, POINTS, "event")):
        verbs = [verb for verb in climate.weights if KINDS[verb].comes_upon == waits_for]
        wanted = {(verb, value) for verb in verbs for service in services for value in kinds[service]}
        assert {(d.verb, d.options[word]) for d in deeds if d.verb in verbs} == wanted
    others = {verb for verb in climate.weights if KINDS[verb].of in (LINK, NODE) and not KINDS[verb].comes_upon}
    assert {d.verb for d in deeds if not KINDS[d.verb].comes_upon} == others - set(AT_ONCE)
    assert len(deeds) == 200 * (SIZE + len(TWO))


@pytest.mark.parametrize("story", STORIES)
def test_neighbouring_turns_have_other_deeds_and_the_same_turn_the_same(story: str) -> None:
    _, deeds = swept(story, 2)
    assert deeds == swept(story, 2)[1]
    waiting = [(d.verb, d.options.get("kind")) for d in deeds if KINDS[d.verb].comes_upon == MESSAGE]
    assert len(set(waiting)) == len(waiting) == 2 * OF_A_TURN[MESSAGE]


def test_two_go_one_soon_after_the_other_and_mostly_the_oldest_is_among_them() -> None:
    _, settings = STORIES["parts"]
    plan, deeds = swept("parts", 100)
    pairs = [deeds[first : first + 2] for first in range(0, len(deeds), SIZE + 2)]
    assert len(pairs) == 100
    for first, second in pairs:
        assert KINDS[first.verb].ends == KINDS[second.verb].ends == STARTED_AGAIN
        assert first.on != second.on
        assert first.at <= second.at <= min(plan.storm, first.at + settings.heartbeat_timeout)
    assert {(first.verb, second.verb) for first, second in pairs} == {
        (one, other) for one in ("kill", "leave") for other in ("kill", "leave")
    }
    assert 60 < sum("n1" in (*first.on, *second.on) for first, second in pairs) < 95


def test_it_is_mostly_done_to_who_is_the_oldest_then() -> None:
    _, settings = STORIES["parts"]
    storm, nodes = 100 * SECOND, ("n1", "n2", "n3", "n4")
    ends = Deed(storm // 2, "kill", ("n1",), (), SECOND)
    plan = Plan(family="cluster", nodes=nodes, deeds=(ends,), storm=storm, ending="each part settles")
    chance = random.Random(1)
    deeds = [deed for turn in range(50) for deed in sweep(plan, ["drop", "delay"], settings, turn, chance)]
    before, after = (Counter(deed.on[0] for deed in deeds if (deed.at < ends.at) == early) for early in (True, False))
    assert [name for name, _ in before.most_common()] == ["n1", "n2", "n3", "n4"]
    assert after.most_common()[0][0] == "n2"
    assert after["n1"] < after["n3"]


@pytest.mark.parametrize("story", STORIES)
def test_a_plan_with_a_sweep_is_a_plan_of_its_climate(story: str) -> None:
    climate, settings = STORIES[story]
    plans = [draw(climate, settings, seed) for seed in range(12)]
    more = 0
    for turn, plan in enumerate(plans):
        changed = mutated(plan, plans, settings, "seed", turn)
        course = Course(changed.nodes, changed.awake)
        assert all(course.takes(deed) for deed in changed.deeds)
        assert changed == mended(changed)
        assert set(changed.kinds) <= set(climate.weights)
        more += len(changed.deeds) - len(mutated(plan, plans, settings, "seed").deeds)
    assert more > 12 * OF_A_TURN[MESSAGE] / 2


def test_what_no_plan_of_the_climate_does_is_not_swept() -> None:
    _, settings = STORIES["parts"]
    plan, _ = swept("parts", 1)
    assert sweep(plan, ["kill"], settings, 3, random.Random(1))
    assert {deed.verb for deed in sweep(plan, ["kill", "drop"], settings, 3, random.Random(1))} == {"kill", "drop"}
    assert sweep(plan, ["load", "split"], settings, 3, random.Random(1)) == []
