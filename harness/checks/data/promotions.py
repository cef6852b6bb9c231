"""Of the check "no lost data": which backups were promoted, and that they tell of it.

From text 3.1.1. A map with fewer backups than the index of the promoted member had nothing there. Its data of that
partition are lost, and only the promotion with its index tells of it. (The real system tells of a lost partition with
that index minus 1.)"""

from __future__ import annotations

from typing import NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import Findings
from shaketable.harness.checks.shared.tables import in_order
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import ReplicaPromoted, TableChanged, TableInstalled
from shaketable.node.messages import Row, Uuid


class _Promotion(NamedTuple):
    """By this change of a master's table."""

    record: Record
    version: int
    partition: int
    owner: Uuid
    place: int
    """its index before"""
    knew: bool
    """that index"""


class Promotions:
    def __init__(self, history: History, bounds: Bounds, findings: Findings) -> None:
        self.beyond = 0
        """so many from an index that not every map keeps"""
        self._history = history
        self._findings = findings
        self._told: dict[tuple[Uuid, int], list[ReplicaPromoted]] = {}
        self._has: dict[Uuid, tuple[Uuid, int]] = {}
        """by process, of whom its last table is, and its version"""
        self._rows: dict[tuple[Uuid, int], list[tuple[int, Row]]] = {}
        """by master and partition, since which version it has which row"""
        for promotion in self._read():
            settings = history.settings_of(promotion.record.node, bounds.settings)
            self.beyond += promotion.place > min(settings.backup_counts.values())
            if self._has_learnt(promotion):
                self._judge(promotion)

    def _read(self) -> list[_Promotion]:
        promotions = []
        for record in in_order(self._history, (TableChanged, TableInstalled, ReplicaPromoted)):
            event, me = record.event, record.incarnation
            if isinstance(event, ReplicaPromoted):
                self._told.setdefault((me, event.partition), []).append(event)
            elif isinstance(event, TableInstalled):
                self._has[me] = event.master.uuid, event.version
            elif isinstance(event, TableChanged):
                self._has[me] = me, event.version
                for partition, row in event.rows:
                    told = self._rows.setdefault((me, partition), [])
                    owner, before = row[0] if row else None, told[-1][1] if told else ()
                    if event.change == "repaired" and owner is not None and owner in before[1:]:
                        knew = self._knew(owner, partition)
                        promotions.append(
                            _Promotion(record, event.version, partition, owner, before.index(owner), knew)
                        )
                    told.append((event.version, row))
        return promotions

    def _knew(self, owner: Uuid, partition: int) -> bool:
        """That it was a backup there: a table that says so has reached it, or one of which nothing is known."""
        whose, version = self._has.get(owner, ("", 0))
        told = [row for since, row in self._rows.get((whose, partition), ()) if since <= version]
        return owner in told[-1] if told else bool(whose)

    def _has_learnt(self, promotion: _Promotion) -> bool:
        """It knew its index, lives, has followed that master since then, and has that table or a later one."""
        process = self._history.by_uuid.get(promotion.owner)
        if not promotion.knew or process is None or not process.alive or not process.follows:
            return False
        since, master = process.follows[-1]
        whose, version = self._has.get(promotion.owner, ("", 0))
        return whose == master.uuid == promotion.record.incarnation and (
            since <= promotion.record.time and version >= promotion.version
        )

    def _judge(self, promotion: _Promotion) -> None:
        told = self._told.get((promotion.owner, promotion.partition), [])
        if any(event.replica == promotion.place and event.version >= promotion.version for event in told):
            return
        who, owner = self._history.name, self._history.by_uuid[promotion.owner]
        whom = "itself" if promotion.owner == promotion.record.incarnation else who(owner)
        said = f"makes {whom}, at index {promotion.place}, the owner of partition {promotion.partition} in"
        master = self._history.by_uuid[promotion.record.incarnation]
        self._findings.add(
            f"{who(master)} {said} v{promotion.version}, and that one never tells of it.", [promotion.record]
        )
