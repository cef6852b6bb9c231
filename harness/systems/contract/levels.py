"""How much a node tells, by levels: each has all of those before it, but the lowest, where members are a set and no
list. Nothing is judged that is not told."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Final

from shaketable.harness.records import Record
from shaketable.node import events
from shaketable.node.events import Event, cluster

LIFE: Final[tuple[type[Event], ...]] = (
    events.Started,
    events.Joined,
    events.Leaving,
    events.Stopped,
    events.Failed,
)
MASTERS: Final[tuple[type[Event], ...]] = (
    events.MasterFollowed,
    events.MemberRemoved,
    events.Suspected,
    events.SuspicionEnded,
    events.LinkUp,
    events.LinkDown,
    events.LinkClosed,
)
CLAIMS: Final[tuple[type[Event], ...]] = tuple(
    each for each in vars(cluster).values() if isinstance(each, type) and issubclass(each, Event) and each is not Event
)
OPERATIONS: Final[tuple[type[Event], ...]] = (events.OperationCalled, events.OperationReturned, events.StockTaken)
A_SET: Final = 0
LEVELS: Final[Mapping[int, str]] = {
    A_SET: "members, as a set",
    1: "views",
    2: "masters and suspicions",
    3: "claims and decisions",
    4: "operations",
    5: "everything: partition tables, migrations and merges",
}


def tells(level: int) -> frozenset[str] | None:
    """The kinds of event of this level, by their names; None: all."""
    if level >= max(LEVELS):
        return None
    higher: list[tuple[type[Event], ...]] = [(events.ViewInstalled,), MASTERS, CLAIMS, OPERATIONS]
    kinds: Iterable[type[Event]] = (
        itertools.chain(LIFE, *higher[:level]) if level > A_SET else (*LIFE, events.MembersSeen)
    )
    return frozenset(kind.__name__ for kind in kinds)


def as_a_set(record: Record) -> Record | None:
    """What a member of the lowest level would tell in the place of ours."""
    match record.event:
        case events.ViewInstalled(members=members):
            return record._replace(event=events.MembersSeen(members))
    return record
