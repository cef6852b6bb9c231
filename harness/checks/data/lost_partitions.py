"""Of the check "no lost data": a partition whose replicas are all gone gets an owner, and an event says it is lost.

From text 3.1.1 and rulings 6.8."""

from __future__ import annotations

from dataclasses import dataclass, field

from shaketable.harness.checks.result import Findings
from shaketable.harness.checks.shared.tables import in_order, shown
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import PartitionLost, TableChanged
from shaketable.node.messages import Row


@dataclass(slots=True)
class _Master:
    rows: dict[int, Row] = field(default_factory=dict)
    empty: dict[int, Record] = field(default_factory=dict)
    """by partition, with which change it had nobody any more"""
    told: dict[int, bool] = field(default_factory=dict)


class LostPartitions:
    def __init__(self, history: History, findings: Findings) -> None:
        self.partitions = 0
        """so many times one was lost"""
        self._history = history
        self._findings = findings
        masters: dict[str, _Master] = {}
        for record in in_order(history, (TableChanged, PartitionLost)):
            master = masters.get(record.incarnation)
            if master is None:
                master = masters[record.incarnation] = _Master()
            if isinstance(record.event, TableChanged):
                self._changed(master, record, record.event)
            elif isinstance(record.event, PartitionLost):
                self._lost(master, record, record.event)

    def _changed(self, master: _Master, record: Record, event: TableChanged) -> None:
        if event.change in ("assigned", "found"):
            master.rows.clear()
            master.empty.clear()
            master.told.clear()
        for partition, row in event.rows:
            master.rows[partition] = row
            if not any(row):
                master.empty.setdefault(partition, record)
            elif partition in master.empty:
                self.partitions += 1
                before = master.empty.pop(partition)
                if not master.told.pop(partition, False):
                    said = f"gives partition {partition} a new owner in v{event.version}, for all who held it are gone"
                    self._accuse(record, f"{said}, and does not tell that it is lost", before, record)

    def _lost(self, master: _Master, record: Record, event: PartitionLost) -> None:
        master.told[event.partition] = True
        row = master.rows.get(event.partition, ())
        if event.partition not in master.empty and any(row):
            held = shown(row, self._history.names)
            self._accuse(record, f"tells that partition {event.partition} is lost, and its table has {held}", record)

    def _accuse(self, record: Record, said: str, *proof: Record) -> None:
        who = self._history.names.process(record.node, record.incarnation)
        self._findings.add(f"{who} {said}.", proof)
