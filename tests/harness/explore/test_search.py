"""The search finds every history that there is, and no more runs than it must; mistakes are found within seconds."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence

import pytest
from tests.lengths import LONG, NIGHT
from tests.planted.broken_claims import LearnsNothing, LooksOnce
from tests.planted.planted_tables import CommitsByItself, SourceCommitsAtOnce

from shaketable.chaos.small_worlds import (
    a_small_claim,
    a_small_claim_during_a_join,
    a_small_join,
    a_small_migration,
    a_small_removal,
)
from shaketable.harness.explore.search import COLLECTED, Search, Way, are_apart
from shaketable.harness.explore.shortest import failure_of, shortest
from shaketable.harness.explore.state import Name, States
from shaketable.harness.explore.task import Task, task_of
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.verdicts.verdict import RunVerdict
from shaketable.harness.worlds.sim.orders import FAULTS, Following, Kind, Order, Orders, Step
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.core.env import MILLISECOND

MOST = 100_000


def task(script: Script, lasts: int, latest: int, member: type[ClusterMember] | None = None, **budget: int) -> Task:
    """Times in milliseconds."""
    values = {} if member is None else {"own_member": f"{member.__module__}:{member.__qualname__}"}
    faults = {kind: budget.get(f"{kind}s", 0) for kind in FAULTS}
    options = Options(preset="fast", values=values)
    return task_of(script, options, faults, start=None, lasts=lasts * MILLISECOND, latest=latest * MILLISECOND)


def called(case: object) -> str | None:
    """A test has one name in all processes."""
    if not isinstance(case, Task):
        return None
    _, lasts, latest = case.window
    budget = [f"{many}-{kind}" for kind, many in case.budget.items() if many]
    member = [
        str(case.options.values[name]).rpartition(":")[2] for name in ("own_member",) if name in case.options.values
    ]
    return "-".join([case.script.name, str(lasts), str(latest), *budget, *member])


def history(finished: Finished) -> tuple[object, ...]:
    return tuple(sorted((r.time, r.node, r.incarnation, r.sequence, repr(r.event)) for r in finished.records))


class One(Way):
    """A run that takes the given choices, and then the first one each time."""

    def __init__(self, search: Search, choices: list[list[int]]) -> None:
        super().__init__(search)
        self.choices = choices

    def _one_of(self, possible: Sequence[Step], orders: Orders) -> Step:
        place = len(self.taken)
        if place == len(self.choices):
            self.choices.append([0, len(possible)])
        return possible[self.choices[place][0]]


def all_histories(of: Task) -> set[tuple[object, ...]]:
    """Each order of all, one after the other, without any thought of which are alike."""
    search, found = of.search(), set()
    choices: list[list[int]] = []
    while True:
        found.add(history(of.play(Orders(of.window, One(search, choices).choose))))
        while choices and choices[-1][0] + 1 == choices[-1][1]:
            choices.pop()
        if not choices:
            return found
        choices[-1][0] += 1


def found_histories(of: Task) -> tuple[set[tuple[object, ...]], Search]:
    found = set()

    def judge(finished: Finished) -> RunVerdict:
        found.add(history(finished))
        return of.judge(finished)

    search = Search(of.play, of.window, of.budget, judge)
    assert search.run(MOST)
    return found, search


@pytest.mark.parametrize(
    "of",
    [
        task(a_small_claim, 250, 0),
        task(a_small_removal, 300, 20),
        pytest.param(task(a_small_claim, 250, 10, kills=1), marks=[LONG, NIGHT]),
        pytest.param(task(a_small_claim, 350, 0, resets=1), marks=LONG),
        pytest.param(task(a_small_removal, 2, 1, cuts=1), marks=[LONG, NIGHT]),
    ],
    ids=called,
)
def test_it_finds_each_history_that_there_is(of: Task) -> None:
    found, search = found_histories(of)
    assert found == all_histories(of)
    assert search.found.unknown == 0


def test_two_steps_that_are_apart_leave_the_same_behind_in_either_order() -> None:
    of, pairs = task(a_small_join, 60, 25, resets=1, cuts=1), 0
    usual: list[Step] = []
    many: list[list[Step]] = []
    search = of.search()

    class Usual(Way):
        def _one_of(self, possible: Sequence[Step], orders: Orders) -> Step:
            many.append([*possible])
            usual.append(possible[0])
            return possible[0]

    of.play(Orders(of.window, Usual(search).choose))
    for place, possible in enumerate(many):
        for one in possible:
            for other in possible:
                if str(one) < str(other) and are_apart(one, other):
                    pairs += 1
                    two = [state_after(of, [*usual[:place], *each]) for each in ((one, other), (other, one))]
                    assert two[0] == two[1] or None in two, (one, other)
    assert pairs > 30


def state_after(of: Task, steps: list[Step]) -> Name | None:
    """None: the window was over before a fault that was to be the last."""
    names: list[Name] = []
    following = Following(Order(of.window, tuple(steps)))
    follow = following.choose
    taken = 0

    def choose(orders: Orders, possible: Sequence[Step]) -> Step | None:
        nonlocal taken
        if taken == len(steps):
            names.append(States(orders.world, orders).name())
        taken += 1
        return follow(orders, possible)

    following.choose = choose
    of.play(following)
    return names[0] if names else None


@pytest.mark.parametrize(
    ("of", "orders", "states"),
    [
        (task(a_small_removal, 500, 25), 4, 112),
        (task(a_small_claim, 500, 25), 8, 164),
        pytest.param(task(a_small_claim, 500, 25, kills=1), 210, 1325, marks=LONG),
        pytest.param(task(a_small_removal, 500, 25, kills=1), 86, 748, marks=LONG),
    ],
    ids=called,
)
def test_a_small_world_is_explored_whole(of: Task, orders: int, states: int) -> None:
    search = of.search()
    assert not search.glance()
    assert search.run(MOST)
    assert (search.found.orders, len(search.found.states), search.found.unknown) == (orders, states, 0)


def test_what_is_left_of_a_search_is_what_others_find() -> None:
    of = task(a_small_claim, 500, 10)
    whole = of.search()
    assert whole.run(MOST)
    first = of.search()
    assert not first.run(5)
    states, orders, left = first.found.states, first.found.orders, first.left()
    while left:
        part = of.search(left.pop(0), states)
        part.run(3)
        orders += part.found.orders
        for name, asleep in part.found.states.items():
            states[name] = asleep & states.get(name, asleep)
        left += part.left()
    assert set(states) == set(whole.found.states)
    assert orders == whole.found.orders


@pytest.mark.parametrize(
    ("of", "check", "words"),
    [
        (task(a_small_claim_during_a_join, 450, 25, LooksOnce, cuts=1), "claims", "cut:n1>n2"),
        (task(a_small_claim_during_a_join, 450, 25, LearnsNothing, cuts=1), "view agreement", "cut:n1>n2"),
        (task(a_small_migration, 500, 25, CommitsByItself), "commit order", ""),
        (task(a_small_migration, 500, 25, SourceCommitsAtOnce), "commit order", ""),
    ],
    ids=called,
)
def test_a_mistake_is_found_at_the_first_glance(of: Task, check: str, words: str) -> None:
    search = of.search()
    assert search.glance()
    assert search.found.failing is not None
    assert search.found.runs < 50
    failure = failure_of(of, search.found.failing)
    assert failure is not None
    assert failure.check == check
    assert " ".join(map(str, shortest(of, search.found.failing, failure).steps)) == words


def test_a_glance_plays_the_usual_order_first() -> None:
    of = task(a_small_removal, 300, 20)
    search = of.search()
    histories: list[object] = []
    play: Callable[[Orders], Finished] = search._play

    def played(orders: Orders) -> Finished:
        finished = play(orders)
        histories.append(history(finished))
        return finished

    search._play = played
    assert not search.glance()
    assert histories[0] == history(of.follow(Order(of.window)))
    assert len(set(histories)) > 1


def test_faults_are_tried_as_often_as_the_budget_says() -> None:
    of = task(a_small_removal, 120, 0, kills=1)
    search = of.search()
    kills: list[int] = []

    class Counted(Way):
        def _one_of(self, possible: Sequence[Step], orders: Orders) -> Step:
            kills.append(sum(step.kind is Kind.KILL for step in possible))
            return possible[-1]

    of.play(Orders(of.window, Counted(search).choose))
    assert max(kills) == 2, "of the two that still run"
    assert [many for many in kills if many] == [2], "one crashes, and no other does"


def test_what_the_process_has_simulated_before_has_no_part_in_the_names() -> None:
    of = task(a_small_removal, 300, 20)
    states = []
    for _ in range(2):
        search = of.search()
        assert search.run(MOST)
        states.append(set(search.found.states))
        run_simulated(a_small_migration, Options(preset="fast"))
    assert states[0] == states[1]


def test_the_worlds_of_runs_that_are_over_are_let_go() -> None:
    search = task(a_small_join, 500, 25).search()
    search.run(2 * COLLECTED)
    assert search.found.runs == 2 * COLLECTED
    assert sum(isinstance(each, SimWorld) for each in gc.get_objects()) <= COLLECTED
