"""Deeds that sweep: each kind of message, each event and each kind of deed in its turn, at the oldest nodes first.

Chance comes back to the same kinds before it has come to all of them. A sweep comes to all. The oldest node leads, so
most decisions pass through it. A deed on a few messages changes little by itself, so many of them go into one plan. And
two nodes go one soon after the other: the end of the first is what all are busy with when the second ends."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from shaketable.harness.faults.parameters import WORD_OF_A_MESSAGE, WORD_OF_AN_EVENT
from shaketable.harness.faults.verb import EVENT, LINK, MESSAGE, NODE, STARTED_AGAIN
from shaketable.harness.nemesis.deeds import AT_ONCE, KINDS, WORK
from shaketable.harness.nemesis.options import MESSAGES, POINTS, options_of, services_of
from shaketable.harness.nemesis.plan import Deed, Plan, Value
from shaketable.harness.nemesis.times import Times
from shaketable.node.config import Settings
from shaketable.node.core.env import MILLISECOND, Micros

OTHER: Final = ""
"""deeds that wait for nothing"""
OF_A_TURN: Final = {OTHER: 2, EVENT: 2, MESSAGE: 20}
"""so many deeds: a crash changes more than a few messages that are lost or late"""
RETURN: Final = 0.7
"""with this chance one of two that go comes back in the storm, after all have noticed"""
OLDEST: Final = 0.6
"""with this chance it is done to the oldest node, else to the next one, and so on"""


def sweep(plan: Plan, verbs: Iterable[str], settings: Settings, turn: int, chance: random.Random) -> list[Deed]:
    """The deeds of this turn. `verbs`: what plans of its climate do. Turns that follow each other have others."""
    return list(_Sweep(plan, sorted(set(verbs)), settings, chance).deeds(turn))


class _Sweep:
    def __init__(self, plan: Plan, verbs: Sequence[str], settings: Settings, chance: random.Random) -> None:
        self._plan = plan
        self._verbs = tuple(verbs)
        self._settings = settings
        self._chance = chance
        self._times = Times(settings, chance)
        self._data = any(deed.verb == WORK for deed in plan.deeds)
        self._gone: dict[str, Micros] = {}
        """nodes that end, and when first: from then on they are the youngest"""
        for deed in plan.deeds:
            self._note(deed)

    def deeds(self, turn: int) -> Iterator[Deed]:
        two = list(self._two_go(turn))
        for deed in two:
            self._note(deed)
        yield from two
        services = tuple(services_of(self._settings, data=self._data))
        for waits_for, number in OF_A_TURN.items():
            order = _order(waits_for, self._verbs, services)
            for place in range(turn * number, (turn + 1) * number) if order else ():
                yield self._deed(*order[place % len(order)])

    def _deed(self, verb: str, word: str, value: str) -> Deed:
        options: dict[str, Value] = options_of(verb, self._settings, self._chance, data=self._data)
        if word:
            options[word] = value
        at = self._below(self._plan.storm)
        on, to = self._whom(verb, at)
        return Deed(at, verb, on, to, self._times.lasting(verb), options)

    def _two_go(self, turn: int) -> Iterator[Deed]:
        """Two nodes, one of them mostly the oldest: the second before anybody has got over the end of the first."""
        able = [verb for verb in self._verbs if KINDS[verb].ends == STARTED_AGAIN and not KINDS[verb].comes_upon]
        if not able:
            return
        first = self._below(self._plan.storm)
        second = min(first + self._below(self._times.patience), self._plan.storm)
        one = self._who(first)
        nodes = [one, self._chance.choice([name for name in self._plan.nodes if name != one])]
        self._chance.shuffle(nodes)
        for place, (at, name) in enumerate(zip((first, second), nodes, strict=True)):
            comes_back = self._chance.random() < RETURN
            lasts = self._times.patience + self._below(self._times.age) if comes_back else None
            yield Deed(at, able[(turn >> place) % len(able)], (name,), (), lasts)

    def _whom(self, verb: str, at: Micros) -> tuple[tuple[str, ...], tuple[str, ...]]:
        who = self._who(at)
        if KINDS[verb].of != LINK:
            return (who,), ()
        ends = [who, self._chance.choice([name for name in self._plan.nodes if name != who])]
        self._chance.shuffle(ends)
        return (ends[0],), (ends[1],)

    def _who(self, at: Micros) -> str:
        by_age = sorted(self._plan.nodes, key=lambda name: self._gone.get(name, at + 1) <= at)
        return next((name for name in by_age if self._chance.random() < OLDEST), by_age[-1])

    def _note(self, deed: Deed) -> None:
        if KINDS[deed.verb].ends == STARTED_AGAIN:
            self._gone[deed.on[0]] = min(deed.at, self._gone.get(deed.on[0], deed.at))

    def _below(self, most: Micros) -> Micros:
        return self._chance.randrange(max(1, most // MILLISECOND)) * MILLISECOND


@cache
def _order(waits_for: str, verbs: tuple[str, ...], services: tuple[str, ...]) -> Sequence[tuple[str, str, str]]:
    """All there is to be swept, shuffled once and for all: verbs, and what each waits for."""
    if waits_for == OTHER:
        able = [verb for verb in verbs if KINDS[verb].of in (LINK, NODE) and not KINDS[verb].comes_upon]
        every = [(verb, "", "") for verb in able if verb not in AT_ONCE]
    else:
        word, kinds = (WORD_OF_A_MESSAGE, MESSAGES) if waits_for == MESSAGE else (WORD_OF_AN_EVENT, POINTS)
        able = [verb for verb in verbs if KINDS[verb].comes_upon == waits_for]
        every = [(verb, word, value) for verb in able for service in services for value in kinds.get(service, ())]
    random.Random("the order of a sweep").shuffle(every)
    return every
