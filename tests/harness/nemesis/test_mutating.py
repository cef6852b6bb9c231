"""A changed plan is a plan as drawing makes it, and is the same whoever makes it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from tests.harness.nemesis.climates import STORIES

from shaketable.harness.nemesis.course import Course
from shaketable.harness.nemesis.deeds import AT_ONCE, JOIN, KINDS, moments_of
from shaketable.harness.nemesis.drawing import draw
from shaketable.harness.nemesis.mutating import MOST_DEEDS, is_of_the_beginning, mended, mutated
from shaketable.harness.nemesis.plan import Deed, Plan, from_json, to_json
from shaketable.node.core.env import MILLISECOND, SECOND

SEEDS = range(30)
STEPS = 8


def drawn(story: str) -> list[Plan]:
    climate, settings = STORIES[story]
    return [draw(climate, settings, seed) for seed in SEEDS]


def descendants(story: str) -> Sequence[Plan]:
    """Of each plan one that was changed many times."""
    _, settings = STORIES[story]
    plans = drawn(story)
    for step in range(STEPS):
        plans = [mutated(plan, plans, settings, f"{step} {place}") for place, plan in enumerate(plans)]
    return plans


@pytest.mark.parametrize("story", STORIES)
def test_a_drawn_plan_needs_no_mending(story: str) -> None:
    plans = drawn(story)
    assert [mended(plan) for plan in plans] == plans


@pytest.mark.parametrize("story", STORIES)
def test_the_same_seed_makes_the_same_change_and_each_makes_another_one(story: str) -> None:
    _, settings = STORIES[story]
    plans = drawn(story)
    changed = [mutated(plans[0], plans[1:], settings, f"{seed}") for seed in SEEDS]
    assert changed == [mutated(plans[0], plans[1:], settings, f"{seed}") for seed in SEEDS]
    assert plans[0] not in changed
    assert len({to_json(plan) for plan in changed}) == len(SEEDS)


@pytest.mark.parametrize("story", STORIES)
def test_what_comes_out_is_a_plan_of_the_same_climate(story: str) -> None:
    climate, settings = STORIES[story]
    for plan in descendants(story):
        assert from_json(to_json(plan)) == plan == mended(plan)
        assert (plan.family, plan.ending, plan.awake) == (settings.family, climate.ending, climate.awake)
        assert climate.nodes[0] <= len(plan.nodes) <= climate.nodes[1]
        assert set(plan.kinds) <= {verb for verb, weight in climate.weights.items() if weight}
        assert len(plan.deeds) <= MOST_DEEDS + len(climate.always) + len(AT_ONCE)
        assert [deed.at for deed in plan.deeds] == sorted(deed.at for deed in plan.deeds)
        assert all(time >= 0 and time % MILLISECOND == 0 for deed in plan.deeds for time in (deed.at, deed.lasts or 0))
        assert all(moment.at <= plan.storm for moment in moments_of(plan))


@pytest.mark.parametrize("story", STORIES)
def test_each_deed_can_be_done_and_enough_stay_awake(story: str) -> None:
    for plan in descendants(story):
        course = Course(plan.nodes, plan.awake)
        for deed in plan.deeds:
            if deed.verb == JOIN:
                assert deed.on == (course.next_name,)
            assert course.takes(deed), deed
            assert len(course.standing(deed.at).awake) >= plan.awake
            for name in KINDS[deed.verb].by_name():
                value = deed.options.get(name)
                assert value is None or isinstance(value, str | int | bool)


def test_what_a_plan_does_at_once_stays() -> None:
    climate, _ = STORIES["data"]
    for plan in descendants("data"):
        begins = [deed.verb for deed in plan.deeds if is_of_the_beginning(deed)]
        assert begins == list(climate.always)


def test_all_that_can_be_changed_is_changed_now_and_then() -> None:
    """Times, targets, how long, values, one deed fewer or more, and deeds of other plans."""
    _, settings = STORIES["parts"]
    plans = drawn("parts")
    plan, others = plans[0], [other for other in plans[1:] if set(other.kinds) - set(plans[0].kinds)]
    changed = [mutated(plan, others, settings, f"{seed}") for seed in range(400)]
    fewer = sum(len(each.deeds) < len(plan.deeds) for each in changed)
    more = sum(len(each.deeds) > len(plan.deeds) for each in changed)
    taken_over = sum(bool(set(each.kinds) - set(plan.kinds)) for each in changed)
    another_storm = sum(each.storm != plan.storm for each in changed)
    as_many = [each for each in changed if len(each.deeds) == len(plan.deeds)]

    def differ(of: str) -> int:
        return sum(
            sorted(str(getattr(deed, of)) for deed in each.deeds)
            != sorted(str(getattr(deed, of)) for deed in plan.deeds)
            for each in as_many
        )

    counts = [fewer, more, taken_over, another_storm, *map(differ, ("at", "on", "lasts", "options"))]
    assert min(counts) >= 10, counts


def test_a_plan_is_mended_by_leaving_out_what_cannot_be_done() -> None:
    kill = Deed(SECOND, "kill", ("n1",))
    again = msgspec.structs.replace(kill, at=2 * SECOND)
    one_too_many = Deed(3 * SECOND, "pause", ("n2",))
    stranger = Deed(4 * SECOND, "cut", ("n2",), ("n9",))
    joins = Deed(5 * SECOND, "join", ("n8",))
    to_it = Deed(6 * SECOND, "split", ("n2", "n5", "n8"), ("n3", "n9"))
    deeds = (to_it, kill, again, one_too_many, stranger, joins)
    plan = Plan(family="cluster", nodes=("n1", "n2", "n3", "n4"), deeds=deeds, storm=SECOND, ending="each part settles")
    named = msgspec.structs.replace(joins, on=("n5",))
    parted = msgspec.structs.replace(to_it, on=("n2", "n5"), to=("n3",))
    assert mended(plan).deeds == (kill, named, parted)
    assert mended(plan).storm == parted.at


def test_of_a_plan_without_deeds_one_is_made_of_others() -> None:
    _, settings = STORIES["parts"]
    plans = drawn("parts")
    empty = msgspec.structs.replace(plans[0], deeds=())
    assert mutated(empty, plans, settings, "1").deeds
    assert mutated(empty, [], settings, "1") == empty
