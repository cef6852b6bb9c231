"""Of tables and migrations: is the reason true, and may this member do it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from shaketable.harness.checks.reasons.known import Judge, Known, Wrongs
from shaketable.harness.checks.result import counted
from shaketable.harness.checks.shared.leading import leads
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen
from shaketable.node.events import (
    CommitSent,
    CompletedDropped,
    Event,
    MigrationRequested,
    PartitionsPlanned,
    PlanCancelled,
    PlanDone,
    SafetyChanged,
    TableChanged,
    TableFetched,
    TableHandedOver,
    TablePublished,
    TableRefused,
    TableSearchBegan,
    TableSearchEnded,
)
from shaketable.node.messages import MOST_REPLICAS, NOWHERE, Migration, Row, Uuid
from shaketable.node.why import Why


def _searches(known: Known, record: Record, event: TableSearchBegan, node: NodeSeen) -> Wrongs:
    asked = known.names.members(event.members)
    others = tuple(member for member in node.members if member.uuid != node.incarnation)
    if not leads(node):
        yield f"asks {asked} for their tables, and does not lead"
    if set(event.members) != set(others):
        yield f"asks {asked} for their tables, and its list has {known.names.members(node.members)}"


def _fetched(known: Known, record: Record, event: TableFetched, node: NodeSeen) -> Wrongs:
    if node.partitions.found.get(event.peer.uuid) != -1:
        yield f"takes a table of {known.names.member(event.peer)}, and waits for none"


def _found(known: Known, record: Record, event: TableSearchEnded, node: NodeSeen) -> Wrongs:
    parts = node.partitions
    for member in node.members:
        if parts.found.get(member.uuid) == -1:
            yield f"ends its search for the newest table, and {known.names.member(member)} has not answered"
    newest = max([parts.version, *parts.found.values()])
    if event.version != newest:
        yield f"finds version {event.version} to be the newest of the table, and was told of {newest}"
    fetched = known.tables.fetched.get(record.incarnation, ())
    active = {*parts.active, *(each for answer in fetched for each in answer.active)}
    completed = {*parts.completed, *(each for answer in fetched for each in answer.completed)}
    for each in sorted(active - completed - set(event.rolled_back)):
        yield f"ends its search for the newest table, and leaves {each} open, which is completed nowhere"
    for each in event.rolled_back:
        if each in completed or each not in active:
            yield f"rolls {each} back, which is {'completed' if each in completed else 'under way nowhere'}"
    for each in event.committed:
        if each not in completed or each not in active:
            yield f"commits {each}, which is {'under way nowhere' if each in completed else 'completed nowhere'}"


def _hands_over(known: Known, record: Record, event: TableHandedOver, node: NodeSeen) -> Wrongs:
    if event.peer != node.master:
        yield f"sends its table to {known.names.member(event.peer)}, and follows another master"
    if event.version != node.partitions.version:
        yield f"hands over a table of version {event.version}, and has version {node.partitions.version}"


def _published(known: Known, record: Record, event: TablePublished, node: NodeSeen) -> Wrongs:
    said, others = f"publishes its table of version {event.version}", len(node.members) - 1
    if not leads(node) or node.partitions.searching:
        yield f"{said}, and {'looks for a newer one' if node.partitions.searching else 'does not lead'}"
    elif (event.version, event.stamp) != (node.partitions.version, node.partitions.stamp):
        yield f"{said}, and has version {node.partitions.version}, or another content"
    elif event.to != others:
        yield f"{said} to {event.to}, and has {counted(others, 'other member')}"


def _changed(known: Known, record: Record, event: TableChanged, node: NodeSeen) -> Wrongs:
    if event.change == "assigned" and not known.tables.used:
        yield "assigns the partitions, and nobody has used the data"


def _refused(known: Known, record: Record, event: TableRefused, node: NodeSeen) -> Wrongs:
    said = f"refuses the table of {known.names.member(event.peer)} in version {event.version} ({event.reason})"
    mine = node.partitions.version
    from_master = event.peer == node.master and event.peer.uuid != node.incarnation
    match event.why:
        case Why.NOT_FROM_MY_MASTER:
            if from_master:
                yield f"{said}, which is its master"
        case Why.TABLE_IS_OLD:
            if event.version >= mine or not from_master:
                yield f"{said}, and has version {mine}"
        case Why.SAME_VERSION:
            if event.version != mine or not from_master:
                yield f"{said}, and has version {mine}"
    if event.put_off != (event.why is Why.NAMES_A_STRANGER):
        yield f"{said}, and {'puts it off' if event.put_off else 'does not put it off'}"


def _planned(known: Known, record: Record, event: PartitionsPlanned, node: NodeSeen) -> Wrongs:
    if not leads(node) or node.partitions.searching:
        yield "plans migrations, and does not lead, or looks for the newest table"
    if event.version != node.partitions.version:
        yield f"plans from version {event.version}, and has version {node.partitions.version}"
    elif not known.settings_of(record.node).groups and node.partitions.rows:
        yield from _needless(node.partitions.rows, event)


def _needless(rows: Mapping[int, Row], event: PartitionsPlanned) -> Wrongs:
    """With more members than replicas each may own any partition. If all was in place and one member has come or is to
    leave, owners become even again by as few moves as there are too many at some. After a crash that may take more."""
    planned = {**rows, **{partition: after for partition, _, after, _ in event.plans}}
    before, holders = _holders(rows), _holders(planned)
    owned = Counter(row[0] for row in rows.values() if row)
    loads = [owned[uuid] for uuid in before]
    whole = all(len(row) == MOST_REPLICAS and None not in row for row in rows.values())
    if not whole or max(loads) - min(loads) > 1 or len(before ^ holders) != 1 or len(holders) <= MOST_REPLICAS:
        return
    share, more = divmod(len(rows), len(holders))
    most = sorted((owned[uuid] for uuid in holders), reverse=True)
    needed = sum(max(0, many - share - (place < more)) for place, many in enumerate(most))
    needed += sum(owned[uuid] for uuid in before - holders)
    moved = sum(rows[partition][0] != after[0] for partition, after in planned.items())
    if moved > needed:
        yield f"plans {counted(moved, 'other owner')}, and {needed} would do"


def _holders(rows: Mapping[int, Row]) -> frozenset[Uuid]:
    return frozenset(uuid for row in rows.values() for uuid in row if uuid is not None)


def _cancelled(known: Known, record: Record, event: PlanCancelled, node: NodeSeen) -> Wrongs:
    left = max(0, known.tables.planned.get(record.incarnation, 0))
    if event.migrations != left:
        yield f"drops {counted(event.migrations, 'migration')} of its plan, and has not begun {left}"


def _plan_done(known: Known, record: Record, event: PlanDone, node: NodeSeen) -> Wrongs:
    left, said = known.tables.planned.get(record.incarnation, 0), "says that its plan is done"
    if left > 0:
        yield f"{said}, and has not begun {counted(left, 'migration')} of it"
    elif node.partitions.under_way:
        yield f"{said}, and {counted(len(node.partitions.under_way), 'migration')} of it is under way"
    if known.tables.plan_done.get(record.incarnation):
        yield f"{said}, has said so before, and cannot have made another one since"


def _requested(known: Known, record: Record, event: MigrationRequested, node: NodeSeen) -> Wrongs:
    info, parts = event.info, node.partitions
    said = f"asks for migration {info.id}"
    if not leads(node) or parts.searching:
        yield f"{said}, and does not lead, or looks for the newest table"
    if info.version != parts.version or parts.rows.get(info.partition, info.row) != info.row:
        yield f"{said} by a row that its table does not have"
    since = known.merges.goes_first.get(record.incarnation)
    if since is not None and record.time < since + known.settings_of(record.node).merge_next_run_delay:
        yield f"{said}, and is to go over to another part first"
    if any(each.partition == info.partition for each in parts.under_way.values()):
        yield f"{said}, and another one of that partition is under way"
    if len(parts.under_way) >= known.settings_of(record.node).max_parallel_migrations:
        yield f"{said}, and {counted(len(parts.under_way), 'one')} is under way"
    kind, migration = _kind_of(info.migration), info.migration
    before = known.tables.requested.get(known.tables.after.get(info.id, ""))
    if before is not None and _comes_before(migration, before.migration):
        yield f"{said}, which adds a copy, after {before.id}, whose place is behind it"
    if migration.type != kind:
        yield f"{said}, calls it {migration.type}, and by its indexes it is {kind}"
    if info.row != _before(migration, info.row):
        yield f"{said}, whose members do not hold these indexes"
    listed = {member.uuid for member in node.members}
    for uuid in (info.owner, info.migration.destination):
        if uuid not in listed:
            yield f"{said} of somebody who is not in its list"


def _comes_before(migration: Migration, other: Migration) -> bool:
    """By text 3.3.2.3, of two that follow each other in a plan: what adds a copy comes before what makes none at as hot
    an index, unless the other one is of the same member."""
    if not migration.adds_a_copy or migration.destination in (other.source, other.destination):
        return False
    colder = other.source_new_index > migration.destination_new_index
    return other.type == "MOVE" or (other.type == "SHIFT DOWN" and colder)


def _kind_of(migration: Migration) -> str:
    """By text 3.3.1: whether an empty index is filled, the holder before stays, and the new one had a colder index."""
    stays = migration.source_new_index != NOWHERE
    if migration.destination_current_index != NOWHERE:
        return "SHIFT UP+SHIFT DOWN" if stays else "SHIFT UP"
    return "COPY" if migration.source is None else "SHIFT DOWN" if stays else "MOVE"


def _before(migration: Migration, row: Row) -> Row:
    """The row with its members where the migration says that they are."""
    before = list(row)
    for uuid, index in (
        (migration.source, migration.source_current_index),
        (migration.destination, migration.destination_current_index),
    ):
        if 0 <= index < len(before):
            before[index] = uuid
    return tuple(before)


def _committing(known: Known, record: Record, event: CommitSent, node: NodeSeen) -> Wrongs:
    said = f"commits migration {event.migration}"
    each = node.partitions.under_way.get(event.migration)
    if each is None or each.phase == "not copied" or each.phase == "requested":
        yield f"{said}, whose data are not copied"
    if any(other.phase == "commit sent" for other in node.partitions.under_way.values() if other is not each):
        yield f"{said} while another one is being committed"
    if event.version <= node.partitions.version:
        yield f"{said} with version {event.version}, and has version {node.partitions.version}"


def _dropped(known: Known, record: Record, event: CompletedDropped, node: NodeSeen) -> Wrongs:
    if not leads(node) or node.partitions.searching:
        yield "forgets completed migrations, and does not lead, or looks for the newest table"


def _not_whole(known: Known, record: Record, node: NodeSeen) -> Wrongs:
    """The first row of its table that lacks a replica, or has one of a stranger."""
    master = known.seen.is_current(node.master) if node.master is not None else None
    if master is None or (master.partitions.version, master.partitions.stamp) != (
        node.partitions.version, node.partitions.stamp,
    ):  # fmt: skip
        return
    groups = known.settings_of(record.node).groups
    wanted = min(MOST_REPLICAS, len({groups.get(m.address, m.uuid) for m in node.members if not m.lite}))
    listed = {member.uuid for member in node.members}
    for partition, row in master.partitions.rows.items():
        if len(row) != wanted or not listed.issuperset(row):
            yield f"by its table partition {partition} is with {counted(len(listed.intersection(row)), 'member')}"
            return


def _safety(known: Known, record: Record, event: SafetyChanged, node: NodeSeen) -> Wrongs:
    parts = node.partitions
    said = f"says that {'all' if event.safe else 'not all'} is safe" + (f" ({event.reason})" if event.reason else "")
    if event.safe and parts.safe:
        yield f"{said}, as it has before"
    if event.safe:
        if not node.joined or parts.searching or parts.version == 0:
            yield f"{said}, and has no table, or looks for the newest one"
        if parts.active or (leads(node) and (parts.queue or parts.under_way)):
            yield f"{said}, and migrations are under way, or are to be done"
        for wrong in _not_whole(known, record, node):
            yield f"{said}, and {wrong}"
    match event.why:
        case Why.SEARCHING:
            if not parts.searching:
                yield f"{said}, and looks for none"
        case Why.MIGRATES_HERE:
            if not parts.active:
                yield f"{said}, and no migration is under way there"
        case Why.MIGRATIONS_WAIT:
            if not leads(node):
                yield f"{said}, and does not lead"


JUDGES: Final[Mapping[type[Event], Judge]] = {
    TableSearchBegan: _searches,
    TableFetched: _fetched,
    TableSearchEnded: _found,
    TableHandedOver: _hands_over,
    TablePublished: _published,
    TableChanged: _changed,
    TableRefused: _refused,
    PartitionsPlanned: _planned,
    PlanCancelled: _cancelled,
    PlanDone: _plan_done,
    MigrationRequested: _requested,
    CommitSent: _committing,
    CompletedDropped: _dropped,
    SafetyChanged: _safety,
}
