"""The clusters at the end of a run that have a partition table: each with its master, its members and the table's rows.

The checks of the end, "balanced" and "in place", share it."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.shared.operations import operations
from shaketable.harness.checks.shared.tables import in_order
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import Leaving, PartitionsPlanned, TableChanged
from shaketable.node.messages import Member, Row, Uuid


@dataclass(slots=True)
class Cluster:
    master: Process
    settings: Settings
    members: tuple[Member, ...]
    staying: tuple[Member, ...]
    """those that may hold data: no lite ones, and nobody who is leaving"""
    rows: dict[int, Row]
    version: int
    changed: Record
    """how the table came to be as it is"""
    before_the_plan: dict[int, Row]
    """the rows from which its master planned last, or would have, had there been anything to plan"""

    def group(self, member: Member) -> str:
        """In which it is: a rack, or itself alone."""
        return str(self.settings.groups.get(member.address, member.uuid))

    def index_of(self, partition: int, uuid: Uuid) -> int | None:
        row = self.rows.get(partition, ())
        return row.index(uuid) if uuid in row else None


def clusters(history: History, bounds: Bounds) -> Iterator[Cluster]:
    """Of masters that live and can act."""
    if not history.of(TableChanged):
        return
    leaving = {record.incarnation: True for record in history.of(Leaving) if record.time <= history.end}
    told: dict[Uuid, list[tuple[Record, TableChanged]]] = {}
    plans: dict[Uuid, list[int]] = {}
    for record in in_order(history, (TableChanged, PartitionsPlanned)):
        if isinstance(record.event, TableChanged):
            told.setdefault(record.incarnation, []).append((record, record.event))
        else:
            plans.setdefault(record.incarnation, []).append(record.sequence)
    for process in history.processes.values():
        leads = process.following is not None and process.following.uuid == process.uuid
        if not (leads and process.alive and process.installs and history.executing(process) and process.uuid in told):
            continue
        rows: dict[int, Row] = {}
        before: dict[int, Row] = {}
        planned = plans.get(process.uuid, [])
        for record, event in told[process.uuid]:
            if planned and record.sequence > planned[0]:
                before = dict(rows)
                del planned[: bisect(planned, record.sequence)]
            if event.change in ("assigned", "found"):
                rows.clear()
            rows.update((partition, _trimmed(row)) for partition, row in event.rows)
            if event.change == "assigned":
                before = dict.fromkeys(rows, ())
            elif event.change in ("found", "repaired", "owner assigned"):
                before = dict(rows)
        members = process.installs[-1].view.members
        staying = tuple(m for m in members if not m.lite and m.uuid not in leaving)
        settings = history.settings_of(process.node, bounds.settings)
        last, event = told[process.uuid][-1]
        yield Cluster(process, settings, members, staying, rows, event.version, last, before)


def last_write(history: History, bounds: Bounds) -> Micros:
    """After that nothing is written any more. But an owner may still be giving its backups a write of a client that did
    not live to see the end."""
    last = 0
    for key in operations(history).keys.values():
        for write in key.writes:
            if write.returned is not None:
                last = max(last, write.returned.time)
                continue
            settings, caller = history.settings_of(write.called.node, bounds.settings), write.called.incarnation
            end, process = write.called.time + settings.operation_timeout, history.by_uuid.get(caller)
            if process is not None and process.ended is not None:
                end = min(end, process.ended.time + settings.backup_timeout)
            last = max(last, end)
    return last


def mended_after(settings: Settings) -> Micros:
    """Two rounds of anti-entropy: in that time a backup that differs has to be as its owner."""
    return 2 * settings.backup_sync_interval + settings.backup_timeout


def _trimmed(row: Row) -> Row:
    """Whether a row is told with its empty indexes at the end or without makes no difference."""
    filled = [place for place, uuid in enumerate(row) if uuid is not None]
    return row[: filled[-1] + 1] if filled else ()
