"""Changes a fault plan a little, or makes one of two: the step by which a search goes from plan to plan.

Pure: the same plans, settings and seed give the same plan. It is a plan as drawing makes one. No deed is of a kind that
no plan of its climate has, each can be done when its time comes as far as a plan knows, and as many nodes stay awake.
The deeds of the very beginning stay: clients, and hidden addresses."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from shaketable.harness.faults.verb import CLIENTS
from shaketable.harness.nemesis.course import Course
from shaketable.harness.nemesis.deeds import AT_ONCE, JOIN, KINDS, WORK
from shaketable.harness.nemesis.options import options_of
from shaketable.harness.nemesis.plan import Deed, Plan
from shaketable.harness.nemesis.sweeping import OLDEST, sweep
from shaketable.harness.nemesis.times import Times
from shaketable.node.config import Settings
from shaketable.node.core.env import MILLISECOND, Micros

MOST_DEEDS: Final = 80
ONE_MORE: Final = 0.5
"""with this chance one more change is made after each"""
MOST_CHANGES: Final = 5
MORE_NODES: Final = 0.3
"""with this chance it has as many nodes as another plan, if that has more: what few runs reach, few nodes may suffice
for, and then none of them could be spared"""
TRIES: Final = 10
"""to come to another plan"""
Deeds = list[Deed]


def mutated(plan: Plan, others: Sequence[Plan], settings: Settings, seed: str, turn: int | None = None) -> Plan:
    """`others`: plans of the same climate, of which deeds may be taken over. `turn`: of the sweep; None: without."""
    chance = random.Random(f"{seed}/mutating")
    for _ in range(TRIES):
        changed = _Changing(plan, others, settings, chance).changed()
        if turn is not None:
            verbs = [verb for each in (plan, *others) for verb in each.kinds]
            swept = sweep(changed, verbs, settings, turn, chance)
            changed = mended(msgspec.structs.replace(changed, deeds=(*changed.deeds, *swept)))
        if changed.deeds != plan.deeds:
            break
    return changed


def mended(plan: Plan) -> Plan:
    """In the order of the times, without what cannot be done, and with the next name for each who joins."""
    course, deeds = Course(plan.nodes, plan.awake), Deeds()
    for deed in sorted(plan.deeds, key=lambda deed: deed.at):
        if deed.verb == JOIN:
            able = msgspec.structs.replace(deed, on=(course.next_name,))
        else:
            on, to = (tuple(name for name in names if name in course.known) for names in (deed.on, deed.to))
            if (deed.on and not on) or (deed.to and not to):
                continue
            able = msgspec.structs.replace(deed, on=on, to=to)
        if len(deeds) < MOST_DEEDS and course.takes(able):
            deeds.append(able)
    last = max((deed.at for deed in deeds), default=0)
    return msgspec.structs.replace(plan, deeds=tuple(deeds), storm=max(plan.storm, last))


class _Changing:
    def __init__(self, plan: Plan, others: Sequence[Plan], settings: Settings, chance: random.Random) -> None:
        self._plan = plan
        self._others = others
        self._settings = settings
        self._chance = chance
        self._times = Times(settings, chance)
        self._data = any(deed.verb == WORK for deed in plan.deeds)
        self._first = [deed for deed in plan.deeds if is_of_the_beginning(deed)]
        self._deeds = [deed for deed in plan.deeds if not is_of_the_beginning(deed)]
        self._storm = plan.storm
        self._nodes = plan.nodes
        if others and chance.random() < MORE_NODES:
            self._nodes = max(plan.nodes, chance.choice(others).nodes, key=len)
        self._names = [*self._nodes, *(deed.on[0] for deed in plan.deeds if deed.verb == JOIN)]

    def changed(self) -> Plan:
        changes = 1
        while changes < MOST_CHANGES and self._chance.random() < ONE_MORE:
            changes += 1
        for _ in range(changes):
            possible = [change for change in CHANGES if self._deeds or change in WITHOUT_DEEDS]
            weights = [CHANGES[change] for change in possible]
            self._chance.choices(possible, weights)[0](self)
        deeds = (*self._first, *self._deeds)
        return mended(msgspec.structs.replace(self._plan, nodes=self._nodes, deeds=deeds, storm=self._storm))

    def another_time(self) -> None:
        number = self._any()
        self._put(number, msgspec.structs.replace(self._deeds[number], at=self._time()))

    def another_target(self) -> None:
        """Two nodes change places in it."""
        number = self._any()
        deed = self._deeds[number]
        if deed.verb == JOIN or len(self._names) < 2:
            return
        one = self._chance.choice([name for name in (*deed.on, *deed.to) if name in self._names] or self._names)
        other = self._chance.choice([name for name in self._names if name != one])
        self._put(number, _renamed(deed, {one: other, other: one}))

    def longer_or_shorter(self) -> None:
        """As one that is drawn, or until something else begins or ends."""
        number = self._any()
        deed = self._deeds[number]
        lasts = self._times.lasting(deed.verb)
        if lasts is not None and self._chance.random() < 0.5:
            lasts = max(MILLISECOND, self._time() - deed.at)
        self._put(number, msgspec.structs.replace(deed, lasts=lasts))

    def other_values(self) -> None:
        number = self._any()
        deed = self._deeds[number]
        options = options_of(deed.verb, self._settings, self._chance, data=self._data)
        self._put(number, msgspec.structs.replace(deed, options=options))

    def without_one(self) -> None:
        del self._deeds[self._any()]

    def without_some(self) -> None:
        first = self._any()
        del self._deeds[first : first + self._chance.randint(1, max(1, len(self._deeds) // 3))]

    def once_more(self) -> None:
        self._deeds.append(msgspec.structs.replace(self._chance.choice(self._deeds), at=self._time()))

    def to_another_as_well(self) -> None:
        """Soon after the first, before anybody has got over that: mostly to one of the oldest."""
        deed = self._chance.choice(self._deeds)
        free = [name for name in self._names if name not in (*deed.on, *deed.to)]
        if deed.verb == JOIN or len(deed.on) != 1 or not free:
            return
        other = next((name for name in free if self._chance.random() < OLDEST), free[-1])
        soon = self._below(self._chance.choice((self._times.beat, self._times.patience)))
        at = min(deed.at + soon, self._storm)
        self._deeds.append(msgspec.structs.replace(deed, at=at, on=(other,)))

    def one_taken_over(self) -> None:
        """A deed of another plan."""
        theirs = [deed for plan in self._others for deed in plan.deeds if not is_of_the_beginning(deed)]
        if theirs:
            deed = self._here(self._chance.choice(theirs))
            self._deeds.append(msgspec.structs.replace(deed, at=self._time()))

    def joined(self) -> None:
        """From some moment on what another plan does from some moment of its own on."""
        if not self._others:
            return
        other = self._chance.choice(self._others)
        here, there = self._below(self._storm), self._below(other.storm)
        later = [deed for deed in other.deeds if deed.at >= there and not is_of_the_beginning(deed)]
        self._deeds = [deed for deed in self._deeds if deed.at < here]
        for deed in later:
            self._deeds.append(msgspec.structs.replace(self._here(deed), at=deed.at - there + here))
        self._storm = here + other.storm - there

    def closer(self) -> None:
        """A pause is shorter, and all that comes after it sooner."""
        gaps = [(b.at - a.at, number) for number, (a, b) in enumerate(pairwise(self._deeds), 1) if b.at - a.at > 0]
        if not gaps:
            return
        gap, number = self._chance.choice(gaps)
        sooner = gap - self._below(min(gap, self._times.beat))
        for later in range(number, len(self._deeds)):
            deed = self._deeds[later]
            self._deeds[later] = msgspec.structs.replace(deed, at=deed.at - sooner)
        self._storm -= sooner

    def _any(self) -> int:
        return self._chance.randrange(len(self._deeds))

    def _put(self, number: int, deed: Deed) -> None:
        self._deeds[number] = deed
        self._deeds.sort(key=lambda deed: deed.at)

    def _time(self) -> Micros:
        """Mostly about when something else begins or ends, so that it falls on what comes of that."""
        if not self._deeds or self._chance.random() < 0.3:
            return self._below(self._storm)
        other = self._chance.choice(self._deeds)
        ends = other.at if other.lasts is None else min(other.at + other.lasts, self._storm)
        near = self._chance.choice((other.at, ends)) + self._chance.choice((-1, 1, 1)) * self._below(self._times.beat)
        return min(max(0, near), self._storm)

    def _below(self, most: Micros) -> Micros:
        return self._chance.randrange(max(1, most // MILLISECOND)) * MILLISECOND

    def _here(self, deed: Deed) -> Deed:
        """With somebody who is here in the place of each who is not."""
        names = dict.fromkeys((*deed.on, *deed.to))
        free = [name for name in self._names if name not in names]
        self._chance.shuffle(free)
        instead = {name: free.pop() for name in names if name not in self._names and free}
        return deed if deed.verb == JOIN else _renamed(deed, instead)


def is_of_the_beginning(deed: Deed) -> bool:
    """Each plan of its climate does it at once."""
    return deed.at == 0 and deed.lasts is None and (deed.verb in AT_ONCE or KINDS[deed.verb].of == CLIENTS)


def _renamed(deed: Deed, names: Mapping[str, str]) -> Deed:
    on, to = (tuple(names.get(name, name) for name in group) for group in (deed.on, deed.to))
    if len(on) > 1 or len(to) > 1:
        on, to = tuple(sorted(on)), tuple(sorted(to))
    return msgspec.structs.replace(deed, on=on, to=to)


CHANGES: Final[Mapping[Callable[[_Changing], None], int]] = {
    _Changing.another_time: 3,
    _Changing.another_target: 3,
    _Changing.longer_or_shorter: 3,
    _Changing.other_values: 2,
    _Changing.without_one: 1,
    _Changing.without_some: 1,
    _Changing.once_more: 1,
    _Changing.to_another_as_well: 3,
    _Changing.one_taken_over: 3,
    _Changing.joined: 3,
    _Changing.closer: 2,
}
"""with their weights"""
WITHOUT_DEEDS: Final = (_Changing.one_taken_over, _Changing.joined)
"""what can be done to a plan that has none left"""
