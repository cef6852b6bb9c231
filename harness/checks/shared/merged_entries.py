"""Of the checks of data: an entry that merges is an operation of its own on its key, from the moment when it is brought
to its owner until it is known what became of it.

One that is lost has changed nothing. One that was there already is there; of one that another owner has decided on
before, and of one of which nothing was heard, nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from shaketable.harness.checks.shared.tables import in_order
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import EntriesBrought, EntriesMerged, OperationCalled, OperationReturned
from shaketable.node.messages import Uuid
from shaketable.node.why import Why

Merging = tuple[Record, OperationCalled, Record | None, OperationReturned | None]
"""as an operation: call and return"""
CLIENT: Final = "merge"


class Decision(NamedTuple):
    """What became of one entry that merges."""

    brought: Record
    """to its first owner"""
    asked: Record
    """when it was brought to the member that has decided on it"""
    told: Record
    event: EntriesMerged
    key: str
    value: str
    outcome: str
    now: str | None
    """the value that is there since"""
    reason: str
    why: Why


def decisions(history: History) -> Iterator[Decision]:
    brought = _brought(history)
    asked: dict[tuple[Uuid, int], Record] = {}
    records: list[Record[EntriesBrought | EntriesMerged]] = in_order(history, (EntriesBrought, EntriesMerged))
    for told in records:
        event = told.event
        batch = told.incarnation, event.number
        if isinstance(event, EntriesBrought):
            asked[batch] = told
        elif batch in asked:
            for entry, why in zip(event.entries, event.whys, strict=True):
                yield Decision(brought[batch], asked[batch], told, event, *entry, why)


def merging_operations(history: History) -> Iterator[Merging]:
    """In the order in which they were brought."""
    brought = _brought(history)
    told = {}
    for record in in_order(history, (EntriesMerged,)):
        told[record.incarnation, record.event.number] = record
    for where, began in brought.items():
        event, end = began.event, told.get(where)
        for place, (key, value) in enumerate(event.entries):
            call = OperationCalled(CLIENT, event.number + place, "put", event.map, key, value, event.partition)
            if end is None:
                yield began, call, None, None
            else:
                yield from _ended(began, call, end, place)


def _brought(history: History) -> dict[tuple[Uuid, int], Record[EntriesBrought]]:
    """By the member that brings it, and its number: when it was brought first."""
    found: dict[tuple[Uuid, int], Record[EntriesBrought]] = {}
    for record in in_order(history, (EntriesBrought,)):
        found.setdefault((record.incarnation, record.event.number), record)
    return found


def _ended(began: Record, call: OperationCalled, told: Record[EntriesMerged], place: int) -> Iterator[Merging]:
    event = told.event
    (_, _, outcome, now, reason), why = event.entries[place], event.whys[place]
    if outcome == "lost":
        if why is Why.DECIDED_BEFORE:  # its owner cannot know more of it
            yield began, call, None, None
        return
    holders = (event.peer.uuid,) if outcome == "there" else event.holders
    if outcome == "changed":
        does, value = ("remove", "") if now is None else ("put", now)
        call = OperationCalled(CLIENT, call.number, does, call.map, call.key, value, call.partition)
    yield began, call, told, OperationReturned(CLIENT, call.number, "ok", None, holders, event.attempts, reason, why)
