"""How waves are cut into portions: by time on this machine, while which runs there are hangs on nothing of it."""

from __future__ import annotations

import random
from collections import deque

import pytest
from tests.harness.pipeline.campaigns.campaigns import asked

from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.portions import A_TASK, FIRST, MOST, Cutter, Portion
from shaketable.harness.pipeline.campaigns.steering import Reached
from shaketable.harness.pipeline.campaigns.waves import Asked, Planner

pytestmark = pytest.mark.spark  # what makes the cases knows its packages
SECOND = 1_000_000
ASKED = asked("form", "kill-the-master", "storm", runs=200, variants=["as written", "fast"], wave=40)


def reached_by(case: Case) -> list[str]:
    return [f"mark {case.seed % 3}"] * (case.script != "form")


def over(portion: Portion, planner: Planner, wave: Reached) -> Reached:
    """What a campaign does with one. The wave that is under way then."""
    for task in portion.tasks:
        for case in task:
            wave.add(case.script, reached_by(case))
    if not portion.ends_a_wave:
        return wave
    planner.over(wave)
    return Reached()


def cut(what: Asked, cores: int, pace: int, ahead: int = 3) -> list[Portion]:
    """By a machine of so many cores, on which a run takes about so many micros."""
    planner, chance = Planner(what), random.Random(pace)
    cutter, wave = Cutter(planner, what.runs, lambda: cores), Reached()
    under_way, found = deque[Portion](), list[Portion]()
    while True:
        while len(under_way) < ahead and (portion := cutter.next()) is not None:
            under_way.append(portion)
        if not under_way:
            return found
        portion = under_way.popleft()
        found.append(portion)
        cutter.learn(portion.runs, portion.runs * chance.randrange(pace, 2 * pace))
        wave = over(portion, planner, wave)


def cases(portions: list[Portion]) -> list[Case]:
    return [case for portion in portions for task in portion.tasks for case in task]


@pytest.mark.parametrize("cores", [1, 2, 7, 300])
@pytest.mark.parametrize("pace", [1_000, SECOND // 10, 20 * SECOND])
def test_the_runs_and_their_order_are_those_of_the_plan_on_every_machine(cores: int, pace: int) -> None:
    portions = cut(ASKED, cores, pace)
    assert cases(portions) == cases(cut(ASKED, 2, SECOND, ahead=1))
    assert [case.number for case in cases(portions)] == [*range(200)]
    assert [portion.first for portion in portions] == [portion.tasks[0][0].number for portion in portions]
    ends = [portion.first + portion.runs for portion in portions if portion.ends_a_wave]
    assert ends == [40, 80, 120, 160, 200], "no portion has runs of two waves"
    assert all(len(portion.tasks) <= cores for portion in portions)


def cutter_of(runs: int, cores: int = 2) -> Cutter:
    what = asked("form", runs=runs, wave=runs)
    return Cutter(Planner(what), runs, lambda: cores)


def first_task(cutter: Cutter) -> int:
    portion = cutter.next()
    assert portion is not None
    return len(portion.tasks[0])


def test_a_task_has_few_runs_until_it_is_known_how_long_they_take() -> None:
    cutter = cutter_of(10_000)
    assert [first_task(cutter), first_task(cutter)] == [FIRST, FIRST]
    cutter.learn(8, 8 * SECOND // 5)
    assert first_task(cutter) == A_TASK // (SECOND // 5)
    for _ in range(20):
        cutter.learn(100, 100)
    assert first_task(cutter) == MOST
    for _ in range(40):
        cutter.learn(1, 60 * SECOND)
    assert first_task(cutter) == 1


def test_at_the_end_tasks_get_smaller_so_that_no_core_waits_for_a_long_one() -> None:
    cutter = cutter_of(100)
    cutter.learn(1, 1)
    sizes = []
    while (portion := cutter.next()) is not None:
        sizes.append([len(task) for task in portion.tasks])
    assert sum(map(sum, sizes)) == 100
    assert sizes[0] == [25, 25]
    assert max(sizes[-1]) <= FIRST
    assert sizes == sorted(sizes, reverse=True)


def test_cores_that_come_later_get_work_as_soon_as_they_are_there() -> None:
    """A standalone cluster has none yet when its driver begins."""
    there = iter([0, 2, 1000, 1000])
    what = asked("form", runs=100_000, wave=100_000)
    cutter = Cutter(Planner(what), 100_000, lambda: next(there))
    cutter.learn(1, SECOND)
    portions = [cutter.next() for _ in range(4)]
    assert [len(portion.tasks) for portion in portions if portion] == [1, 2, 1000, 1000]


def test_what_is_kept_already_is_passed_over() -> None:
    what = asked("form", "storm", runs=30, wave=10)
    planner = Planner(what)
    cutter, whole = Cutter(planner, 30, lambda: 1), cases(cut(what, 1, SECOND))
    assert cutter.passed_over(0) is None
    assert cutter.passed_over(11) is None, "no batch has runs of two waves"
    wave = Reached()
    for runs, first, ends in ((7, 0, False), (3, 7, True), (4, 10, False)):
        portion = cutter.passed_over(runs)
        assert portion is not None
        assert (portion.first, portion.runs, portion.ends_a_wave) == (first, runs, ends)
        wave = over(portion, planner, wave)
    rest = cutter.next()
    assert rest is not None
    assert [*rest.tasks[0]] == whole[14 : 14 + FIRST]
