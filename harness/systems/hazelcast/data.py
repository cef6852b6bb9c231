"""What a member tells of its clients, of the partition table and of its data.

Hazelcast has no one version of its table: each partition has its own. Their sum stands for it. It grows with each
change, and is the same where the tables are the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from shaketable.harness.systems.hazelcast import facts
from shaketable.harness.systems.hazelcast.lines import Line
from shaketable.harness.systems.hazelcast.state import State
from shaketable.node.events import (
    OperationCalled,
    OperationReturned,
    PartitionLost,
    SafetyChanged,
    StockTaken,
    TableChanged,
    TableInstalled,
    TablePublished,
)
from shaketable.node.messages import Row
from shaketable.node.why import Because, Why, because, or_nothing

_WHY_NOT_SAFE: Final[Mapping[str, Because]] = {
    "MIGRATION_LOCAL": because(Why.MIGRATES_HERE),
    "MIGRATION_ON_MASTER": because(Why.MIGRATIONS_WAIT),
    "REPLICA_NOT_SYNC": because(Why.BACKUPS_IN_DOUBT),
    "REPLICA_NOT_OWNED": because(Why.REPLICAS_MISSING),
    "FETCHING_PARTITION_TABLE": because(Why.SEARCHING),
    "NOT_JOINED": because(Why.NO_MEMBER),
}
_COLUMN: Final = (1 << 60) - 1
"""what a history's columns take"""


class Data:
    def __init__(self, state: State) -> None:
        self._state = state
        self.rows: dict[int, Row] = {}
        self.version = 0
        """of the table that was told last"""
        self.committed: Because | None = None
        """the migration by which the table changes next"""
        self._lost: dict[int, str] = {}
        """partitions whose holders are all gone, and that have no new owner yet: the lines that say so"""
        self._not_safe: Because | None = None
        self._safety_is_told = False
        self._merges = False
        """while it goes over, until its entries are merged"""
        self._stamp = 0
        self._published = 0
        self._led = False
        """when the table was told last"""

    def hear(self, fact: Any) -> bool:
        """Whether it is a fact of this kind."""
        handler = _HANDLERS.get(type(fact))
        if handler is not None:
            handler(self, fact)
        return handler is not None

    def _called(self, fact: facts.Called) -> None:
        self._state.tell(
            OperationCalled(fact.client, fact.number, fact.does, fact.map, fact.key, fact.value, fact.partition)
        )

    def _returned(self, fact: facts.Returned) -> None:
        whys = {"ok": None, "failed": Why.TOO_FEW_MEMBERS}
        why = whys.get(fact.outcome, Why.OWNER_SILENT)
        told = fact.client, fact.number, fact.outcome, fact.value, fact.holders
        self._state.tell(OperationReturned(*told, 1, fact.reason, why))

    def _safe(self, fact: facts.Safe) -> None:
        why_not = None if fact.state == "SAFE" else _WHY_NOT_SAFE.get(fact.state)
        if fact.state != "SAFE" and why_not is None:
            self._state.troubles.append(f"it names its state of safety {fact.state}, which is not known")
            self._state.tell(SafetyChanged(False, *or_nothing(None)))
            return
        self._not_safe, self._safety_is_told = why_not, True
        if why_not is not None or not self._merges:
            self._tell_safety(why_not)

    def _lifecycle(self, fact: facts.Lifecycle) -> None:
        """Hazelcast calls a member safe whose own entries are not yet merged."""
        had, self._merges = self._merges, fact.state == "MERGING"
        if self._safety_is_told and had != self._merges and self._not_safe is None:
            self._tell_safety(because(Why.MERGE_ON_ITS_WAY) if self._merges else None)

    def _tell_safety(self, why_not: Because | None) -> None:
        self._state.tell(SafetyChanged(why_not is None, *or_nothing(why_not)))

    def _table(self, fact: facts.Table) -> None:
        state = self._state
        self.rows = {**self.rows, **dict(fact.rows)}
        had, self.version = self.version, fact.version
        if not any(self.rows.values()):
            self.version, self._led = 0, False  # another identity, or none yet
            return
        self._stamp = stamp = int(fact.stamp) & _COLUMN
        if fact.master:
            change, why = self._change(had, self._lost_and_given(fact))
            rows = tuple(self.rows.items()) if change == "found" else fact.rows
            state.tell(TableChanged(fact.version, stamp, change, tuple(sorted(rows)), *why))
        elif state.master is not None:
            why = because(Why.COMMIT if fact.migrates else Why.PUBLISHED)
            state.tell(TableInstalled(fact.version, stamp, state.master, (), *why))
        self._led = fact.master

    def _lost_and_given(self, fact: facts.Table) -> bool:
        """Whether this table gives lost partitions their new owners. Which are lost is logged before that."""
        given = [partition for partition, row in fact.rows if partition in self._lost and any(row)]
        for partition in given:
            self._state.tell(PartitionLost(partition, fact.version), self._lost.pop(partition))
        return bool(given)

    def _change(self, had: int, given: bool) -> tuple[str, Because]:
        if given:
            return "owner assigned", because(Why.ALL_HOLDERS_GONE)
        if not had:
            return "assigned", because(Why.FIRST_TIME)
        if not self._led:
            return "found", because(Why.MOST_RECENT, "the newest that was found")
        committed, self.committed = self.committed, None
        return ("committed", committed) if committed is not None else ("repaired", because(Why.OFF_THE_TABLE))

    def sends(self, line: Line) -> None:
        """The table, or the migrations of which it is made: which of these it keeps as completed is not logged."""
        to = len(self._state.members) - 1
        if to > 0:
            change, self._published = self.version != self._published, self.version
            self._state.tell(TablePublished(self.version, self._stamp, to, (), change))

    def lost(self, line: Line) -> None:
        if self.version:  # without a table it has lost nothing that it knows of
            self._lost[int(line.said["partition"])] = self._state.line

    def _stock(self, fact: facts.Stock) -> None:
        holds = tuple(
            (partition, index, tuple((name, 0, entries, int(checksum) & _COLUMN) for name, entries, checksum in maps))
            for partition, index, maps in fact.holds
        )
        self._state.tell(StockTaken(self.version, holds))


_HANDLERS: Final[Mapping[type, Callable[[Data, Any], None]]] = {
    facts.Called: Data._called,
    facts.Returned: Data._returned,
    facts.Safe: Data._safe,
    facts.Lifecycle: Data._lifecycle,
    facts.Table: Data._table,
    facts.Stock: Data._stock,
}
