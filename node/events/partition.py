"""The events of the partition service: the table, migrations, and the data.

Replicas are named by their holders' uuids. `stamp` is a checksum of a table's content: equal tables, equal stamps."""

from __future__ import annotations

from shaketable.node.events.base import Event
from shaketable.node.messages import Member, MigrationInfo, Row, Uuid
from shaketable.node.why import Why

# The partition table


class TableChanged(Event, frozen=True):
    """The master's own table has a new version; `rows` are those that differ from the version before, all of them when
    it found the table of its predecessor.

    `change`: "assigned" (for the first time), "found" (a new master's), "repaired" (who left is off it, backups are
    promoted), "owner assigned" (of partitions that had lost all), "committed", "rolled back" (nothing but the version
    changes) or "cleared"."""

    version: int
    stamp: int
    change: str
    rows: tuple[tuple[int, Row], ...]
    reason: str
    why: Why


class TablePublished(Event, frozen=True):
    """The master sends its table to `to` members, with these completed migrations. `change` is false for the periodic
    publish."""

    version: int
    stamp: int
    to: int
    completed: tuple[str, ...]
    change: bool


class TableInstalled(Event, frozen=True):
    """A member has this table now, from its master, by a publish or with a commit. It retains only these completed
    migrations."""

    version: int
    stamp: int
    master: Member
    completed: tuple[str, ...]
    reason: str
    why: Why


class TableRefused(Event, frozen=True):
    """A received table was not applied: not from my master, or older; or "put off" until I know all whom it names."""

    version: int
    peer: Member
    put_off: bool
    reason: str
    why: Why


class TableSearchBegan(Event, frozen=True):
    """A new master asks these for their tables, and publishes nothing before all have answered or left."""

    members: tuple[Member, ...]


class TableFetched(Event, frozen=True):
    """A new master got the table of `peer`; ids of the completed and the active migrations that came with it."""

    peer: Member
    version: int
    completed: tuple[str, ...]
    active: tuple[str, ...]


class TableHandedOver(Event, frozen=True):
    """The other side of that: a member answers its new master."""

    peer: Member
    version: int


class TableSearchEnded(Event, frozen=True):
    """`version` is the newest that was found; `peer` had it. Active migrations that nobody has as completed are
    rolled back, the others committed."""

    version: int
    peer: Member
    committed: tuple[str, ...]
    rolled_back: tuple[str, ...]


class PartitionLost(Event, frozen=True):
    """All who held a replica of this partition are gone: its data are lost, and it gets a new owner."""

    partition: int
    version: int


class ReplicaPromoted(Event, frozen=True):
    """This member was a backup at index `replica` and is the owner by the master's table of this version."""

    partition: int
    replica: int
    version: int


class CompletedDropped(Event, frozen=True):
    """The master drops these completed migrations: every member has a table of their version, or a later one."""

    migrations: tuple[str, ...]


# Planning and the queue


class PartitionsPlanned(Event, frozen=True):
    """The master planned from its table of this version: for each partition that is to change its row, the row it is
    to have (cycles put back) and the ids of its migrations in the order in which they run."""

    version: int
    plans: tuple[tuple[int, Row, Row, tuple[str, ...]], ...]
    migrations: int


class PlanCancelled(Event, frozen=True):
    """So many migrations were left on the queue; the plan is made afresh."""

    migrations: int
    reason: str
    why: Why


class PlanDone(Event, frozen=True):
    """The queue is empty, and the table is as it was to be."""

    version: int


# Migrations


class MigrationRequested(Event, frozen=True):
    """The master asks the partition's owner to copy the data."""

    partition: int
    info: MigrationInfo


class MigrationRefused(Event, frozen=True):
    """A participant refuses a request, a copy or a commit; `final`: it will not be asked again."""

    partition: int
    migration: str
    peer: Member
    final: bool
    reason: str
    why: Why


class MigrationBegan(Event, frozen=True):
    """A participant holds the active state from now on. `role`: "owner" (sends the data), "destination"."""

    partition: int
    migration: str
    role: str


class ChunkSent(Event, frozen=True):
    """`bytes` of `total` have left with it. A repeated chunk is told again. Of those that leave in one go, to be
    acknowledged together, the last is told; a stream's first chunk always is."""

    peer: Member
    stream: str
    number: int
    bytes: int
    total: int


class ChunkArrived(Event, frozen=True):
    """`bytes`: of it and of those that came with it, all those that were not told yet."""

    peer: Member
    stream: str
    number: int
    bytes: int
    last: bool


class ChunkRefused(Event, frozen=True):
    """Out of order, twice, or of a stream that I do not expect."""

    peer: Member
    stream: str
    number: int
    reason: str
    why: Why


class MigrationCopied(Event, frozen=True):
    """The master learns whether the data are at the destination."""

    partition: int
    migration: str
    copied: bool
    reason: str
    why: Why | None


class ServiceFailed(Event, frozen=True):
    """A service that keeps data gave none that can be sent to the holder of this index of the partition, or could not
    read those that came for itself: a migration is rolled back for that if it is not committed yet."""

    partition: int
    replica: int
    service: str
    reason: str
    why: Why


class CommitSent(Event, frozen=True):
    """The master to the destination: the table of this version, prepared."""

    partition: int
    migration: str
    peer: Member
    version: int


class MigrationFinished(Event, frozen=True):
    """This member has learnt how it ended. `role`: "destination", "master", "owner" (and nothing else), "source" (holds
    the index that changes hands), in this order if one member has several. Indexes are this member's own."""

    partition: int
    migration: str
    role: str
    successful: bool
    version: int
    current_index: int
    new_index: int


class ReplicaDropped(Event, frozen=True):
    """This member has deleted what it held of a partition, wholly (`new_index` -1) or what the new index does not hold.

    `migration` is the completed one that says so, "" if the master's table of this version does not list it any
    more."""

    partition: int
    replica: int
    new_index: int
    migration: str
    version: int
    reason: str
    why: Why


# The data


class OperationCalled(Event, frozen=True):
    """A client at this member begins an operation. Of a value its tag alone, before the first blank, is told."""

    client: str
    number: int
    does: str
    map: str
    key: str
    value: str
    partition: int


class OperationReturned(Event, frozen=True):
    """`outcome`: "ok", "failed" (it was surely not applied) or "unknown" (it may have been, or may yet be). `value`:
    what a get found, None: nothing. `holders`: who has the write, the owner first."""

    client: str
    number: int
    outcome: str
    value: str | None
    holders: tuple[Uuid, ...]
    attempts: int
    reason: str
    why: Why | None


class BackupMissed(Event, frozen=True):
    """The owner leaves this backup off the list of who holds a write: it did not answer in time, or refused."""

    partition: int
    replica: int
    peer: Member
    map: str
    reason: str
    why: Why


class BackupDiffers(Event, frozen=True):
    """This backup does not have what its owner has, and asks for the data."""

    partition: int
    replica: int
    peer: Member


class BackupSynced(Event, frozen=True):
    """Anti-entropy has mended this backup: it holds what the owner, `peer`, held. `maps`: each with its version."""

    partition: int
    replica: int
    peer: Member
    maps: tuple[tuple[str, int], ...]


class BackupHadMore(Event, frozen=True):
    """A promoted owner has taken what this backup, at that index, had and it lacked, before it serves. `maps`: each
    with the last version there."""

    partition: int
    replica: int
    peer: Member
    maps: tuple[tuple[str, int], ...]


class BackupNotHeard(Event, frozen=True):
    """A promoted owner serves without knowing what this backup has that it lacks: that is overwritten."""

    partition: int
    replica: int
    peer: Member
    reason: str
    why: Why


class SafetyChanged(Event, frozen=True):
    """Whether, as far as this member knows, everything is in place; if not, why."""

    safe: bool
    reason: str
    why: Why | None


class StockTaken(Event, frozen=True):
    """All that this member holds: of each partition the index by its table, and of each map there the version, the
    number of entries and a checksum of them."""

    version: int
    holds: tuple[tuple[int, int, tuple[tuple[str, int, int, int], ...]], ...]
