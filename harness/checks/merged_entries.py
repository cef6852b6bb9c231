"""Of the checks of data: an entry that merges is an operation of its own on its key, from the moment when it is brought
to its owner until it is known what became of it.

One that is lost has changed nothing. One that was there already is there; of one that another owner has decided on
before, and of one of which nothing was heard, nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from shaketable.harness.checks.tables import in_order
from shaketable.harness.recording.history import History
from shaketable.harness.records import Record
from shaketable.node.events import EntriesBrought, EntriesMerged, OperationCalled, OperationReturned
from shaketable.node.messages import Uuid

Merging = tuple[Record, OperationCalled, Record | None, OperationReturned | None]
"""as an operation: call and return"""
CLIENT: Final = "merge"
BEFORE: Final = "it was decided on before, by another owner"
"""what an owner says of an entry of which it cannot know more"""


class Decision(NamedTuple):
    """What became of one entry that merges."""

    brought: Record
    """to its first owner"""
    asked: Record
    """when it was brought to who has decided on it"""
    told: Record
    event: EntriesMerged
    key: str
    value: str
    outcome: str
    now: str | None
    """the value that is there since"""
    reason: str


def decisions(history: History) -> Iterator[Decision]:
    brought = _brought(history)
    asked: dict[tuple[Uuid, int], Record] = {}
    for told in in_order(history, (EntriesBrought, EntriesMerged)):
        event = told.event
        assert isinstance(event, EntriesBrought | EntriesMerged)
        batch = told.incarnation, event.number
        if isinstance(event, EntriesBrought):
            asked[batch] = told
        elif batch in asked:
            for entry in event.entries:
                yield Decision(brought[batch], asked[batch], told, event, *entry)


def merging_operations(history: History) -> Iterator[Merging]:
    """In the order in which they were brought."""
    brought = _brought(history)
    told = {}
    for record in in_order(history, (EntriesMerged,)):
        assert isinstance(record.event, EntriesMerged)
        told[record.incarnation, record.event.number] = record
    for where, began in brought.items():
        event, end = began.event, told.get(where)
        assert isinstance(event, EntriesBrought)
        for place, (key, value) in enumerate(event.entries):
            call = OperationCalled(CLIENT, event.number + place, "put", event.map, key, value, event.partition)
            if end is None:
                yield began, call, None, None
            else:
                yield from _ended(began, call, end, place)


def _brought(history: History) -> dict[tuple[Uuid, int], Record]:
    """By who brings it, and its number: when it was brought first."""
    found: dict[tuple[Uuid, int], Record] = {}
    for record in in_order(history, (EntriesBrought,)):
        assert isinstance(record.event, EntriesBrought)
        found.setdefault((record.incarnation, record.event.number), record)
    return found


def _ended(began: Record, call: OperationCalled, told: Record, place: int) -> Iterator[Merging]:
    event = told.event
    assert isinstance(event, EntriesMerged)
    _, _, outcome, now, reason = event.entries[place]
    if outcome == "lost":
        if reason == BEFORE:
            yield began, call, None, None
        return
    holders = (event.peer.uuid,) if outcome == "there" else event.holders
    if outcome == "changed":
        does, value = ("remove", "") if now is None else ("put", now)
        call = OperationCalled(CLIENT, call.number, does, call.map, call.key, value, call.partition)
    yield began, call, told, OperationReturned(CLIENT, call.number, "ok", None, holders, event.attempts, reason)
