"""Of those who take part in migrations, of backups and of what merges: had it begun, and was it asked for?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.harness.checks.reasons.known import Judge, Known, Wrongs
from shaketable.harness.checks.reasons.known_tables import Called, State
from shaketable.harness.checks.result import counted
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen
from shaketable.node.cluster.partition.store import FIRST_OF_AN_OWNER
from shaketable.node.events import (
    BackupDiffers,
    BackupHadMore,
    BackupMissed,
    BackupNotHeard,
    BackupSynced,
    ChunkArrived,
    ChunkRefused,
    ChunkSent,
    EntriesBrought,
    EntriesGivenUp,
    EntriesMerged,
    Event,
    MigrationBegan,
    MigrationCopied,
    MigrationFinished,
    MigrationRefused,
    OperationCalled,
    OperationReturned,
    ReplicaPromoted,
    StockTaken,
)
from shaketable.node.events.base import TIMER
from shaketable.node.messages import MOST_MERGING, Chunk, OperationAnswer, ReplicaVersions
from shaketable.node.why import Why

_FINAL: Final[Mapping[Why, bool]] = {
    Why.ANOTHER_MASTER: False,
    Why.TABLE_NAMES_A_STRANGER: False,
    Why.SENT_BY_A_STRANGER: False,
    **dict.fromkeys(
        (
            *(Why.MASTER_BEFORE_ME, Why.SENT_BY_NO_OWNER, Why.ANOTHER_ROW, Why.NOT_WHOM_IT_MEANS, Why.HAS_ENDED),
            *(Why.PARTITION_NOT_ENDED_HERE, Why.NOT_ENDED_HERE, Why.NOT_THE_OWNER, Why.UNKNOWN_DESTINATION),
            *(Why.ROLLED_BACK, Why.UNKNOWN_MIGRATION, Why.DATA_MISSING, Why.MY_TABLE_IS_NEWER),
        ),
        True,
    ),
}
"""whether a member that refuses a migration for this reason may not take part in it later"""


def _began(known: Known, record: Record, event: MigrationBegan, node: NodeSeen) -> Wrongs:
    for migration, (partition, _) in node.partitions.active.items():
        if partition == event.partition:
            yield f"begins migration {event.migration}, and {migration} of that partition has not ended there"
    info = known.tables.requested.get(event.migration)
    if info is not None:
        whom = info.owner if event.role == "owner" else info.migration.destination
        if whom != record.incarnation or event.partition != info.partition:
            yield f"begins migration {event.migration} as {event.role}, and is not asked to"
    if known.tables.ended.get(event.migration) == record.incarnation:
        yield f"begins migration {event.migration}, and has ended it as its master"
    known.tables.takes_part[record.incarnation, event.migration, event.role] = True
    known.tables.begun[record.incarnation, event.migration] = True
    tables = known.tables
    for stream in (tables.last_chunk, tables.bytes_sent, tables.arrived):  # it may begin again after a rollback
        stream.pop((record.incarnation, event.migration), None)


def _refused_migration(known: Known, record: Record, event: MigrationRefused, node: NodeSeen) -> Wrongs:
    said = f"refuses migration {event.migration} ({event.reason})"
    if event.why in _FINAL and event.final != _FINAL[event.why]:
        yield f"{said} {'for good' if event.final else 'for now'}"
    active = any(partition == event.partition for partition, _ in node.partitions.active.values())
    match event.why:
        case Why.SENT_BY_A_STRANGER:
            if event.peer in node.members:
                yield f"{said}, and its list has {known.names.member(event.peer)}"
        case Why.PARTITION_NOT_ENDED_HERE | Why.NOT_ENDED_HERE:
            if not active:
                yield f"{said}, and none of that partition is under way there"
            if event.migration in node.partitions.active:
                yield f"{said}, and that is the one"
        case Why.UNKNOWN_MIGRATION | Why.ROLLED_BACK:
            if node.partitions.active.get(event.migration, ("", ""))[1] == "destination":
                yield f"{said}, and it is under way there"
        case Why.MASTER_BEFORE_ME:
            if not node.partitions.searching:
                yield f"{said}, and looks for no table"


def _copied(known: Known, record: Record, event: MigrationCopied, node: NodeSeen) -> Wrongs:
    each = node.partitions.under_way.get(event.migration)
    if each is None or each.phase != "requested":
        yield f"learns that {event.migration} is copied, or is not, and waits for no such word"


def _finished(known: Known, record: Record, event: MigrationFinished, node: NodeSeen) -> Wrongs:
    took_part = (record.incarnation, event.migration, "owner") in known.tables.takes_part
    if event.role == "source" and not event.successful and not took_part:
        yield f"ends migration {event.migration}, which has failed, as its source, and took no part"
    if event.role not in ("owner", "destination"):
        return
    if known.tables.takes_part.pop((record.incarnation, event.migration, event.role), None) is None:
        yield f"ends migration {event.migration} as {event.role}, and has not begun it"


def _differs(known: Known, record: Record, event: BackupDiffers, node: NodeSeen) -> Wrongs:
    known.tables.differs[record.incarnation, event.partition, event.peer.uuid] += 1
    if event.peer not in node.members or event.peer.uuid == record.incarnation:
        yield f"differs in partition {event.partition} from {known.names.member(event.peer)}, no other of its list"
    since = record.time - known.settings_of(record.node).backup_timeout - known.allowance
    # A write that came before its table is sent to it once more, as long as its owner waits for it.
    if (
        known.tables.undisturbed
        and (record.incarnation, event.partition) not in known.tables.missed
        and known.tables.table_since.get(record.incarnation, 0) < since
    ):
        said = f"differs in partition {event.partition} from its owner"
        yield f"{said}, and nothing has been broken, nor has its owner done without it at a write"
    mended = known.tables.mended.pop((record.incarnation, event.partition, event.peer.uuid), False)
    if mended and _is_asked(known, record):
        who = known.names.member(event.peer)
        yield f"differs in partition {event.partition} from {who}, which has mended it; nobody has written since"


def _is_asked(known: Known, record: Record) -> bool:
    """By its owner, which compares; messages on a link keep their order unless somebody lets some wait."""
    kind, cause = ReplicaVersions.__name__, record.cause
    return cause is not None and cause.kind == kind and (cause.sender, kind.lower()) not in known.caught


def _synced(known: Known, record: Record, event: BackupSynced, node: NodeSeen) -> Wrongs:
    which = record.incarnation, event.partition, event.peer.uuid
    if known.tables.differs[which]:
        known.tables.differs[which] -= 1
    else:
        who = known.names.member(event.peer)
        yield f"is mended in partition {event.partition} by {who}, and has not said that it differs"
    owner = known.seen.is_current(event.peer)
    if event.maps and owner is not None and owner.partitions.safe:  # an index beyond all maps holds nothing
        yield f"is mended in partition {event.partition} by {owner.name}, which says that all is in place"


def _sends(known: Known, record: Record, event: ChunkSent, node: NodeSeen) -> Wrongs:
    """A chunk that is lost is sent again, and is the same."""
    stream = record.incarnation, event.stream
    last = known.tables.last_chunk.get(stream)
    if event.bytes == event.total:
        known.tables.last_chunk[stream] = event.number
        known.tables.bytes_sent[stream] = event.total
    if event.bytes > event.total or (last is not None and event.number > last):
        yield f"sends chunk {event.number} of stream {event.stream}, which has ended before"
    if event.stream in known.tables.requested and (event.peer.uuid, event.stream) not in known.tables.begun:
        who = known.names.member(event.peer)
        yield f"sends {who} data of migration {event.stream}, and {who} has not begun to take any"


def _arrives(known: Known, record: Record, event: ChunkArrived, node: NodeSeen) -> Wrongs:
    stream = record.incarnation, event.stream
    number, came = known.tables.arrived.pop(stream, (0, 0))
    if event.number <= number:
        yield f"takes chunk {event.number} of stream {event.stream} after chunk {number}"
    came += event.bytes
    if record.cause is not None and record.cause.kind == Chunk.__name__:
        known.tables.came_at[record.incarnation, event.peer.uuid] = record.time
    if not event.last:
        known.tables.arrived[stream] = event.number, came
        return
    sent = known.tables.bytes_sent.get((event.peer.uuid, event.stream))
    if sent is not None and came != sent:
        yield f"has {counted(came, 'byte')} of stream {event.stream} at its end, and {counted(sent, 'byte')} were sent"


def _refuses(known: Known, record: Record, event: ChunkRefused, node: NodeSeen) -> Wrongs:
    """A service of one's own may do so as it likes."""
    if event.why is Why.UNREADABLE and not known.settings_of(record.node).partition_services:
        yield f"cannot take stream {event.stream} of {known.names.member(event.peer)}, which has come whole"


def _promoted(known: Known, record: Record, event: ReplicaPromoted, node: NodeSeen) -> Wrongs:
    known.tables.promoted[record.incarnation, event.partition] = record.time
    yield from ()


def _of_a_backup(known: Known, record: Record, event: BackupHadMore | BackupNotHeard, node: NodeSeen) -> Wrongs:
    who, promoted = known.names.member(event.peer), known.tables.promoted.get((record.incarnation, event.partition))
    if promoted is None:
        yield f"asks {who} for what it lacks of partition {event.partition}, and was not promoted in it"
    elif isinstance(event, BackupNotHeard) and event.why is Why.ITS_TABLE_IS_OLDER and not known.clocks_set:
        settings, took = known.settings_of(record.node), record.time - promoted
        waits = settings.partition_table_send_interval + settings.backup_timeout
        if took + known.allowance < waits:
            said = f"serves partition {event.partition} without {who} ({event.reason})"
            yield f"{said} {rounded(took)} after it was promoted, and waits for {rounded(waits)}"
    elif isinstance(event, BackupNotHeard) and event.why is Why.DATA_DID_NOT_COME and not known.clocks_set:
        yield from _does_not_wait_for_data(known, record, event)
    if event.peer.uuid == record.incarnation:
        yield f"asks itself for what it lacks of partition {event.partition}"


def _does_not_wait_for_data(known: Known, record: Record, event: BackupNotHeard) -> Wrongs:
    """In whichever partition it was promoted first: what does not come in one ends the waiting for it in all."""
    me, patience = record.incarnation, known.settings_of(record.node).migration_timeout
    promoted = min(time for (owner, _), time in known.tables.promoted.items() if owner == me)
    took = record.time - max(promoted, known.tables.came_at.get((me, event.peer.uuid), 0))
    if took + known.allowance < patience:
        said = f"serves partition {event.partition} without {known.names.member(event.peer)} ({event.reason})"
        yield f"{said}, has waited for {rounded(took)}, and waits for {rounded(patience)}"


def _misses(known: Known, record: Record, event: BackupMissed, node: NodeSeen) -> Wrongs:
    if event.peer not in node.members:
        yield f"waits at a write for {known.names.member(event.peer)}, which is not in its list"
    for migration, (partition, role) in node.partitions.active.items():
        if partition == event.partition and role == "owner":
            who = known.names.member(event.peer)
            yield f"waits for {who} at a write to partition {partition}, of which it has begun migration {migration}"


def _stock(known: Known, record: Record, event: StockTaken, node: NodeSeen) -> Wrongs:
    """A version counts the writes since its owner was promoted; an entry that merges is written once at most."""
    for partition, _, maps in event.holds:
        for name, version, _, _ in maps:
            counted_there, called = version % FIRST_OF_AN_OWNER, known.tables.writes[partition, name]
            if counted_there > called:
                said = f"has {counted(counted_there, 'write')} to {name} in partition {partition}"
                yield f"{said}, of {called} that clients or a merge asked for: one is applied twice"


def _gives_up(known: Known, record: Record, event: EntriesGivenUp, node: NodeSeen) -> Wrongs:
    since = known.tables.finds_owners_since.get(record.incarnation)
    if event.why is not Why.NO_OWNER_IN_TIME or known.clocks_set:
        return
    if since is None:
        yield "gives up what it brings, and has joined no cluster"
        return
    took, patience = record.time - since, known.settings_of(record.node).merge_data_patience
    if took < patience - known.allowance:
        yield f"gives up what it brings after {rounded(took)}, and has {rounded(patience)} to find an owner"


def _brings(known: Known, record: Record, event: EntriesBrought, node: NodeSeen) -> Wrongs:
    known.tables.writes[event.partition, event.map] += len(event.entries)
    if len(event.entries) > MOST_MERGING:
        yield f"brings {len(event.entries)} entries at once, and a message has room for {MOST_MERGING}"


def _merged(known: Known, record: Record, event: EntriesMerged, node: NodeSeen) -> Wrongs:
    said = f"learns that entries of partition {event.partition} have merged"
    if event.holders[:1] != (event.peer.uuid,):
        yield f"{said}, and {known.names.member(event.peer)}, which has decided it, does not hold them first"
    for holder in event.holders:
        if holder not in known.seen.node_of:
            yield f"{said}, and one of those that hold them never was"


def _called(known: Known, record: Record, event: OperationCalled, node: NodeSeen) -> Wrongs:
    master = known.seen.is_current(node.master) if node.master is not None else None
    known.tables.asked[record.incarnation, event.client] = event
    if event.does != "get":
        known.tables.writes[event.partition, event.map] += 1
    if event.does != "get" and master is not None:
        row = master.partitions.rows.get(event.partition, ())
        owner = known.seen.nodes.get(known.seen.node_of.get(row[0] or "", "")) if row else None
        states = {each.incarnation: _state(each) for each in (master, owner) if each is not None}
        known.tables.called[record.incarnation, event.client] = Called(record.time, event, states)
    yield from ()


def _state(node: NodeSeen) -> State:
    return node.partitions.version, node.partitions.stamp, node.members


def _returned(known: Known, record: Record, event: OperationReturned, node: NodeSeen) -> Wrongs:
    yield from _protected(known, record, event)
    yield from _written(known, record, event)


def _protected(known: Known, record: Record, event: OperationReturned) -> Wrongs:
    asked = known.tables.asked.get((record.incarnation, event.client))
    if asked is None or asked.number != event.number:
        return
    protected, reads = known.settings_of(record.node).protected.get(asked.map), asked.does == "get"
    if protected is not None and protected.reads and reads and event.outcome == "ok":
        yield from _read_all_the_same(known, record, event, protected.least)
    if event.why is not Why.TOO_FEW_MEMBERS:
        return
    if protected is None or not (protected.reads if reads else protected.writes):
        said = f"has {event.client}'s {'read' if reads else 'write'} {event.number} refused ({event.reason})"
        yield f"{said}, and {asked.map} is not protected from that"


def _read_all_the_same(known: Known, record: Record, event: OperationReturned, least: int) -> Wrongs:
    """By the list that the owner had when its answer left. A member that owns the key answers itself, by a timer."""
    cause = record.cause
    if cause is None or cause.kind not in (OperationAnswer.__name__, TIMER):
        return
    by = cause.sender or record.incarnation
    owner = known.seen.nodes.get(known.seen.node_of.get(by, ""))
    if owner is None or owner.incarnation != by:
        return
    members = sum(not member.lite for member in owner.members)
    if known.list_since.get(by, cause.after) < cause.after and members < least:
        said = f"has {event.client}'s read {event.number} answered by {known.names.author(by)}"
        yield f"{said}, whose list has {counted(members, 'data member')}, and reads take {least}"


def _written(known: Known, record: Record, event: OperationReturned) -> Wrongs:
    """By the table that owner and master have."""
    called = known.tables.called.pop((record.incarnation, event.client), None)
    if called is None or event.outcome != "ok" or not event.holders or called.event.number != event.number:
        return
    owner = known.seen.nodes.get(known.seen.node_of.get(event.holders[0], ""))
    master = known.seen.is_current(owner.master) if owner is not None and owner.master is not None else None
    if owner is None or owner.incarnation != event.holders[0] or master is None or _state(owner) != _state(master):
        return
    backups = known.settings_of(owner.name).backup_counts.get(called.event.map, 0)
    row = master.partitions.rows.get(called.event.partition, ())[: backups + 1]
    if not row:  # it has just become master, and has told of no row yet
        return
    said = f"learns from {known.names.author(owner.incarnation)} that {event.client}'s write {event.number} is there"
    if _state(owner) == called.tables.get(owner.incarnation) == called.tables.get(master.incarnation):
        for member in owner.members:
            without = owner.incarnation, called.event.partition, member.uuid
            if member.uuid not in row or member.uuid in event.holders:
                continue
            if known.tables.left_out.get(without, -1) < called.time:
                yield f"{said}, but not at {known.names.member(member)}, and {owner.name} has not told of that"
    cause = record.cause
    if cause is None or cause.kind != OperationAnswer.__name__ or cause.sender != owner.incarnation:
        return
    if known.tables.told_of_table.get(owner.incarnation, cause.after) < cause.after:
        for uuid in event.holders:
            if uuid not in row:
                yield f"{said} and at {known.names.author(uuid)}, which holds nothing of that by the table"


JUDGES: Final[Mapping[type[Event], Judge]] = {
    MigrationBegan: _began,
    MigrationRefused: _refused_migration,
    MigrationCopied: _copied,
    MigrationFinished: _finished,
    BackupDiffers: _differs,
    BackupSynced: _synced,
    ReplicaPromoted: _promoted,
    ChunkSent: _sends,
    ChunkArrived: _arrives,
    ChunkRefused: _refuses,
    BackupHadMore: _of_a_backup,
    BackupNotHeard: _of_a_backup,
    BackupMissed: _misses,
    StockTaken: _stock,
    EntriesBrought: _brings,
    EntriesMerged: _merged,
    EntriesGivenUp: _gives_up,
    OperationCalled: _called,
    OperationReturned: _returned,
}
