"""The answer: of each ladder the candidate that keeps what was asked, the best of all, and each policy at equal cost.

How soon a candidate tells a crash is the time by which nine of ten crashes are told. Its cost is what a member
sends in a second, on the average, where nobody crashes or sleeps, and all else of the condition goes on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from typing import Final

from shaketable.harness.detectors.choosing.question import HOUR, Question
from shaketable.harness.detectors.choosing.search import KEEPS, Search, Tried
from shaketable.harness.detectors.quality.figures import quantile
from shaketable.harness.detectors.quality.of_a_run import NEVER
from shaketable.node.core.env import SECOND, Micros

NINE_OF_TEN: Final = 0.9
MESSAGES: Final = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
BYTES: Final = (50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 5_000.0)
"""costs, at which the policies are compared"""


@dataclass(frozen=True, slots=True)
class Point:
    """A candidate whose cost and detection time were measured."""

    tried: Tried
    policy: str
    messages: float
    bytes: float
    most: float
    median: Micros
    told: Micros
    crashes: int

    @property
    def keeps(self) -> bool:
        return self.tried.outcome == KEEPS


def points(search: Search) -> list[Point]:
    made = [_point(each) for each in search.all_tried() if each.told]
    return sorted(made, key=lambda each: (each.messages, each.told))


def _point(tried: Tried) -> Point:
    told = tried.told
    median, nine = quantile(told, 0.5), quantile(told, NINE_OF_TEN)
    assert median is not None
    assert nine is not None
    messages, size, most = (tried.average(name) for name in ("messages", "bytes", "most"))
    return Point(tried, tried.candidate.policy, messages, size, most, median, nine, len(told))


def good(question: Question, found: Sequence[Point]) -> list[Point]:
    """Those that keep what was asked, and tell crashes in time. Nobody wants one that does not tell some."""
    within = NEVER - 1 if question.within is None else question.within
    return [each for each in found if each.keeps and each.told <= within]


def best(question: Question, found: Sequence[Point]) -> Point | None:
    """Without a wish for the time the quickest one; with it the cheapest one that comes up to it."""
    fit = good(question, found)
    if question.within is None:
        return min(fit, key=lambda each: (each.told, each.messages), default=None)
    return min(fit, key=lambda each: (each.messages, each.told), default=None)


def front(found: Sequence[Point], policy: str) -> list[Point]:
    """Those of a policy that keep what was asked and of which no cheaper one is as quick; the cheapest first."""
    kept: list[Point] = []
    for each in found:  # by their messages
        if each.policy == policy and each.keeps and each.told < NEVER and (not kept or each.told < kept[-1].told):
            kept.append(each)
    return kept


def quickest(fit: Sequence[Point], cost: str, most: float) -> Point | None:
    """Of those that are not dearer. `cost`: messages or bytes."""
    cheap = [each for each in fit if getattr(each, cost) <= most]
    return min(cheap, key=lambda each: (each.told, getattr(each, cost)), default=None)


def in_json(question: Question, search: Search) -> list[str]:
    measured = {id(each.tried): each for each in points(search)}
    return [json.dumps(_told(question, each, measured.get(id(each)))) for each in search.all_tried() if each.outcome]


def _told(question: Question, tried: Tried, point: Point | None) -> dict[str, object]:
    """null: not measured; for a time, never."""
    seen, candidate = tried.seen, tried.candidate
    return {
        "policy": candidate.policy,
        "settings": candidate.settings,
        "members": question.members,
        "condition": question.faults.name,
        "outcome": tried.outcome,
        "false_removals_at_most": round(tried.most, 4) if tried.most and not isinf(tried.most) else None,
        "in_a": question.at_most.time,
        "hours_more": round(tried.hours_more, 1) if tried.hours_more and not isinf(tried.hours_more) else None,
        "runs": seen.runs,
        "hours": round(seen.took / HOUR, 3),
        "false_removals_seen": seen.removals,
        "sleeps_watched": seen.sleeps,
        "silences_watched": seen.silenced,
        "false_removals_seen_after_silences": seen.removals_of_silenced,
        **_measures(point),
    }


def _measures(point: Point | None) -> dict[str, object]:
    if point is None:
        return dict.fromkeys(
            ("median", "nine_of_ten", "crashes", "messages_a_member_and_second", "bytes_a_member_and_second")
        )
    return {
        "median": _seconds(point.median),
        "nine_of_ten": _seconds(point.told),
        "crashes": point.crashes,
        "messages_a_member_and_second": round(point.messages, 3),
        "bytes_a_member_and_second": round(point.bytes, 1),
        "messages_of_the_busiest_in_a_second": round(point.most, 3),
    }


def _seconds(time: Micros) -> float | None:
    return None if time == NEVER else time / SECOND
