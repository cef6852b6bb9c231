"""How many false removals there are in the time that was asked about, at most and at least, with 95 % confidence.

A short time was watched, and a long one was asked about. Three things carry over:

- A sleep does as much harm in a long time as in a short one. So the sleeps that were watched stand for those that come
  in the time that was asked about, which are more or fewer.
- Each heartbeat is lost by a draw of its own. So how often a link is silent for a whole window is known and need not
  be watched: all K heartbeats of a window are lost. Under SWIM a ping is lost, and with it those of all helpers.
  Members are silenced on purpose, on all their links, and what comes of that is watched.
- All else that goes on does so all the time: there an hour stands for an hour.

Where n false removals were seen, their true number is at most that with which n or fewer come in 5 of 100 cases: 3.0
where none was seen."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import exp, inf
from typing import Final

from shaketable.harness.detectors.choosing.question import HOUR, Question
from shaketable.harness.detectors.choosing.vigil import Seen
from shaketable.harness.detectors.variants import Variant
from shaketable.node.config import Settings
from shaketable.node.core.env import MILLISECOND, Micros

OUTSIDE: Final = 0.05
UNEVEN: Final[Micros] = MILLISECOND // 2
"""more than a sound link's delay varies: so close to a look the last heartbeat of a window may miss it unlost"""
LONGEST: Final = 1_000_000
"""hours: nobody watches longer"""
SMALL: Final = 0.05
"""of what was asked: what silences by loss may do at most, if they need not be watched more"""
SWIMS: Final = frozenset({"swim", "lifeguard"})
KNOWN: Final = frozenset({"all", "likely", "ring", "inferred", "deadline", "phi-accrual"}) | SWIMS
"""policies that suspect nobody before a whole window of silence on a link, or before a ping has failed"""
PING_AND_ANSWER, BY_A_HELPER = 2, 4
"""messages, each of which may be lost"""


@cache
def most_of(seen: int) -> float:
    """With a greater mean so few would come in fewer than 5 of 100 cases."""
    return _mean(lambda mean: _up_to(seen, mean) > OUTSIDE, above=seen)


@cache
def least_of(seen: int) -> float:
    """With a smaller mean so many would come in fewer than 5 of 100 cases."""
    return _mean(lambda mean: 1 - _up_to(seen - 1, mean) < OUTSIDE, above=0) if seen else 0.0


def _up_to(seen: int, mean: float) -> float:
    term = total = exp(-mean)
    for each in range(1, seen + 1):
        term *= mean / each
        total += term
    return total


def _mean(too_small: Callable[[float], bool], above: float) -> float:
    low, high = above, above + 1.0
    while too_small(high):
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if too_small(middle) else (low, middle)
    return high


def silences_by_loss(policy: str, variant: Variant, question: Question, seen: Seen) -> float:
    """On all links that are watched, in the time that was asked about; under SWIM so many pings fail. inf: nobody
    knows."""
    if question.faults.others:
        return inf
    if not question.faults.lost:
        return 0.0
    if policy not in KNOWN or not seen.watched:
        return inf
    settings = variant.settings
    if policy in SWIMS:
        return _failed_pings(settings, question)
    heartbeats = seen.heartbeats / seen.watched * question.at_most.span * _watched_share(policy, question.members)
    lost = question.faults.lost
    last = min(1.0, lost + UNEVEN / settings.gms_heartbeat_period)
    return float(heartbeats * lost ** (settings.gms_max_missed - 1) * last)


def _failed_pings(settings: Settings, question: Question) -> float:
    """A member pings once a period, or more seldom while it takes itself for slow."""
    arrives = 1 - question.faults.lost
    helpers = min(settings.swim_helpers, question.members - 2)
    fails = (1 - arrives**PING_AND_ANSWER) * (1 - arrives**BY_A_HELPER) ** helpers
    return question.members * question.at_most.span / settings.gms_heartbeat_period * fails


def _watched_share(policy: str, members: int) -> float:
    """Where all send to all, a member of a group watches the master, and the master all others (node/gms/watching.py).
    Each other policy watches, as far as is known here, all that is sent."""
    return 2 / members if policy == "all" else 1.0


def at_most(policy: str, variant: Variant, question: Question, seen: Seen, times: float = 1.0) -> float:
    """In the time that was asked about. `times`: as if so many times as much had been seen, with no more removals."""
    span, faults = question.at_most.span, question.faults
    if not seen.watched:
        return inf
    most = most_of(seen.removals)
    an_hour_for_an_hour = most * span / (seen.watched * times)
    sleeps = _each(most, seen.sleeps * times) * faults.sleeps(question.members, span) if faults.asleep else 0.0
    if not faults.lost and not faults.others:
        return sleeps if faults.asleep else an_hour_for_an_hour
    return sleeps + min(by_loss(policy, variant, question, seen, times), an_hour_for_an_hour)


def by_loss(policy: str, variant: Variant, question: Question, seen: Seen, times: float = 1.0) -> float:
    """Those after a silence that is none but lost heartbeats."""
    silences = silences_by_loss(policy, variant, question, seen)
    return silences * min(1.0, _each(most_of(seen.removals_of_silenced), seen.silenced * times))


def at_least(question: Question, seen: Seen) -> float:
    """The same by the sleeps, or where nobody sleeps by the hours."""
    span, least = question.at_most.span, least_of(seen.removals)
    if not seen.removals:
        return 0.0
    if question.faults.asleep:
        return least / max(1, seen.sleeps) * question.faults.sleeps(question.members, span)
    return least * span / seen.watched


def wants_silences(policy: str, variant: Variant, question: Question, seen: Seen) -> bool:
    """Whether it is worth while to watch what comes of a silence. A cluster removes whom it suspects: nothing is to be
    seen there."""
    if policy not in KNOWN or not variant.is_group or question.faults.others:
        return False
    return by_loss(policy, variant, question, seen) > SMALL * question.at_most.many


def hours_needed(policy: str, variant: Variant, question: Question, seen: Seen) -> float:
    """So many hours, with no more removals than were seen, and it could be said that the candidate keeps what was
    asked. inf: more than anybody watches."""
    hours = seen.took / HOUR

    def enough(times: float) -> bool:
        return at_most(policy, variant, question, seen, times) <= question.at_most.many

    high = 1.0
    while hours and not enough(high) and high * hours < LONGEST:
        high *= 2
    if not hours or not enough(high):
        return inf
    low = 0.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return hours * high


def _each(most: float, seen: float) -> float:
    return most / seen if seen else inf
