"""Deeds that sweep: each kind of message, each event and each kind of deed in its turn, at the oldest nodes first.

Chance comes back to the same kinds before it has come to all of them. A sweep comes to all. The oldest node leads, so
most decisions pass through it. A deed on a few messages changes little by itself, so many of them go into one plan."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from shaketable.harness.faults.parameters import WORD_OF_A_MESSAGE, WORD_OF_AN_EVENT
from shaketable.harness.faults.verb import EVENT, LINK, MESSAGE, NODE
from shaketable.harness.nemesis.deeds import AT_ONCE, KINDS, WORK
from shaketable.harness.nemesis.options import MESSAGES, POINTS, options_of, services_of
from shaketable.harness.nemesis.plan import Deed, Plan, Value
from shaketable.harness.nemesis.times import Times
from shaketable.node.config import Settings
from shaketable.node.core.env import MILLISECOND

OTHER: Final = ""
"""deeds that wait for nothing"""
OF_A_TURN: Final = {MESSAGE: 10, EVENT: 2, OTHER: 2}
"""so many deeds: a crash changes more than a few messages that are lost or late"""
OLDEST: Final = 0.6
"""with this chance it is done to the oldest node, else to the next one, and so on"""


def sweep(plan: Plan, verbs: Iterable[str], settings: Settings, turn: int, chance: random.Random) -> list[Deed]:
    """The deeds of this turn. `verbs`: what plans of its climate do. Turns that follow each other have others."""
    data = any(deed.verb == WORK for deed in plan.deeds)
    services = tuple(services_of(settings, data=data))
    times, deeds = Times(settings, chance), list[Deed]()
    for waits_for, number in OF_A_TURN.items():
        order = _order(waits_for, tuple(sorted(set(verbs))), services)
        for place in range(turn * number, (turn + 1) * number) if order else ():
            verb, word, value = order[place % len(order)]
            options: dict[str, Value] = options_of(verb, settings, chance, data=data)
            if word:
                options[word] = value
            at = chance.randrange(max(1, plan.storm // MILLISECOND)) * MILLISECOND
            on, to = _whom(verb, plan, chance)
            deeds.append(Deed(at, verb, on, to, times.lasting(verb), options))
    return deeds


def _whom(verb: str, plan: Plan, chance: random.Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
    who = next((name for name in plan.nodes if chance.random() < OLDEST), plan.nodes[-1])
    if KINDS[verb].of != LINK:
        return (who,), ()
    ends = [who, chance.choice([name for name in plan.nodes if name != who])]
    chance.shuffle(ends)
    return (ends[0],), (ends[1],)


@cache
def _order(waits_for: str, verbs: tuple[str, ...], services: tuple[str, ...]) -> Sequence[tuple[str, str, str]]:
    """All there is to be swept, shuffled once and for all: verbs, and what each waits for."""
    if waits_for == OTHER:
        able = [verb for verb in verbs if KINDS[verb].of in (LINK, NODE) and not KINDS[verb].comes_upon]
        every = [(verb, "", "") for verb in able if verb not in AT_ONCE]
    else:
        word, kinds = (WORD_OF_A_MESSAGE, MESSAGES) if waits_for == MESSAGE else (WORD_OF_AN_EVENT, POINTS)
        able = [verb for verb in verbs if KINDS[verb].comes_upon == waits_for]
        every = [(verb, word, value) for verb in able for service in services for value in kinds[service]]
    random.Random("the order of a sweep").shuffle(every)
    return every
