"""The figures of one run, as plain data: any process can play it, and nobody keeps its records.

There are two levels. `DOUBTED`: a suspicion counts as well as a removal. `REMOVED`: the list alone counts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from shaketable.harness.detectors.quality.beliefs import Beliefs, beliefs
from shaketable.harness.detectors.quality.course import Sent, Trace
from shaketable.harness.detectors.quality.measures import Accuracy, accuracy, detection
from shaketable.harness.detectors.quality.watches import watches
from shaketable.node.core.env import Micros

DOUBTED, REMOVED = "doubted", "removed"
LEVELS: Final = (DOUBTED, REMOVED)
NEVER: Final[Micros] = 2**62
"""the detection time of a crash that somebody had not detected by the end"""


class AtLevel(msgspec.Struct, frozen=True):
    detections: list[Micros]
    """of each crash, until the last survivor"""
    first: list[Micros]
    """until the first one"""
    rate: float | None
    """mistakes in an hour, of one observer about one member; None: nothing was watched"""
    accuracy: float | None
    """the query accuracy"""
    mistakes: int
    durations: list[Micros]
    recurrences: list[Micros]
    watched: Micros
    """by all pairs together"""
    rate_of_well: float | None
    """the same rate, about members to which nothing is done"""


class OfRun(msgspec.Struct, frozen=True):
    members: int
    levels: dict[str, AtLevel]
    """those that are told"""
    some_are_ill: bool
    """something is done to some members, and not to the others"""
    lasted: Micros
    sent: Sent | None
    """None: nobody counts it"""
    repaired: int
    """members that were started again"""


def measured(trace: Trace) -> OfRun:
    return OfRun(
        trace.members,
        {name: _at_level(trace, doubts=name == DOUBTED) for name in LEVELS if trace.doubts_told or name != DOUBTED},
        bool(trace.ill),
        trace.end - trace.begin,
        trace.sent,
        len(trace.repaired),
    )


def _at_level(trace: Trace, *, doubts: bool) -> AtLevel:
    known = beliefs(trace.records, trace.gone, trace.end, doubts=doubts)
    found = _accuracy(trace, known)
    crashes = [detection(known, uuid, until) for uuid, until in trace.looked_until.items()]
    told = [each for each in crashes if each is not None]
    return AtLevel(
        [NEVER if each.last is None else each.last for each in told],
        [NEVER if each.first is None else each.first for each in told],
        found.rate,
        found.query_accuracy,
        found.mistakes,
        [*found.durations],
        [*found.recurrences],
        found.watched,
        _accuracy(trace, known, trace.ill).rate if trace.ill else found.rate,
    )


def _accuracy(trace: Trace, known: Beliefs, ill: Collection[str] = ()) -> Accuracy:
    cut = (watch.within(trace.begin, trace.end) for watch in watches(known, trace.repaired, ill))
    return accuracy(watch for watch in cut if watch is not None)
