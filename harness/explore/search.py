"""Every order that matters, depth first. Each run follows the last one up to a step at which another one is possible.

Two things are left out. A state is not left twice by the same step. And if two steps leave the same behind in either
order, only one order is tried (sleep sets): after the other step this one is asleep, and is not tried. A step that was
asleep in a state is tried there when the state is reached with that step awake."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from shaketable.harness.checks.result import VACUOUS
from shaketable.harness.explore.state import Name, States
from shaketable.harness.records import FaultAsked, Record, StepBegan, StepKind
from shaketable.harness.runs.run import Finished
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.verdict import UNKNOWN_OUTCOME, RunVerdict
from shaketable.harness.worlds.sim.heap import Call
from shaketable.harness.worlds.sim.orders import (
    FAULTS,
    NOBODY,
    ON_LINKS,
    Enough,
    Kind,
    Order,
    Orders,
    Step,
    Window,
    name_of,
)

Budget = Mapping[Kind, int]
"""how many faults of each kind, beside those of the script"""
Asleep = frozenset[Step]
Judge = Callable[[Finished], RunVerdict]


class Branch(NamedTuple):
    """Where a search begins: after these steps. The last one is taken with these asleep."""

    steps: tuple[Step, ...] = ()
    asleep: Asleep = frozenset()


WHOLE: Final = Branch()
COLLECTED: Final = 100
"""runs; what they leave behind is let go then"""
FORMING: Final = 1
"""deeds of a script that form its cluster"""


@dataclass(slots=True)
class Fork:
    """A state on the way, and what is left to be tried in it."""

    now: Step
    """is tried now"""
    asleep: dict[Step, bool]
    """need not be tried: it was, before a step that leaves the same behind after it"""
    todo: list[Step] = field(default_factory=list)
    """the next one last"""
    acted: bool = False
    """in this step the script did something: it sees all nodes, so the step is like no other"""

    def tried(self) -> dict[Step, bool]:
        return self.asleep if self.acted else {**self.asleep, self.now: True}


@dataclass(slots=True)
class Found:
    orders: int = 0
    """runs that came to their end, and were judged"""
    runs: int = 0
    states: dict[Name, Asleep] = field(default_factory=dict)
    """and what is not tried yet in each"""
    failing: Order | None = None
    blind: Counter[str] = field(default_factory=Counter)
    """by check that the script is about: orders in which it saw nothing"""
    unknown: int = 0
    """orders that could not be judged"""
    why_unknown: str = ""
    """the first of them"""


class Search:
    def __init__(
        self,
        play: Callable[[Orders], Finished],
        window: Window,
        budget: Budget,
        judge: Judge,
        *,
        branch: Branch = WHOLE,
        states: Mapping[Name, Asleep] | None = None,
    ) -> None:
        self._play, self._window, self._judge = play, window, judge
        self.budget = budget
        self.path = [Fork(step, {}) for step in branch.steps]
        if self.path:
            self.path[-1].asleep = dict.fromkeys(branch.asleep, True)
        self._root = len(self.path)
        self._over = False
        self.found = Found(states=dict(states or {}))

    def glance(self, most: int | None = None) -> bool:
        """First all orders with one step that is not the usual one: most mistakes need no more. Whether one fails. At
        most so many runs."""
        usual = Glance(self)
        self._play_and_judge(usual)
        for depth, many in enumerate(usual.many):
            for nth in range(1, many):
                if self.found.failing is not None or self.found.runs == most:
                    break
                self._play_and_judge(Glance(self, depth, nth))
        # The search comes to these orders as well.
        self.found.blind, self.found.unknown, self.found.why_unknown = Counter(), 0, ""
        return self.found.failing is not None

    def run(self, most: int) -> bool:
        """At most so many runs. Whether all was tried, or an order fails."""
        for _ in range(most):
            if self._over:
                return True
            self._once()
            self._over = self.found.failing is not None or not self._next()
        return self._over

    def left(self) -> list[Branch]:
        """All that was not tried yet, as the beginnings of other searches."""
        if self._over or len(self.path) == self._root:
            return []
        steps = tuple(fork.now for fork in self.path)
        branches = [Branch(steps, frozenset(self.path[-1].asleep))]
        for depth, fork in enumerate(self.path[self._root :], self._root):
            tried = fork.tried()
            for step in reversed(fork.todo):
                branches.append(Branch((*steps[:depth], step), frozenset(tried)))
                tried[step] = True
        return branches

    def _next(self) -> bool:
        while len(self.path) > self._root and not self.path[-1].todo:
            self.path.pop()
        if len(self.path) == self._root:
            return False
        fork = self.path[-1]
        fork.asleep = fork.tried()
        fork.now, fork.acted = fork.todo.pop(), False
        return True

    def _once(self) -> None:
        try:
            self._play_and_judge(Walk(self))
        except Enough:
            return
        self.found.orders += 1

    def _play_and_judge(self, way: Way) -> None:
        found = self.found
        found.runs += 1
        if found.runs % COLLECTED == 0:  # a choice is older than its world, which so outlives the small collections
            gc.collect()
        finished = self._play(Orders(self._window, way.choose))
        verdict = self._judge(finished)
        if blind := _saw_nothing(verdict):
            found.blind.update(blind)
        elif verdict.outcome == UNKNOWN_OUTCOME:
            found.unknown += 1
            found.why_unknown = found.why_unknown or verdict.reasons[0].text
        elif verdict.outcome == FAILED:
            found.failing = Order(self._window, tuple(way.taken))


def _saw_nothing(verdict: RunVerdict) -> list[str]:
    """The checks for which alone the run is unknown: a member that has crashed claims nothing, say."""
    vacuous = {result.name for result in verdict.checks if result.status == VACUOUS}
    checks = [reason.check for reason in verdict.reasons]
    return checks if vacuous.issuperset(checks) else []


class Way:
    """One run."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self.taken: list[Step] = []
        self._left = dict(search.budget)
        self._begun = False

    def choose(self, orders: Orders, possible: Sequence[Step]) -> Step | None:
        """None: the window is over."""
        self._begun = self._begun or orders.acted or (not self.taken and deeds_in(orders.world.records) > FORMING)
        if not possible:
            self._end(orders)
            return None
        step = self._one_of([*possible, *self._faults(orders)], orders)
        self.taken.append(step)
        if step.kind in FAULTS:
            self._left[step.kind] -= 1
        return step

    def _one_of(self, possible: Sequence[Step], orders: Orders) -> Step:
        raise NotImplementedError

    def _end(self, orders: Orders) -> None:
        pass

    def _faults(self, orders: Orders) -> list[Step]:
        """From the first thing on that the script does after it has formed its cluster."""
        if not self._begun or not any(self._left.values()):
            return []
        world, steps = orders.world, []
        if self._left[Kind.KILL]:
            steps += [Step(Kind.KILL, node.name) for node in world.listening()]
        if not (self._left[Kind.RESET] or self._left[Kind.CUT]):
            return steps
        links = [(a, b) for a in world.listening() for b in world.listening() if a is not b]
        up = [Step(Kind.RESET, b.name, a.name) for a, b in links if a.links[b.address].up]
        if self._left[Kind.RESET]:
            under_way = {(e[3].sender.address, name_of(e[2])) for e in orders.entries if not isinstance(e[3], Call)}
            steps += [step for step in up if (world.address_of(step.sender), step.node) in under_way]
        if self._left[Kind.CUT]:
            steps += [step._replace(kind=Kind.CUT) for step in up]
        return steps


class Glance(Way):
    """All goes its usual way, but for one step."""

    def __init__(self, search: Search, at: int = -1, nth: int = 0) -> None:
        super().__init__(search)
        self._at, self._nth = at, nth
        self.many: list[int] = []
        """how many steps were possible at each"""

    def _one_of(self, possible: Sequence[Step], orders: Orders) -> Step:
        self.many.append(len(possible))
        return possible[self._nth if len(self.taken) == self._at else 0]


class Walk(Way):
    """The known steps first, then the first ones of what was not tried."""

    def __init__(self, search: Search) -> None:
        super().__init__(search)
        self._path = search.path
        self._known = len(search.path)
        self._states: States | None = None

    def _faults(self, orders: Orders) -> list[Step]:
        """Known steps are not chosen from anything."""
        return super()._faults(orders) if len(self.taken) >= self._known else []

    def _one_of(self, possible: Sequence[Step], orders: Orders) -> Step:
        states = self._kept(orders)
        asleep = self._asleep(states, orders)
        depth = len(self.taken)
        if depth < self._known:
            return self._path[depth].now
        name = states.name(*self._left.values())
        known = self._search.found.states
        before = known.get(name)
        todo = [s for s in possible if s not in asleep and (before is None or s in before)]
        known[name] = frozenset(asleep) if before is None else before & asleep.keys()
        if not todo:
            raise Enough
        todo.reverse()
        step = todo.pop()
        self._path.append(Fork(step, asleep, todo))
        return step

    def _end(self, orders: Orders) -> None:
        states = self._kept(orders)
        self._asleep(states, orders)
        name = states.name(*self._left.values())
        if name in self._search.found.states:
            raise Enough
        self._search.found.states[name] = frozenset()

    def _kept(self, orders: Orders) -> States:
        if self._states is None:
            self._states = States(orders.world, orders)
        return self._states

    def _asleep(self, states: States, orders: Orders) -> dict[Step, bool]:
        """After the step that was taken last."""
        if not self.taken:
            return {}
        before = self._path[len(self.taken) - 1]
        states.after(before.now)
        before.acted = orders.acted
        if before.acted:
            return {}
        return {step: True for step in before.asleep if are_apart(step, before.now)}


def deeds_in(records: Sequence[Record]) -> int:
    """What the script has done."""
    events = (record.event for record in records)
    return sum(
        isinstance(event, FaultAsked) or (isinstance(event, StepBegan) and event.means is StepKind.DOES)
        for event in events
    )


def are_apart(a: Step, b: Step) -> bool:
    """They leave the same behind in either order. All nodes have news of a crash."""
    if (a.kind in FAULTS and b.kind in FAULTS) or Kind.KILL in (a.kind, b.kind) or NOBODY in (a.node, b.node):
        return False
    return _touched(a).isdisjoint(_touched(b))


def _touched(step: Step) -> set[str]:
    return {step.node, step.sender} if step.kind in ON_LINKS else {step.node}
