"""Replicas are spread evenly (text 3.3.2, rulings 3.13), by the last table of each master that is left.

The master's queue is empty, its plan is done, no member has a migration under way, and another plan would move nothing.
All members of a row are in the list, and none is in the row twice.

The check is unknown while the queue still gets on (a migration that fails does not count), or until the settle bound
after the last fault. With no more members than replicas owners may have to be uneven. Then the check asks whether the
last plan could have done better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.partitions.last_tables import Cluster, clusters, last_write, mended_after
from shaketable.harness.checks.result import CheckResult, Findings, IfSeen, counted
from shaketable.harness.checks.shared.ending import to_the_end
from shaketable.harness.checks.shared.tables import in_order, shown
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.cluster.partition.repartitioning import repartitioned
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    ChunkArrived,
    Held,
    MasterFollowed,
    MigrationBegan,
    MigrationFinished,
    MigrationRequested,
    PartitionsPlanned,
    PlanCancelled,
    PlanDone,
    Released,
    SafetyChanged,
    TableChanged,
    TableSearchBegan,
    TableSearchEnded,
    ViewInstalled,
)
from shaketable.node.messages import MOST_REPLICAS, Member, Row, Uuid

NAME: Final = "balanced"
RULE: Final = (
    "After the calm no migration is left to do, and each partition has an owner and as many backups as data members "
    "(groups) allow, at most six. Owners are within one of the average, by group and within it, wherever rows can be "
    "changed. Backups are as even, by group, as the last plan could make them. Then members say that all is in place."
)
NEEDS: Final = (
    MasterFollowed,
    IfSeen(MigrationFinished, (MigrationRequested, MigrationBegan)),
    PlanDone,
    IfSeen(Released, (Held,)),
    TableChanged,
    ViewInstalled,
)
Wrong = tuple[str, list[Record]]


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    notes: list[str] = []
    found = list(clusters(history, bounds))
    at_work = _AtWork(history, bounds) if found else None
    partitions, unknown = 0, False
    for cluster in found:
        partitions += len(cluster.rows)
        assert at_work is not None
        wrong = list(at_work.why(cluster)) or list(_uneven(history, cluster, notes))
        is_planned = history.system.told(PartitionsPlanned) and not history.system.uneven_owners
        if not wrong and is_planned and (index := _uneven_backups(cluster)):
            table = f"the partition table v{cluster.version} of {history.name(cluster.master)}"
            said = f"in {table} backups {index} are uneven, and the plan that is done could have made them even"
            findings.add(f"{said}.", to_the_end(history, [cluster.changed]))
        early = at_work.early(cluster)
        if not wrong and not early:
            wrong = list(_unsaid(history, bounds, cluster))
        if wrong and early:
            notes.append(f"{early}: {wrong[0][0]}")
            unknown = True
            continue
        for said, proof in wrong:
            findings.add(f"{said}.", to_the_end(history, proof))
    looked_at = f"{counted(partitions, 'partition')} of {counted(len(found), 'cluster')} at the end of the run"
    return findings.result(NAME, RULE, looked_at, partitions, unknown=unknown, notes=notes)


class _AtWork:
    """What the masters' queues and the participants have left to do."""

    def __init__(self, history: History, bounds: Bounds) -> None:
        self._history = history
        self._bounds = bounds
        self._plans: dict[Uuid, Record] = {}
        """by master: the last that was said of its plan"""
        self._searches: dict[Uuid, Record] = {}
        self._active: dict[Uuid, dict[str, Record]] = {}
        """by participant and migration"""
        self._progress: Micros = 0
        kinds = (PartitionsPlanned, PlanCancelled, PlanDone, TableSearchBegan, TableSearchEnded)
        for record in in_order(history, (*kinds, MigrationBegan, MigrationFinished, ChunkArrived)):
            self._learn(record)

    def _learn(self, record: Record) -> None:
        who = record.incarnation
        match record.event:
            case PartitionsPlanned() | PlanCancelled() | PlanDone():
                self._plans[who] = record
            case TableSearchBegan():
                self._searches[who] = record
            case TableSearchEnded():
                self._searches.pop(who, None)
            case MigrationBegan(migration=migration):
                self._active.setdefault(who, {})[migration] = record
            case MigrationFinished(migration=migration, successful=successful):
                self._active.get(who, {}).pop(migration, None)
                self._progress = record.time if successful else self._progress
            case ChunkArrived():
                self._progress = record.time

    def early(self, cluster: Cluster) -> str:
        """Why what is not done yet may still come. A migration that fails is no progress."""
        bounds = self._bounds
        patience = cluster.settings.migration_pause + 2 * cluster.settings.heartbeat_interval + bounds.allowance
        due = max(self._history.calm + bounds.settle() + patience, self._progress + patience if self._progress else 0)
        if self._history.end >= due:
            return ""
        return f"the run ended {rounded(due - self._history.end)} before all had to be done"

    def why(self, cluster: Cluster) -> Iterator[Wrong]:
        master, names = cluster.master, self._history.names
        who = self._history.name(master)
        search, plan = self._searches.get(master.uuid), self._plans.get(master.uuid)
        if search is not None and search.sequence > cluster.changed.sequence:
            yield f"{who} still looks for the newest partition table", [search]
        if plan is not None and not isinstance(plan.event, PlanDone):
            yield f"{who} has not done what it planned", [plan]
        for member in cluster.members:
            for migration, record in self._active.get(member.uuid, {}).items():
                yield f"{names.member(member)} still takes part in the migration {migration}", [record]


def _unsaid(history: History, bounds: Bounds, cluster: Cluster) -> Iterator[Wrong]:
    """Members that do not say that all is in place, although it is: whoever stops them one by one waits for ever."""
    rest = max(history.calm, last_write(history, bounds), cluster.changed.time)
    due = rest + mended_after(cluster.settings) + bounds.allowance
    last = {word.incarnation: word for word in history.of(SafetyChanged)}
    if history.end < due or not last:
        return
    for member in cluster.staying:
        process = history.by_uuid.get(member.uuid)
        if process is None or not process.alive or not history.executing(process):
            continue
        told = last.get(member.uuid)
        if told is None or not told.event.safe:
            said = f"says that {told.event.reason}" if told is not None else "never says that all is in place"
            yield f"{history.names.member(member)} {said}, and nothing is left to do", [told or cluster.changed]


def _uneven(history: History, cluster: Cluster, notes: list[str]) -> Iterator[Wrong]:
    proof = [cluster.changed]
    who = history.name(cluster.master)
    table = f"the partition table v{cluster.version} of {who}"
    if not cluster.staying:
        return  # nobody can hold anything
    wrong = list(_rows(history, cluster))
    for said, many in Counter(why for why, _ in wrong).items():
        example = next(partition for why, partition in wrong if why == said)
        row = shown(cluster.rows[example], history.names)
        partitions = counted(many, "partition has", "partitions have")
        yield f"in {table} {partitions} {said}, as partition {example} {row}", proof
    if wrong:
        return  # the rest follows from it
    uneven = _owners(history, cluster, cluster.rows)
    if history.system.uneven_owners:
        idle = _owns_nothing(history, cluster)
        if idle:
            yield f"in {table} {idle}", proof
        elif uneven:
            notes.append(f"in {table} {uneven}; that members own equally many is not promised")
        return
    again = _planned(cluster, cluster.rows)
    moved = sum(again[partition] != row for partition, row in cluster.rows.items())
    if not uneven:
        if moved:
            yield f"in {table} another plan would change {counted(moved, 'row')}", proof
    elif moved or len({cluster.group(member) for member in cluster.staying}) > MOST_REPLICAS:
        yield f"in {table} {uneven}", proof
    elif not _owners(history, cluster, _planned(cluster, cluster.before_the_plan)):
        yield f"in {table} {uneven}, and the last plan could have made it even", proof
    else:
        notes.append(f"in {table} {uneven}, and no row can be changed: each partition is with all")


def _owns_nothing(history: History, cluster: Cluster) -> str:
    """Accuses a member that owns nothing where each could own two."""
    owners = {row[0] for row in cluster.rows.values() if row}
    idle = next((member for member in cluster.staying if member.uuid not in owners), None)
    if idle is None or len(cluster.rows) < 2 * len(cluster.staying):
        return ""
    return f"{history.names.member(idle)} owns none of {len(cluster.rows)} partitions"


def _planned(cluster: Cluster, rows: Mapping[int, Row]) -> dict[int, Row]:
    """As another plan would have them."""
    partitions = sorted(rows)
    groups = {member.uuid: cluster.group(member) for member in cluster.staying}
    members = [member.uuid for member in cluster.staying]
    return dict(zip(partitions, repartitioned([rows[p] for p in partitions], members, groups), strict=True))


def _uneven_backups(cluster: Cluster) -> int:
    """The hottest index of backups that one group needlessly holds by two more often than another; 0: none."""
    uneven = _spread(cluster, cluster.rows)
    if not uneven or cluster.before_the_plan.keys() != cluster.rows.keys():
        return 0
    needed = _spread(cluster, _planned(cluster, cluster.before_the_plan))
    return min([index for index in uneven if index not in needed], default=0)


def _spread(cluster: Cluster, rows: Mapping[int, Row]) -> list[int]:
    """The indexes of backups that are uneven."""
    group = {member.uuid: cluster.group(member) for member in cluster.staying}
    loads: dict[int, Counter[str]] = {}
    for row in rows.values():
        for index, uuid in enumerate(row):
            if index and uuid in group:
                loads.setdefault(index, Counter(dict.fromkeys(group.values(), 0)))[group[uuid]] += 1
    return [index for index, load in loads.items() if max(load.values()) - min(load.values()) > 1]


def _rows(history: History, cluster: Cluster) -> Iterator[tuple[str, int]]:
    known: dict[Uuid, Member] = {member.uuid: member for member in cluster.staying}
    group = {member.uuid: cluster.group(member) for member in cluster.staying}
    wanted = min(len(set(group.values())), MOST_REPLICAS)
    for partition, row in cluster.rows.items():
        held = [uuid for uuid in row if uuid is not None]
        strange = next((uuid for uuid in held if uuid not in known), None)
        if not row or row[0] is None:
            yield "no owner", partition
        elif strange is not None:
            yield f"{history.names.author(strange)} in it, who is to hold nothing", partition
        elif len({group[uuid] for uuid in held}) < len(held):
            yield "two replicas on one member or in one group", partition
        elif len(held) != wanted or len(row) != wanted:
            yield f"not its {counted(wanted, 'replica')}", partition


def _owners(history: History, cluster: Cluster, rows: Mapping[int, Row]) -> str:
    """Accuses the members that own more or fewer partitions than one beside the average."""
    names, partitions = history.names, len(rows)
    owned = Counter(row[0] if row else None for row in rows.values())
    groups: dict[str, list[Member]] = {}
    for member in cluster.staying:
        groups.setdefault(cluster.group(member), []).append(member)
    for group in groups.values():
        load = sum(owned[member.uuid] for member in group)
        if abs(load * len(groups) - partitions) > len(groups):
            who = names.members(group) if len(group) > 1 else names.member(group[0])
            return f"{who}, one of {len(groups)}, owns {load} of {partitions} partitions"
        for member in group:
            if abs(owned[member.uuid] * len(group) - load) > len(group):
                return f"{names.member(member)} owns {owned[member.uuid]} of the {load} of {names.members(group)}"
    return ""
