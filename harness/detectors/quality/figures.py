"""The measures of one policy under one condition, over all runs: each run and each crash counts once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from shaketable.harness.detectors.intervals import interval_of_mean, interval_of_quantile
from shaketable.harness.detectors.quality.measures import HOUR
from shaketable.harness.detectors.quality.of_a_run import LEVELS, NEVER, REMOVED, AtLevel, OfRun
from shaketable.node.core.env import SECOND, Micros

SHARES: Final = {"median": 0.5, "90th_percentile": 0.9, "99th_percentile": 0.99}


@dataclass(frozen=True, slots=True)
class Level:
    detections: Sequence[Micros]
    """of each crash, until the last survivor"""
    first: Sequence[Micros]
    """until the first one"""
    rates: Sequence[float]
    """of each run: mistakes in an hour, of one observer about one member"""
    accuracies: Sequence[float]
    """of each run: the query accuracy"""
    mistakes: int
    durations: Sequence[Micros]
    recurrences: Sequence[Micros]


@dataclass(frozen=True, slots=True)
class Rates:
    """In a second."""

    messages: float
    bytes: float
    """that a member sends"""
    most: float
    """messages that the busiest member sends, or receives if that is more"""


@dataclass(frozen=True, slots=True)
class Quality:
    policy: str
    members: int
    condition: str
    runs: int
    levels: Mapping[str, Level]
    """those that are told"""
    well: Mapping[str, Sequence[float]]
    """of each level the rates by run, about members to which nothing is done. Empty: there are no others, or only
    others"""
    watched: Micros
    """by all pairs together"""
    sent: Rates | None
    """None: nobody counts it"""
    repaired: int
    """members that were started again"""


def quality(policy: str, condition: str, runs: Sequence[OfRun]) -> Quality:
    """At least one run."""
    members = runs[0].members
    told = runs[0].levels
    ill = any(each.some_are_ill for each in runs)
    return Quality(
        policy,
        members,
        condition,
        len(runs),
        {name: _level([each.levels[name] for each in runs]) for name in told},
        {name: _there(each.levels[name].rate_of_well for each in runs) for name in told if ill},
        sum(each.levels[REMOVED].watched for each in runs),
        _rates(runs),
        sum(each.repaired for each in runs),
    )


def _rates(runs: Sequence[OfRun]) -> Rates | None:
    sent = [each.sent for each in runs if each.sent is not None]
    if len(sent) < len(runs):
        return None
    lasted = sum(each.lasted for each in runs) / SECOND
    of_each = lasted * runs[0].members
    return Rates(
        sum(each.messages for each in sent) / of_each,
        sum(each.bytes for each in sent) / of_each,
        sum(each.most for each in sent) / lasted,
    )


def _level(runs: Sequence[AtLevel]) -> Level:
    return Level(
        [time for each in runs for time in each.detections],
        [time for each in runs for time in each.first],
        _there(each.rate for each in runs),
        _there(each.accuracy for each in runs),
        sum(each.mistakes for each in runs),
        [time for each in runs for time in each.durations],
        [time for each in runs for time in each.recurrences],
    )


def _there(values: Iterable[float | None]) -> list[float]:
    return [each for each in values if each is not None]


def quantile(values: Sequence[Micros], share: float) -> Micros | None:
    """A value that was measured: at least this share is not above it."""
    ordered = sorted(values)
    return next((each for place, each in enumerate(ordered, 1) if place >= share * len(ordered)), None)


def in_json(quality: Quality) -> str:
    """Times are in seconds; null: never, or nothing to say, or not told."""
    sent = quality.sent
    return json.dumps(
        {
            "policy": quality.policy,
            "members": quality.members,
            "condition": quality.condition,
            "runs": quality.runs,
            "hours_watched_by_all_pairs": round(quality.watched / HOUR, 3),
            "messages_a_member_and_second": None if sent is None else round(sent.messages, 3),
            "bytes_a_member_and_second": None if sent is None else round(sent.bytes, 1),
            "messages_of_the_busiest_in_a_second": None if sent is None else round(sent.most, 3),
            "members_started_again": quality.repaired,
            "mistakes_an_hour_about_members_that_are_well": {
                name: _mean(rates) for name, rates in quality.well.items()
            },
            **{name: _told(quality.levels[name]) if name in quality.levels else None for name in LEVELS},
        }
    )


def _told(level: Level) -> dict[str, object]:
    return {
        "detection_time": _times(level.detections, sure=True),
        "detection_time_of_the_first": _times(level.first, sure=True),
        "mistakes": level.mistakes,
        "mistakes_an_hour_of_a_pair": _mean(level.rates),
        "mistake_recurrence_time": _times(level.recurrences),
        "mistake_duration": _times(level.durations),
        "query_accuracy": _mean(level.accuracies),
    }


def _times(times: Sequence[Micros], *, sure: bool = False) -> dict[str, object]:
    """`sure`: each of them stands for itself. Those of the pairs of one run do not."""
    told: dict[str, object] = {"measured": len(times), "never": sum(each == NEVER for each in times)}
    for name, share in SHARES.items():
        told[name] = _seconds(quantile(times, share))
        if sure:
            interval = interval_of_quantile(times, share)
            told[f"interval_of_the_{name}"] = None if interval is None else [_seconds(each) for each in interval]
    return told


def _seconds(time: Micros | None) -> float | None:
    return None if time is None or time == NEVER else time / SECOND


def _mean(values: Sequence[float]) -> dict[str, object]:
    interval = interval_of_mean(values)
    return {"mean": fmean(values) if values else None, "interval": None if interval is None else list(interval)}
