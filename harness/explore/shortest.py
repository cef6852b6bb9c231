"""The shortest beginning of an order, and the fewest steps in it, with which a run still fails in the same way."""

from __future__ import annotations

from shaketable.harness.explore.task import Task
from shaketable.harness.nemesis.failing import Failure, fails_so, failures_in
from shaketable.harness.worlds.sim.orders import Order, Step


def failure_of(task: Task, order: Order) -> Failure | None:
    failures = failures_in(task.judge(task.follow(order)))
    return failures[0] if failures else None


def shortest(task: Task, order: Order, failure: Failure) -> Order:
    """After its steps each step is the usual one, so most of what a search has chosen need not be said."""

    def fails(steps: tuple[Step, ...]) -> bool:
        return fails_so(task.follow(Order(task.window, steps)), failure)

    steps = next((order.steps[:many] for many in range(len(order.steps)) if fails(order.steps[:many])), order.steps)
    before = None
    while steps != before:
        before = steps
        for place in range(len(steps) - 1, -1, -1):
            fewer = steps[:place] + steps[place + 1 :]
            if fails(fewer):
                steps = fewer
    return Order(task.window, steps)
