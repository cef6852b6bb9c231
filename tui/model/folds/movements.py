"""Migrations on their way, over all nodes: what has left the owner in bytes, what has come to the destination.

The master's own queue is in the harness's fold; only the two ends know how far the data are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from shaketable.node.core.env import Micros
from shaketable.node.events import (
    ChunkArrived,
    ChunkSent,
    CommitSent,
    MigrationBegan,
    MigrationCopied,
    MigrationFinished,
    MigrationRequested,
    TableSearchEnded,
)
from shaketable.node.messages import MigrationInfo

REQUESTED: Final = "requested"
COPYING: Final = "copying"
COPIED: Final = "copied"
NOT_COPIED: Final = "not copied"
COMMIT_SENT: Final = "commit sent"
MOST: Final = 1000
"""that are kept at once: what was forgotten by everybody is not told"""
LAST: Final = 30
"""finished ones that are kept"""


class Movement(NamedTuple):
    partition: int
    since: Micros
    phase: str = REQUESTED
    info: MigrationInfo | None = None
    """None where the history lacks its request"""
    sent: int = 0
    """bytes that have left the owner"""
    arrived: int = 0
    total: int | None = None
    """None: the owner has not sent anything yet"""
    chunks_sent: int = 0
    chunks_arrived: int = 0
    reason: str = ""
    """why it was not copied"""


class Ended(NamedTuple):
    """A migration that has finished, by its master's word."""

    migration: str
    time: Micros
    successful: bool
    movement: Movement


@dataclass(slots=True)
class Movements:
    under_way: dict[str, Movement] = field(default_factory=dict)
    """by the migration's id, in the order in which they were requested"""
    succeeded: int = 0
    failed: int = 0
    bytes: int = 0
    """that came to the destinations of those that have succeeded"""
    last: tuple[Ended, ...] = ()
    """a few, the newest last"""

    def copy(self) -> Movements:
        return replace(self, under_way=dict(self.under_way))


def requested(seen: Movements, time: Micros, event: MigrationRequested) -> None:
    if len(seen.under_way) >= MOST:
        del seen.under_way[next(iter(seen.under_way))]
    seen.under_way[event.info.id] = Movement(event.partition, time, info=event.info)


def began(seen: Movements, time: Micros, event: MigrationBegan) -> None:
    before = seen.under_way.get(event.migration) or Movement(event.partition, time)
    if before.phase == REQUESTED:
        seen.under_way[event.migration] = before._replace(phase=COPYING)


def sent(seen: Movements, time: Micros, event: ChunkSent) -> None:
    before = seen.under_way.get(event.stream)
    if before is not None:  # else it is a backup that is mended
        seen.under_way[event.stream] = before._replace(
            sent=max(before.sent, event.bytes), total=event.total, chunks_sent=max(before.chunks_sent, event.number)
        )


def arrived(seen: Movements, time: Micros, event: ChunkArrived) -> None:
    before = seen.under_way.get(event.stream)
    if before is not None:
        # Several small ones are told as one: their number is that of the last of them.
        fresh = event.number <= before.chunks_arrived  # the same data once more, from the beginning
        so_far = 0 if fresh else before.arrived
        seen.under_way[event.stream] = before._replace(arrived=so_far + event.bytes, chunks_arrived=event.number)


def copied(seen: Movements, time: Micros, event: MigrationCopied) -> None:
    before = seen.under_way.get(event.migration)
    if before is not None:
        phase = COPIED if event.copied else NOT_COPIED
        seen.under_way[event.migration] = before._replace(phase=phase, reason=event.reason)


def commit_sent(seen: Movements, time: Micros, event: CommitSent) -> None:
    before = seen.under_way.get(event.migration)
    if before is not None:
        seen.under_way[event.migration] = before._replace(phase=COMMIT_SENT)


def finished(seen: Movements, time: Micros, event: MigrationFinished) -> None:
    """The master's word counts; that of the owner, too, where no master is left to say it."""
    if event.role == "master":
        gone = seen.under_way.pop(event.migration, None)
        movement = gone or Movement(event.partition, time)
        seen.last = (*seen.last, Ended(event.migration, time, event.successful, movement))[-LAST:]
        if event.successful:
            seen.succeeded += 1
            seen.bytes += gone.arrived if gone is not None else 0
        else:
            seen.failed += 1
    elif event.role == "destination" and not event.successful:
        seen.under_way.pop(event.migration, None)


def search_ended(seen: Movements, time: Micros, event: TableSearchEnded) -> None:
    """A new master has decided what its predecessor had under way; nobody goes on with the rest."""
    for each in (*event.committed, *event.rolled_back):
        seen.under_way.pop(each, None)
