"""The deeds of a plan that came upon what they wait for: a hold its event, a filter its message, a joiner its master.

In virtual time the same seed comes upon it at the same moment. In real processes the moment varies. A script that waits
for it does not depend on the time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from shaketable.harness.faults.kinds import kinds_told
from shaketable.harness.nemesis.deeds import JOIN, KINDS, moments_of
from shaketable.harness.nemesis.plan import Plan
from shaketable.harness.nemesis.playing import left_out_in
from shaketable.harness.records import DatagramCaught, FaultAsked, NodeSpawned, Record
from shaketable.node.core.env import Micros
from shaketable.node.events import FilterMatched, Held, MasterFollowed


@dataclass(frozen=True, slots=True)
class Met:
    at: Micros
    """after all had formed"""
    master: str = ""
    """of a node that has joined: whom it follows"""


NOTHING: Final[Mapping[int, Met]] = {}


def came_upon(plan: Plan, records: Sequence[Record]) -> dict[int, Met]:
    """By number of the deed; of a run that played this plan."""
    return dict(chain(_caught(plan, records), _joined(plan, records)))


def _caught(plan: Plan, records: Sequence[Record]) -> Iterator[tuple[int, Met]]:
    left_out = left_out_in(records)
    begun = [moment.deed for moment in moments_of(plan) if moment.first and moment.deed not in left_out]
    deeds = [number for number in begun if KINDS[plan.deeds[number].verb].comes_upon]
    asked = [(r.time, r.event.fault) for r in records if isinstance(r.event, FaultAsked) and _waits_too(r.event)]
    first: dict[int, Micros] = {}
    for record in records:
        if isinstance(record.event, FilterMatched | Held | DatagramCaught):
            first.setdefault(record.event.fault, record.time)
    for number, (time, fault) in zip(deeds, asked, strict=True):
        if fault in first:
            yield number, Met(plan.deeds[number].at + first[fault] - time)


def _joined(plan: Plan, records: Sequence[Record]) -> Iterator[tuple[int, Met]]:
    names = {record.incarnation: record.node for record in records if record.node}
    spawned = {record.event.peer: record.time for record in records if isinstance(record.event, NodeSpawned)}
    follows: dict[str, tuple[Micros, str]] = {}
    for record in records:
        if isinstance(record.event, MasterFollowed) and record.event.master.uuid != record.incarnation:
            follows.setdefault(record.node, (record.time, names.get(record.event.master.uuid, "")))
    for number, deed in enumerate(plan.deeds):
        if deed.verb == JOIN and deed.on[0] in follows:
            time, master = follows[deed.on[0]]
            yield number, Met(deed.at + time - spawned[deed.on[0]], master)


def _waits_too(asked: FaultAsked) -> bool:
    kind, _ = kinds_told(asked.kinds)
    return bool(kind.comes_upon)
