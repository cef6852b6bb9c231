"""Two runs side by side: the first event of note in one of them that the other never has.

Two seeds differ in each delay, so an order within milliseconds means nothing. Events are compared node by node, by what
they say and not by when: the k-th time that a node says something in one run is matched with the k-th time in the
other. Deeds of the script and its faults are compared likewise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from shaketable.harness.history.history import History
from shaketable.harness.records import (
    FaultAsked,
    FaultWithoutEffect,
    InvariantBroken,
    NodeEnded,
    NodeSpawned,
    Record,
    StepBegan,
)
from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.messages import Member

OF_NOTE: Final[tuple[type[Event], ...]] = (
    e.Joined, e.Stopped, e.Failed, e.MasterFollowed, e.ViewInstalled, e.MemberRemoved, e.Suspected, e.SuspicionEnded,
    e.DisconnectionResolved, e.DisconnectionUnresolved, e.ClaimStarted, e.ClaimFinished, e.ClaimDeclined,
    e.MergeBegan, e.Merging, e.Merged, e.MergeFailed, e.PartitionLost, e.TableRefused, e.PlanCancelled,
    e.LeadershipTaken, e.LeadershipYielded, e.NotificationPublished, e.Signalled, e.HealthAnnouncedToAll,
    StepBegan, FaultAsked, FaultWithoutEffect, NodeSpawned, NodeEnded, InvariantBroken,
)  # fmt: skip
"""what changes who is with whom, and what is done to a cluster; the course of single migrations and operations is left
out, for it differs with each seed"""

LEFT_OUT: Final = frozenset({"reason", "silence", "work", "unsettled", "replicas", "reports"})
"""fields that differ from seed to seed and say how a thing came about, not what it is"""

Fact = tuple[object, ...]
"""A node, a kind of event, and the values of its fields, with names in the place of identities."""


class Difference(NamedTuple):
    record: Record
    """the first one that has no counterpart"""
    in_first: bool
    """of the two runs"""
    alike: int
    """events of note before it that both have"""


def of_note(history: History) -> list[Record]:
    return [each for each in history.records if each.time <= history.end and isinstance(each.event, OF_NOTE)]


def first_difference(one: History, other: History) -> Difference | None:
    """By the time of its own run; None: there is none."""
    found = [
        (record.time, not in_first, record, in_first)
        for here, there, in_first in ((one, other, True), (other, one, False))
        if (record := next(_without_counterpart(here, there), None)) is not None
    ]
    if not found:
        return None
    *_, record, in_first = min(found, key=lambda each: each[:2])
    alike = sum(1 for each in of_note(one if in_first else other) if each[:4] < record[:4])
    return Difference(record, in_first, alike)


def _without_counterpart(here: History, there: History) -> Iterator[Record]:
    left = Counter(fact_in(record, there) for record in of_note(there))
    for record in of_note(here):
        fact = fact_in(record, here)
        if left[fact]:
            left[fact] -= 1
        else:
            yield record


def fact_in(record: Record, history: History) -> Fact:
    event = record.event
    values = (_named(getattr(event, name), history) for name in event.__struct_fields__ if name not in LEFT_OUT)
    return (record.node, type(event).__name__, *values)


def _named(value: object, history: History) -> object:
    match value:
        case Member():
            return history.names.place(value.address)
        case tuple() | list():
            return tuple(_named(each, history) for each in value)
        case dict():
            return tuple(sorted((key, _named(each, history)) for key, each in value.items()))
        case str() if value in history.by_uuid:
            return history.by_uuid[value].node
    return value
