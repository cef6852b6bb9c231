"""Live copies during a migration (text 3.3.2), by the masters' own tables.

- A row with a hole to fill and an index to give up at once ([C,-,B,A] to [A,B,C]) cannot keep that. It is counted
  apart, and never has fewer live copies than the target less the holes still to fill.
- A migration changes all its indexes in one version.
- Without a migration only members that have left the list are taken off, the first backup left becomes the owner, and
  only a partition without replicas gets another owner.
- A copy is live if its member is in the master's list when the migration is requested. A copy that a death takes away
  is no migration's doing, also while it is under way.
- A change is judged by its plan, after a cancelled plan by what was under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.shared.tables import in_order, padded, shown
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import Event, MigrationRequested, PartitionsPlanned, TableChanged, ViewInstalled
from shaketable.node.messages import MigrationInfo, Row, Uuid

NAME: Final = "replica count"
RULE: Final = (
    "A migration lowers the number of filled indexes only by giving up one that the target leaves empty, and never "
    "leaves fewer live copies than the row before the plan or the target, whichever has fewer. A rollback leaves all "
    "rows as before."
)
NEEDS: Final = (MigrationRequested, PartitionsPlanned, TableChanged, ViewInstalled)


def check(history: History, bounds: Bounds) -> CheckResult:
    judge = _Judge(history)
    if history.of(TableChanged):
        for record in in_order(history, _HANDLERS):
            _HANDLERS[type(record.event)](judge, record, record.event)
    looked_at = f"{counted(judge.migrations, 'migration')} of {counted(judge.plans, 'plan')}"
    looked_at += f" and {counted(judge.rollbacks, 'rollback')}"
    notes = []
    if judge.apart:
        looked_at += f", {judge.apart} of them in rows with a hole and a surplus at once"
        notes.append(f"of these {judge.below} left fewer copies than both the row before the plan and the target have")
    if judge.unproven:
        notes.append(f"{counted(judge.unproven, 'change')} by masters whose whole table is not told")
    return judge.findings.result(NAME, RULE, looked_at, judge.migrations + judge.rollbacks, notes=notes)


class Plan(NamedTuple):
    record: Record
    start: Row
    target: Row

    @property
    def has_a_hole_and_a_surplus(self) -> bool:
        pairs = list(zip(self.start, self.target, strict=True))
        return any(a is None and b is not None for a, b in pairs) and any(a is not None and b is None for a, b in pairs)


@dataclass(slots=True)
class _Master:
    rows: dict[int, Row] | None = None
    stamp: int = 0
    changed: Record | None = None
    live: frozenset[Uuid] = frozenset()
    planned: dict[str, Plan] = field(default_factory=dict)
    """by id of the migration"""
    newest: dict[int, Plan] = field(default_factory=dict)
    """by partition"""
    requested: dict[int, tuple[MigrationInfo, frozenset[Uuid]]] = field(default_factory=dict)
    """by partition: the last one, and the members that were live then"""


class _Judge:
    def __init__(self, history: History) -> None:
        self.findings = Findings(history)
        self.migrations = self.plans = self.rollbacks = self.apart = self.below = self.unproven = 0
        self._names = history.names
        self._masters: dict[Uuid, _Master] = {}

    def _master(self, record: Record) -> _Master:
        master = self._masters.get(record.incarnation)
        if master is None:
            master = self._masters[record.incarnation] = _Master()
        return master

    def _installed(self, record: Record, event: ViewInstalled) -> None:
        self._master(record).live = frozenset(member.uuid for member in event.members)

    def _planned(self, record: Record, event: PartitionsPlanned) -> None:
        self.plans += 1
        master = self._master(record)
        for partition, start, target, ids in event.plans:
            width = max(len(start), len(target))
            plan = master.newest[partition] = Plan(record, padded(start, width), padded(target, width))
            master.planned.update(dict.fromkeys(ids, plan))

    def _requested(self, record: Record, event: MigrationRequested) -> None:
        master = self._master(record)
        master.requested[event.partition] = event.info, master.live

    def _changed(self, record: Record, event: TableChanged) -> None:
        master = self._master(record)
        if event.change in ("assigned", "found"):
            master.rows = dict(event.rows)
        elif master.rows is None:
            self.unproven += 1
        elif event.change == "rolled back":
            self.rollbacks += 1
            if event.rows or event.stamp != master.stamp:
                said = f"rolls a migration back in the partition table v{event.version}, and its rows are not as before"
                self._accuse(record, said, master.changed)
        else:
            if event.change in ("committed", "cleared"):
                self._migrated(record, event, master, master.rows)
            else:
                self._repaired(record, event, master, master.rows)
            master.rows.update(event.rows)
        master.stamp, master.changed = event.stamp, record

    def _repaired(self, record: Record, event: TableChanged, master: _Master, rows: dict[int, Row]) -> None:
        """Only a member that has left is taken off, and only a partition that has lost all replicas gets an owner
        without a migration."""
        for partition, after in event.rows:
            before = rows.get(partition, ())
            goes = f"{event.change} in the partition table v{event.version}: partition {partition} goes from "
            goes = f"{goes}{shown(before, self._names)} to {shown(after, self._names)}"
            if event.change == "owner assigned":
                if any(before):
                    self._accuse(record, f"{goes}, though there are replicas of it", master.changed)
                continue
            wanted = _without_the_dead(padded(before, len(after)), master.live)
            if wanted != padded(after, len(before)):
                row = shown(wanted, self._names)
                self._accuse(record, f"{goes}; without those who have left it is {row}", master.changed)

    def _migrated(self, record: Record, event: TableChanged, master: _Master, rows: dict[int, Row]) -> None:
        if len(event.rows) != 1:
            does = f"changes {counted(len(event.rows), 'row')} in the partition table v{event.version}"
            self._accuse(record, f"{does} ({event.change}): a migration changes one", master.changed)
        for partition, after in event.rows:
            self.migrations += 1
            before = rows.get(partition, ())
            said = f"{event.change} in the partition table v{event.version}: partition {partition} goes from "
            said = f"{said}{shown(before, self._names)} to {shown(after, self._names)}"
            plan, live = master.newest.get(partition), master.live
            if event.change == "committed":
                if partition not in master.requested:
                    self._accuse(record, f"{said}, and no migration of it was requested", None)
                    continue
                info, live = master.requested[partition]
                self._as_requested(record, said, info, before, after)
                plan = master.planned.get(info.id)
            if plan is None:
                self._accuse(record, f"{said}, which nobody has planned", None)
            else:
                self._counts(record, said, plan, live, before, after)

    def _as_requested(self, record: Record, said: str, info: MigrationInfo, before: Row, after: Row) -> None:
        width = max(len(before), len(after), len(info.row))
        wanted = info.migration.applied_to(padded(before, width))
        if wanted != padded(after, width):
            kind, row = info.migration.type, shown(wanted, self._names)
            self._accuse(record, f"{said}; the {kind} {info.id} makes {row} of it, in one version", None)

    def _counts(self, record: Record, said: str, plan: Plan, live: frozenset[Uuid], before: Row, after: Row) -> None:
        width = max(len(plan.start), len(before), len(after))
        before, after = padded(before, width), padded(after, width)
        start, target = padded(plan.start, width), padded(plan.target, width)
        given_up = sum(b is not None and a is None and t is None for b, a, t in zip(before, after, target, strict=True))
        aim = f"the target {shown(plan.target, self._names)}"
        if _filled(before) - _filled(after) > given_up:
            self._accuse(record, f"{said}, and gives up a copy that {aim} does not", plan.record)
        apart = plan.has_a_hole_and_a_surplus
        copies, least = _alive(after, live), min(_alive(start, live), _alive(target, live))
        self.apart += apart
        self.below += apart and copies < least
        promised = f"the row before the plan {shown(plan.start, self._names)} and {aim} have {least} at least"
        if apart:
            least = min(least, _alive(target, live) - min(_holes(after, target, live), _holes(start, target, live)))
            promised = f"{aim}, less the holes still to fill, has {least}"
        if copies < least and copies < _alive(before, live):
            self._accuse(
                record, f"{said}, which leaves {counted(copies, 'live copy', 'live copies')}; {promised}", plan.record
            )

    def _accuse(self, record: Record, said: str, other: Record | None) -> None:
        who = self._names.process(record.node, record.incarnation)
        self.findings.add(f"{who}: {said}.", [record] if other is None else [other, record])


def _without_the_dead(row: Row, live: frozenset[Uuid]) -> Row:
    """The first backup that is left is the owner, if that one has left, and leaves its index empty."""
    left = [uuid if uuid in live else None for uuid in row]
    first = next((index for index, uuid in enumerate(left) if uuid is not None), 0)
    if first:
        left[0], left[first] = left[first], None
    return tuple(left)


def _filled(row: Row) -> int:
    return sum(uuid is not None for uuid in row)


def _alive(row: Row, live: frozenset[Uuid]) -> int:
    return sum(uuid in live for uuid in row)


def _holes(row: Row, target: Row, live: frozenset[Uuid]) -> int:
    """Still to fill, in this row. A SHIFT UP may move one to a colder index; no migration makes one more of them than
    the plan began with, so no more are granted: what is filled in both is less than this by itself."""
    return sum(t in live and a not in live for a, t in zip(row, target, strict=True))


_HANDLERS: Final[dict[type[Event], Callable[[_Judge, Record, Any], None]]] = {
    ViewInstalled: _Judge._installed,
    PartitionsPlanned: _Judge._planned,
    MigrationRequested: _Judge._requested,
    TableChanged: _Judge._changed,
}
