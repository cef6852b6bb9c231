"""Draws fault plans, swarm style: each seed first draws the kinds of deed that it uses, and then the deeds.

A plan with few kinds finds what a plan with all kinds hardly finds. A fault that ends all others at once, or makes
every node busy, hides the rest. The same climate, settings and seed give the same plan."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

import msgspec

from shaketable.harness.faults.verb import ALL, LINK, LINKS, PARTS, SENDER
from shaketable.harness.nemesis.course import Course
from shaketable.harness.nemesis.deeds import AT_ONCE, HIDE, JOIN, KINDS, WORK, Standing
from shaketable.harness.nemesis.options import options_of
from shaketable.harness.nemesis.plan import Deed, Plan, Value
from shaketable.harness.nemesis.times import Times
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros

CHOSEN: Final = 0.5
"""with this chance a seed uses a kind of deed"""
TRIES: Final = 8
"""to find a deed that can be done at a time"""


class Climate(msgspec.Struct, frozen=True, kw_only=True):
    """What the plans of one story are like."""

    weights: Mapping[str, float]
    """weights of the kinds of deed; a kind without one is never used"""
    ending: str
    always: tuple[str, ...] = ()
    """deeds that every plan does at once, and that last until the safety phase is over"""
    nodes: tuple[int, int] = (3, 6)
    deeds: tuple[int, int] = (4, 40)
    awake: int = 3
    """how many nodes stay up and awake"""


def draw(climate: Climate, settings: Settings, seed: int) -> Plan:
    """Draws a plan of faults for `play`. The same climate, settings and seed give the same plan."""
    return _Drawing(climate, settings, random.Random(f"{seed}/nemesis")).plan()


class _Drawing:
    def __init__(self, climate: Climate, settings: Settings, chance: random.Random) -> None:
        self._climate = climate
        self._settings = settings
        self._chance = chance
        self._times = Times(settings, chance)
        self._weights = {verb: weight for verb, weight in sorted(climate.weights.items()) if weight > 0}
        count = chance.randint(*climate.nodes)
        self._nodes = tuple(f"n{number}" for number in range(1, count + 1))
        self._course = Course(self._nodes, climate.awake)

    def plan(self) -> Plan:
        kinds = self._kinds()
        weights = [self._weights[verb] for verb in kinds]
        first = [verb for verb in AT_ONCE if verb in self._weights and self._chance.random() < CHOSEN]
        deeds = [self._deed(0, verb, lasts=None) for verb in (*self._climate.always, *first)]
        at: Micros = 0
        for _ in range(self._chance.randint(*self._climate.deeds)):
            at += self._times.pause()
            for _ in range(TRIES):
                verb = self._chance.choices(kinds, weights)[0]
                deed = self._deed(at, verb, self._times.lasting(verb))
                if deed is not None:
                    deeds.append(deed)
                    break
        return Plan(
            family=self._settings.family,
            nodes=self._nodes,
            deeds=tuple(deed for deed in deeds if deed is not None),
            storm=at + self._times.pause(),
            ending=self._climate.ending,
            awake=self._climate.awake,
        )

    def _kinds(self) -> list[str]:
        own = [verb for verb in self._weights if self._settings.family in KINDS[verb].families and verb not in AT_ONCE]
        chosen = [verb for verb in own if self._chance.random() < CHOSEN]
        return chosen or [self._chance.choice(own)]

    def _deed(self, at: Micros, verb: str, lasts: Micros | None) -> Deed | None:
        """One that can be done then, as far as the plan knows."""
        on, to = self._whom(verb, self._course.standing(at))
        if not on and KINDS[verb].of != ALL:
            return None
        deed = Deed(at, verb, on, to, lasts, self._options(verb))
        return deed if self._course.takes(deed) else None

    def _options(self, verb: str) -> dict[str, Value]:
        return options_of(verb, self._settings, self._chance, data=WORK in self._climate.always)

    def _enough(self, of: str, now: Standing) -> bool:
        """Whether so many are there that such a deed has somebody to be done to."""
        if of in (PARTS, LINKS, SENDER) and len(self._course.known) < 2:
            return False
        return len(now.running) >= (2 if of == LINK else 1)

    def _whom(self, verb: str, now: Standing) -> tuple[tuple[str, ...], tuple[str, ...]]:
        chance, of = self._chance, KINDS[verb].of
        if verb == JOIN:
            return (self._course.next_name,), ()
        if of == ALL or not self._enough(of, now):
            return (), ()
        if verb == HIDE:
            # Where what is remembered is forgotten soon, somebody has to be named: all find each other by that one.
            named = chance.sample(self._nodes, 1) if self._settings.address_retention < 2 * self._times.age else ()
            return (chance.choice(now.running),), tuple(named)
        if of in (PARTS, LINKS):
            names = chance.sample(self._course.known, len(self._course.known))
            size = chance.randint(1, len(names) - 1)
            return tuple(sorted(names[:size])), tuple(sorted(names[size:]))
        if of == LINK:
            a, b = chance.sample(now.running, 2)
            return (a,), (b,)
        who = chance.choice(now.running)
        if of == SENDER and chance.random() < 0.5:
            others = [name for name in self._course.known if name != who]
            return (who,), tuple(sorted(chance.sample(others, chance.randint(1, len(others)))))
        return (who,), ()
