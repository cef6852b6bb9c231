"""Chosen orders: how they are written, and that a run follows them."""

from __future__ import annotations

import pytest
from tests.planted.broken_claims import LooksOnce

from shaketable.chaos.small_worlds import a_small_claim, a_small_claim_during_a_join
from shaketable.harness.errors import UserError
from shaketable.harness.explore.task import in_order, task_of
from shaketable.harness.history.history import History
from shaketable.harness.records import FaultAsked, FaultEnded
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.worlds.sim.orders import Kind, Order, OrderError, Step, Window, read_order, read_step

FAST = Options(preset="fast")
STEPS = [
    Step(Kind.MESSAGE, "n2", "n1"),
    Step(Kind.NEWS, "n2", "n1"),
    Step(Kind.NEWS, "n2"),
    Step(Kind.TIMER, "n2"),
    Step(Kind.KILL, "n2"),
    Step(Kind.RESET, "n2", "n1"),
    Step(Kind.CUT, "n2", "n1"),
]


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_step_is_read_as_it_is_written(step: Step) -> None:
    assert read_step(str(step)) == step


def test_an_order_is_read_as_it_is_written() -> None:
    order = Order(Window(38, 500_000, 25_000), tuple(STEPS))
    assert read_order(str(order)) == order
    assert str(order) == "38 500000 25000 n1>n2 n1~n2 ~n2 @n2 kill:n2 reset:n1>n2 cut:n1>n2"


@pytest.mark.parametrize(
    "word", ["", "n1", "@", ">", "n1>", "n1~", ">n2", "kill:", "kill:n1>n2", "cut:n1", "cut:>n2", "pause:n1"]
)
def test_another_word_is_no_step(word: str) -> None:
    with pytest.raises(OrderError, match="is no step: write"):
        read_step(word)


@pytest.mark.parametrize("text", ["", "1 2", "1 2 x", "-1 2 3", "1.5 2 3", "n1>n2 1 2 3", "1 2 3 n1"])
def test_a_text_that_is_no_order_is_refused_before_anything_runs(text: str) -> None:
    options = Options(values={"schedule": "chosen", "schedule_order": text})
    with pytest.raises(UserError, match="schedule_order: "):
        options.settings(a_small_claim)


def follow(script: object, *steps: Step, latest: int = 25_000, lasts: int = 450_000, **values: object) -> Finished:
    options = Options(preset="fast", values=values)
    task = task_of(script, options, {}, start=None, lasts=lasts, latest=latest)  # type: ignore[arg-type]
    return run_simulated(task.script, Options(preset="fast", values={**values, **in_order(Order(task.window, steps))}))


def test_a_run_follows_an_order_by_its_settings_alone_and_is_the_same_each_time() -> None:
    cut = Step(Kind.CUT, "n2", "n1")
    one, other = (follow(a_small_claim_during_a_join, cut) for _ in range(2))
    assert History(one.records).hash == History(other.records).hash
    asked = [r.event for r in one.records if isinstance(r.event, FaultAsked)]
    assert [(each.verb, each.links) for each in asked] == [("cut", ("n1->n2",)), ("kill", ())]
    assert [r.event.fault for r in one.records if isinstance(r.event, FaultEnded)] == [1], "it ends with the window"
    assert [r.time for r in one.records] == sorted(r.time for r in one.records)


def test_a_cut_ends_with_the_window_also_if_it_took_effect_after_that() -> None:
    """A receipt of a fault on links comes a while later."""
    run = follow(a_small_claim_during_a_join, Step(Kind.CUT, "n2", "n1"), latest=1_000, lasts=2_000)
    assert [r.event.fault for r in run.records if isinstance(r.event, FaultEnded)] == [1]


ASTRAY = [
    ((Step(Kind.MESSAGE, "n1", "n9"),), "it did not follow its order: n9>n1 was not possible"),
    ((Step(Kind.TIMER, "n2"),) * 999, "it did not follow its order: @n2 was not possible"),
    ((Step(Kind.KILL, "n9"),), "kill:n9 of its order: "),
    ((Step(Kind.CUT, "n9", "n1"),), "cut:n1>n9 of its order: "),
]


@pytest.mark.parametrize(("steps", "why"), ASTRAY)
def test_an_order_that_is_not_followed_makes_the_run_unknown(steps: tuple[Step, ...], why: str) -> None:
    verdict = judged(follow(a_small_claim, *steps))
    assert verdict.outcome == "unknown"
    assert why in verdict.reasons[0].text


def test_one_step_is_enough_to_show_a_candidate_that_looks_once() -> None:
    cut = Step(Kind.CUT, "n2", "n1")
    whose = f"{LooksOnce.__module__}:{LooksOnce.__qualname__}"
    broken = [follow(a_small_claim_during_a_join, *steps, own_member=whose) for steps in ((), (cut,))]
    assert [judged(each).outcome for each in broken] == ["passed", "failed"]


def test_real_messages_take_what_they_take() -> None:
    options = Options("real", values={"schedule": "chosen", "schedule_order": "1 2 3"})
    with pytest.raises(UserError, match="play it with --world sim"):
        options.settings(a_small_claim)
