"""Schedules: in which order messages of different links arrive, how long they take, and that a link keeps its order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from tests.chaos.played import PARAMETERS, SCRIPTS
from tests.harness.worlds.sim.sim_helpers import Stage
from tests.lengths import LONG, mostly_by_night

from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.worlds.sim.schedules import LONGEST, SHORTEST, Schedule
from shaketable.node.config import DEFAULT, RANKED, USUAL, VARYING
from shaketable.node.core.env import MILLISECOND, SECOND

UNUSUAL = [VARYING, RANKED]


def stage(how: str, seed: int, changes: int = 0) -> Stage:
    return Stage("a", "b", "c", seed=seed, settings=DEFAULT.with_values({"schedule": how, "schedule_changes": changes}))


def first_of_two(how: str, seed: int) -> Iterator[str]:
    """a and b send to c at one moment, ten times: whose message came first?"""
    here = stage(how, seed)
    for number in range(10):
        here.send("a", "c", number)
        here.send("b", "c", 100 + number)
        here.run(SECOND)
        yield "a" if here.said("c")[0] == f"heartbeat {number}" else "b"


@pytest.mark.parametrize(
    ("how", "is_so"),
    [
        (USUAL, lambda firsts: len(set(firsts)) == 1),
        (VARYING, lambda firsts: len(set(firsts)) == 2),
        (RANKED, lambda firsts: len(set(firsts)) == 1),
    ],
)
def test_who_comes_first_hangs_on_the_message_or_on_the_link(how: str, is_so: Callable[[list[str]], bool]) -> None:
    """Of varying delays each draws anew; of ranked links one is the faster one, unless both have one rank."""
    found = [list(first_of_two(how, seed)) for seed in range(12)]
    assert sum(map(is_so, found)) >= 8, found
    assert {first for firsts in found for first in firsts} == {"a", "b"}


@pytest.mark.parametrize("how", [USUAL, *UNUSUAL])
@pytest.mark.parametrize("seed", range(5))
def test_a_link_keeps_its_order(how: str, seed: int) -> None:
    here = stage(how, seed, changes=5)
    for number in range(60):
        here.send("a", "b", number)
        here.run(300)
    here.run(SECOND)
    assert here.said("b") == [f"heartbeat {number}" for number in range(60)]


def delays(how: str, count: int = 300) -> list[int]:
    here = stage(how, 3)
    sent = []
    for number in range(count):
        sent.append(here.world.time)
        here.send("a", "b", number)
        here.run(SECOND)
    return [came - left for came, left in zip(here.when("b"), sent, strict=True)]


def test_varying_delays_lie_in_every_decade_alike() -> None:
    found = delays(VARYING)
    assert min(found) >= SHORTEST
    assert max(found) <= LONGEST
    for least, most in ((SHORTEST, MILLISECOND), (MILLISECOND, 10 * MILLISECOND)):
        assert 90 < sum(least <= delay < most for delay in found) < 180


def test_usual_delays_are_nearly_constant() -> None:
    found = delays(USUAL)
    assert max(found) < 1.3 * min(found)


def test_a_change_makes_the_link_of_that_message_the_last_one() -> None:
    """By what it draws: from the change on it is slow for good, and none before it was slower."""
    for seed in range(20):
        schedule = Schedule(seed, DEFAULT.with_values({"schedule": RANKED, "schedule_changes": 1}))
        paces = [schedule.pace(random.Random(f"{seed}/{number}")) for number in range(6)]
        drawn = [[pace.draw() for pace in paces] for _ in range(20_000)]
        slow = [sum(each > 0.89 for each in row) for row in drawn]
        assert all(before <= after <= before + 1 for before, after in pairwise(slow))
        assert slow[-1] - slow[0] <= 1


@pytest.mark.parametrize("how", UNUSUAL)
def test_the_same_seed_gives_the_same_history_and_another_schedule_another_one(how: str) -> None:
    def played(schedule: str) -> str:
        options = Options(seed=4, values={"schedule": schedule})
        return History(run_simulated(SCRIPTS["kill-the-master"], options).records).hash

    assert played(how) == played(how)
    assert len({played(each) for each in (USUAL, VARYING, RANKED)}) == 3


@pytest.mark.parametrize("how", UNUSUAL)
def test_real_messages_have_no_schedule(how: str) -> None:
    with pytest.raises(UserError, match=f"schedule = {how}: real messages take what they take"):
        Options("real", values={"schedule": how}).settings(SCRIPTS["form"])


@pytest.mark.parametrize(
    ("place", "name"),
    mostly_by_night(
        5,
        (
            pytest.param(place, name, id=name, marks=[*each.marks, LONG])
            for place, (name, each) in enumerate(PARAMETERS.items())
        ),
    ),
)
def test_every_story_passes_under_a_schedule(place: int, name: str) -> None:
    """Of the two one, in turn: campaigns play both."""
    how = UNUSUAL[place % len(UNUSUAL)]
    verdict = judged(run_simulated(SCRIPTS[name], Options(seed=1, values={"schedule": how})), story=False)
    assert (verdict.outcome, verdict.reasons) == ("passed", ()), how


@pytest.mark.parametrize("how", UNUSUAL)
@pytest.mark.parametrize("name", ["a-long-queue", "a-write-waits-for-a-thin-link"])
@pytest.mark.parametrize("seed", range(1, 4))
def test_nothing_is_to_hold_always_before_a_joiner_has_its_list(name: str, how: str, seed: int) -> None:
    verdict = judged(run_simulated(SCRIPTS[name], Options(seed=seed, values={"schedule": how})), story=False)
    assert (verdict.outcome, verdict.reasons) == ("passed", ())
