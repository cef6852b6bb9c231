"""Rows of the same in a story: what one member tells again and again in one scene is one moment.

So are the migrations that one master has done, of which there may be hundreds; one that fails is told by itself."""

from __future__ import annotations

from collections import Counter
from typing import Final

from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded, tell
from shaketable.harness.records import Record
from shaketable.node import events as e
from shaketable.node.core.env import Micros
from shaketable.node.events import Event

KINDS: Final[dict[type[Event], str]] = {
    e.TableRefused: "table",
    e.PartitionLost: "table",
    e.ReplicaPromoted: "table",
    e.MigrationRequested: "migration",
    e.MigrationRefused: "migration",
    e.ChunkRefused: "migration",
    e.ServiceFailed: "data",
    e.BackupMissed: "data",
    e.BackupDiffers: "data",
    e.BackupSynced: "data",
    e.BackupHadMore: "data",
    e.BackupNotHeard: "data",
    e.EntriesSetAside: "data",
    e.EntriesMerged: "data",
    e.EntriesGivenUp: "data",
    e.OperationReturned: "data",
}
"""and the master's MigrationFinished"""
MOST_PARTITIONS: Final = 8
"""that are named one by one"""


def kind_of(event: Event) -> str:
    """ "": nothing that is told in rows, or at all."""
    if isinstance(event, e.OperationReturned) and event.outcome == "ok":
        return ""
    if isinstance(event, e.MigrationFinished) and event.role == "master" and event.successful:
        return "migration"
    return KINDS.get(type(event), "")


class Rows:
    """The rows of one scene."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Row] = {}

    def take(self, record: Record, kind: str) -> Row | None:
        """The row that begins with this, None if it goes on with an earlier one."""
        event = record.event
        done = isinstance(event, e.MigrationRequested | e.MigrationFinished)
        key = record.incarnation, "migrations" if done else type(event).__name__
        row = self._open.get(key)
        if row is not None:
            row.records.append(record)
            return None
        self._open[key] = row = Migrations(record, kind) if done else Row(record, kind)
        return row

    def end_scene(self) -> None:
        self._open.clear()


class Row:
    left_out = 0

    def __init__(self, first: Record, kind: str) -> None:
        self.kind = kind
        self.records = [first]
        self.matters = isinstance(first.event, e.PartitionLost)

    def told(self, history: History) -> tuple[Micros, str]:
        first = self.records[0]
        said = tell(first, history.names)
        if len(self.records) == 1:
            return first.time, said
        return first.time, f"{said}; {len(self.records) - 1} more like that{self._within()}"

    def _within(self) -> str:
        took = rounded(self.records[-1].time - self.records[0].time)
        return f", within {took}" if took != "0.000 s" else ""


class Migrations(Row):
    """What one master asked for, and what of it, or of what it had asked for before, was committed."""

    def told(self, history: History) -> tuple[Micros, str]:
        first, names = self.records[0], history.names
        asked = [each.event.info for each in self.records if isinstance(each.event, e.MigrationRequested)]
        ends = [each.event for each in self.records if isinstance(each.event, e.MigrationFinished)]
        if len(asked) <= 1 and len(ends) <= 1:
            said = "; ".join([tell(first, names), *("it has committed it" for _ in self.records[1:])])
            return first.time, said
        types = Counter(info.migration.type for info in asked)
        what = ", ".join(f"{count} {name}" for name, count in types.items())
        partitions = sorted({info.partition for info in asked} or {end.partition for end in ends})
        where = " ".join(map(str, partitions))
        if len(partitions) > MOST_PARTITIONS:
            where = f"{len(partitions)} partitions, {partitions[0]} to {partitions[-1]}"
        elif partitions:
            where = f"partition{'s' * (len(partitions) > 1)} {where}"
        who = names.process(first.node, first.incarnation)
        asks = f"asks for {len(asked)} migrations ({what}) and " if asked else ""
        return first.time, f"{who} {asks}commits {len(ends)}, of {where}{self._within()}"
