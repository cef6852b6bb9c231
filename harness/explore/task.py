"""A task of `explore`: a script, the window of its run in which orders matter, and how many more faults it may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.explore.search import FORMING, WHOLE, Asleep, Branch, Budget, Search, deeds_in
from shaketable.harness.explore.state import Name
from shaketable.harness.records import ScriptOutcome
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.verdicts.verdict import RunVerdict
from shaketable.harness.worlds.sim.orders import Enough, Following, Order, Orders, Window
from shaketable.node.config import CHOSEN, USUAL, by_our_names
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Event

NEVER: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Task:
    script: Script
    options: Options
    window: Window
    budget: Budget

    def play(self, orders: Orders) -> Finished:
        return run_simulated(self.script, self.options, orders=orders)

    def follow(self, order: Order) -> Finished:
        return self.play(Following(order))

    def judge(self, finished: Finished) -> RunVerdict:
        return judged(finished, story=False)

    def search(self, branch: Branch = WHOLE, states: Mapping[Name, Asleep] | None = None) -> Search:
        return Search(self.play, self.window, self.budget, self.judge, branch=branch, states=states)


def task_of(
    script: Script,
    options: Options,
    budget: Budget,
    *,
    start: Micros | type[Event] | None,
    lasts: Micros | None,
    latest: Micros | None,
) -> Task:
    """`start`: when the window begins, or at which event; None: where the script does something after it has formed its
    cluster."""
    settings = options.settings(script)
    if settings.schedule != USUAL:
        raise UserError(f"schedule = {settings.schedule}: explore tries all orders; leave schedule out")
    interval = settings.heartbeat_interval
    lasts = 2 * interval if lasts is None else lasts
    latest = interval // 10 if latest is None else latest
    options = replace(options, values={**by_our_names(options.values), **in_order(Order(Window(NEVER, lasts, latest)))})
    window = Window(_things_before(script, options, start), lasts, latest)
    return Task(script, replace(options, values={**options.values, **in_order(Order(window))}), window, budget)


def in_order(order: Order) -> dict[str, object]:
    """The settings by which a run follows it."""
    return {"schedule": CHOSEN, "schedule_order": str(order)}


class _Counting(Following):
    """Takes one thing after the other until the window is to begin."""

    __slots__ = ("_deeds", "_read", "_start", "taken")

    def __init__(self, start: Micros | type[Event] | None) -> None:
        super().__init__(Order(Window(NEVER, 0, 0)))
        self._start = start
        self._deeds = self._read = 0
        self.taken = 0

    def run(self, look: Callable[[], bool], most: int | None = None) -> int:
        taken = super().run(look, 1)
        if self._is_there():
            raise Enough
        self.taken += taken
        return taken

    def _is_there(self) -> bool:
        if isinstance(self._start, int):
            return self.time >= self._start
        new = self.world.records[self._read :]
        self._read += len(new)
        if self._start is not None:
            return any(isinstance(record.event, self._start) for record in new)
        self._deeds += deeds_in(new)
        return self._deeds > FORMING


def _things_before(script: Script, options: Options, start: Micros | type[Event] | None) -> int:
    counting = _Counting(start)
    try:
        outcome = run_simulated(script, options, orders=counting).outcome
    except Enough:
        return max(1, counting.taken)
    if outcome.kind is not ScriptOutcome.DONE:
        raise UserError(f"{script.name} does not come to the window in which orders matter: {outcome.reason}")
    if start is None:
        raise UserError(f"{script.name} does nothing after its cluster has formed: say with --from when orders matter")
    if not isinstance(start, int):
        raise UserError(f"{script.name} has no {start.__name__}: give a --from that it has, or a time")
    raise UserError(f"{script.name} has ended by then: give a --from before {counting.time / SECOND:.3f}")
