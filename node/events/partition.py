"""The events of the partition service: the table, migrations, and the data.

Replicas are named by their holders' uuids. `stamp` is a checksum of a table's content: equal tables, equal stamps."""

from __future__ import annotations

from shaketable.node.events.base import Event
from shaketable.node.messages import Member, MigrationInfo, Row, Uuid
from shaketable.node.why import Why

# The partition table


class TableChanged(Event, frozen=True):
    """The master's own table has a new version. `rows`: those that changed, or all of a found table.

    `change`: "assigned" (for the first time), "found" (a new master's), "repaired" (members that left are off it,
    backups are promoted), "owner assigned" (of partitions that had lost all), "committed", "rolled back" (only the
    version changes) or "cleared"."""

    version: int
    stamp: int
    change: str
    rows: tuple[tuple[int, Row], ...]
    reason: str
    why: Why


class TablePublished(Event, frozen=True):
    """The master sends its table and completed migrations to `to` members. `change` is false for the periodic
    publish."""

    version: int
    stamp: int
    to: int
    completed: tuple[str, ...]
    change: bool


class TableInstalled(Event, frozen=True):
    """A member takes a table from its master, by a publish or with a commit. It keeps only these completed
    migrations."""

    version: int
    stamp: int
    master: Member
    completed: tuple[str, ...]
    reason: str
    why: Why


class TableRefused(Event, frozen=True):
    """A received table was not applied: not from my master, older, or `put_off` because it names unknown members."""

    version: int
    peer: Member
    put_off: bool
    reason: str
    why: Why


class TableSearchBegan(Event, frozen=True):
    """A new master asks these members for their tables. Until all have answered or left it publishes nothing."""

    members: tuple[Member, ...]


class TableFetched(Event, frozen=True):
    """A new master got the table of `peer`, with the ids of completed and active migrations."""

    peer: Member
    version: int
    completed: tuple[str, ...]
    active: tuple[str, ...]


class TableHandedOver(Event, frozen=True):
    """A member sends its table to its new master."""

    peer: Member
    version: int


class TableSearchEnded(Event, frozen=True):
    """A new master found the newest table at `peer`. It commits active migrations that some member has as completed,
    and rolls back the others."""

    version: int
    peer: Member
    committed: tuple[str, ...]
    rolled_back: tuple[str, ...]


class PartitionLost(Event, frozen=True):
    """All holders of this partition are gone. It gets a new owner, without the data."""

    partition: int
    version: int


class ReplicaPromoted(Event, frozen=True):
    """This member was a backup at index `replica`, and is the owner by the master's table of this version. -1: no table
    has reached it that said at which index."""

    partition: int
    replica: int
    version: int


class CompletedDropped(Event, frozen=True):
    """The master forgets these completed migrations: every member has a table of their version or a later one."""

    migrations: tuple[str, ...]


# Planning and the queue


class PartitionsPlanned(Event, frozen=True):
    """The master planned from its table of this version. Each partition that changes has its row, the row to come
    (cycles put back), and its migrations' ids in order."""

    version: int
    plans: tuple[tuple[int, Row, Row, tuple[str, ...]], ...]
    migrations: int


class PlanCancelled(Event, frozen=True):
    """This many migrations were left on the queue. A new plan is made."""

    migrations: int
    reason: str
    why: Why


class PlanDone(Event, frozen=True):
    """The queue is empty, and the table is as planned."""

    version: int


# Migrations


class MigrationRequested(Event, frozen=True):
    """The master asks the partition's owner to copy the data."""

    partition: int
    info: MigrationInfo


class MigrationRefused(Event, frozen=True):
    """A participant refuses a request, a copy or a commit. If `final`, it is not asked again."""

    partition: int
    migration: str
    peer: Member
    final: bool
    reason: str
    why: Why


class MigrationBegan(Event, frozen=True):
    """A participant holds the active state from now on. `role`: "owner" (sends the data) or "destination"."""

    partition: int
    migration: str
    role: str


class ChunkSent(Event, frozen=True):
    """A chunk has left, and so `bytes` of `total`. Repeated chunks are told again. Of several sent at once the last is
    told; a stream's first always is."""

    peer: Member
    stream: str
    number: int
    bytes: int
    total: int


class ChunkArrived(Event, frozen=True):
    """A chunk has come. `bytes`: of it and of earlier ones that were not told."""

    peer: Member
    stream: str
    number: int
    bytes: int
    last: bool


class ChunkRefused(Event, frozen=True):
    """A chunk came out of order, twice, or of an unexpected stream."""

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
    """A service gave no data that can be sent to this index of the partition, or could not read those that came. An
    uncommitted migration is rolled back."""

    partition: int
    replica: int
    service: str
    reason: str
    why: Why


class CommitSent(Event, frozen=True):
    """The master sends the destination the table of this version, prepared."""

    partition: int
    migration: str
    peer: Member
    version: int


class MigrationFinished(Event, frozen=True):
    """This member learns how a migration ended. `role`: "destination", "master", "owner" (and nothing else), "source"
    (holds the index that changes hands); a member with several tells them in this order. Indexes are its own."""

    partition: int
    migration: str
    role: str
    successful: bool
    version: int
    current_index: int
    new_index: int


class ReplicaDropped(Event, frozen=True):
    """This member deletes its data of a partition: all (`new_index` -1), or what the new index does not hold.

    `migration`: the completed one that says so; "" if the master's table of this version does not list this member any
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
    """A client at this member begins an operation. Of a value only the tag, before the first blank, is told."""

    client: str
    number: int
    does: str
    map: str
    key: str
    value: str
    partition: int


class OperationReturned(Event, frozen=True):
    """A client's operation has ended. `outcome`: "ok", "failed" (surely not applied) or "unknown" (perhaps applied, or
    still to be). `value`: what a get found, None: nothing. `holders`: members that have the write, the owner first."""

    client: str
    number: int
    outcome: str
    value: str | None
    holders: tuple[Uuid, ...]
    attempts: int
    reason: str
    why: Why | None


class BackupMissed(Event, frozen=True):
    """The owner does not name this backup as a holder of a write: it was late, or refused."""

    partition: int
    replica: int
    peer: Member
    map: str
    reason: str
    why: Why


class BackupDiffers(Event, frozen=True):
    """This backup differs from its owner, and asks for the data."""

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
    """A promoted owner has taken data that it lacked from this backup, before it serves. `maps`: with their last
    versions there."""

    partition: int
    replica: int
    peer: Member
    maps: tuple[tuple[str, int], ...]


class BackupNotHeard(Event, frozen=True):
    """A promoted owner serves without knowing what this backup has more. It will overwrite that."""

    partition: int
    replica: int
    peer: Member
    reason: str
    why: Why


class SafetyChanged(Event, frozen=True):
    """Whether everything is in place, as far as this member knows; if not, why."""

    safe: bool
    reason: str
    why: Why | None


class StockTaken(Event, frozen=True):
    """All that this member holds: each partition's index by the table, and each map's version, number of entries and
    checksum."""

    version: int
    holds: tuple[tuple[int, int, tuple[tuple[str, int, int, int], ...]], ...]
