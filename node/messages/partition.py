"""The messages of the partition service: the partition table, migrations and their chunks, operations on the data.

From the text on avoiding data loss on migration. A partition's replicas name members by their uuid alone. A row has the
holders of index 0 (the owner), 1 and so on of one partition. None: nobody."""

from __future__ import annotations

from struct import Struct as Packed
from typing import Annotated, Final, Literal

import msgspec

from shaketable.node.messages.base import Message, Number, Time, Uuid
from shaketable.node.why import Because

MOST_REPLICAS: Final = 7
LARGEST_CHUNK: Final = 16 * 1024
"""bytes of data"""
LARGEST_VALUE: Final = 1 << 18
"""bytes of one entry of a map"""
NOBODY: Final = 0xFFFF
NOWHERE: Final = -1

Index = Annotated[int, msgspec.Meta(ge=NOWHERE, lt=MOST_REPLICAS)]
Replica = Annotated[int, msgspec.Meta(ge=0, lt=MOST_REPLICAS)]
Partition = Annotated[int, msgspec.Meta(ge=0, lt=100_000)]
Row = tuple[Uuid | None, ...]
"""The members that hold replica 0 (the owner), 1 and so on of one partition. None: no member. No name stands in it
twice."""
WireRow = Annotated[tuple[Uuid | None, ...], msgspec.Meta(max_length=MOST_REPLICAS)]
Does = Literal["put", "get", "remove"]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Value = Annotated[bytes, msgspec.Meta(max_length=LARGEST_VALUE)]

MigrationType = Literal["MOVE", "COPY", "SHIFT UP", "SHIFT DOWN", "SHIFT UP+SHIFT DOWN", "CLEAR"]


class TableState(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A partition table on its way: for each partition `width` places in `uuids`, two bytes each, lower one first.

    The uuids are in the order of the alphabet, each is held by somebody, and no row names one twice: so two tables with
    the same content are the same bytes. Version 0 is the table of a node that has none yet; it has no partitions."""

    version: Number
    uuids: Annotated[tuple[Uuid, ...], msgspec.Meta(max_length=10_000)]
    width: Annotated[int, msgspec.Meta(ge=0, le=MOST_REPLICAS)]
    holders: Annotated[bytes, msgspec.Meta(max_length=2 * MOST_REPLICAS * 100_000)]

    def __post_init__(self) -> None:
        width, many = self.width, len(self.uuids)
        if (self.version == 0) != (width == 0) or (self.version == 0) != (not self.holders):
            raise ValueError("only version 0 of a partition table is empty")
        if width and len(self.holders) % (2 * width):
            raise ValueError("a row of a partition table is not whole")
        if any(a >= b for a, b in zip(self.uuids, self.uuids[1:], strict=False)):
            raise ValueError("the uuids of a partition table are not in order")
        if not width:
            return
        places = frozenset(Packed(f"<{len(self.holders) // 2}H").unpack(self.holders))
        if any(many <= place < NOBODY for place in places):
            raise ValueError("a row of a partition table names somebody who is not listed")
        # Each row once: this is done with every table that comes, and few members make few rows.
        for row in dict.fromkeys(Packed(f"<{width}H").iter_unpack(self.holders)):
            names = len(frozenset(row))
            if names != width and names != width - max(0, row.count(NOBODY) - 1):
                raise ValueError("a row of a partition table names somebody twice")


class Migration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`source` holds the index that changes hands, nobody if it is empty; `destination` gets it. An index is -1 where
    they hold none before, or are to hold none afterwards. The data are always the owner's, who need not be either."""

    type: MigrationType
    source: str | None
    source_current_index: Index
    source_new_index: Index
    destination: str | None
    destination_current_index: Index
    destination_new_index: Index

    @property
    def adds_a_copy(self) -> bool:
        """Strictly, a SHIFT UP adds one at a hotter index, and leaves a colder one empty."""
        return self.source is None

    def applied_to(self, row: Row) -> Row:
        """The row once this is committed."""
        width = max(len(row), 1 + self.source_new_index, 1 + self.destination_new_index)
        after = [*row, *[None] * (width - len(row))]
        for index in (self.source_current_index, self.destination_current_index):
            if index != NOWHERE:
                after[index] = None
        if self.source_new_index != NOWHERE:
            after[self.source_new_index] = self.source
        if self.destination_new_index != NOWHERE:
            after[self.destination_new_index] = self.destination
        return tuple(after)


class MigrationInfo(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One migration on its master's queue: of which partition, and from which row and version it was planned."""

    id: Name
    master: Uuid
    partition: Partition
    migration: Migration
    version: Number
    row: WireRow
    number: Number = 0
    """of all that this master has requested so far; 0: it is still on the queue"""

    def __post_init__(self) -> None:
        held = [uuid for uuid in self.row if uuid is not None]
        if len(set(held)) != len(held):
            raise ValueError("a migration's row names a member twice")

    @property
    def owner(self) -> Uuid | None:
        """The member that sends the data."""
        return self.row[0] if self.row else None


class CompletedMigration(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Its result, and the version of the table from which on that holds."""

    info: MigrationInfo
    successful: bool
    version: Number


# The partition table


class AssignPartitions(Message, frozen=True):
    """To the master: the data are to be used, and I have no partition table yet."""


class PublishTable(Message, frozen=True):
    """The master's table, with completed migrations that not all know of, and the ids of those under way, of all
    `requested` so far. Any other has come to nothing (it began by a late message, say)."""

    target: Uuid
    table: TableState
    completed: tuple[CompletedMigration, ...]
    under_way: tuple[Name, ...] = ()
    requested: Number = 0


class TableAcknowledged(Message, frozen=True):
    """To the master: the version that I have now."""

    target: Uuid
    version: Number


class MemberListWanted(Message, frozen=True):
    """To the master: a table names a member that I do not know."""

    target: Uuid


class FetchTable(Message, frozen=True):
    """A new master looks for the most recent table."""

    request: Number
    target: Uuid


class FetchedTable(Message, frozen=True):
    """My table, with the completed migrations, and the active ones whose end I do not know."""

    request: Number
    table: TableState
    completed: tuple[CompletedMigration, ...]
    active: tuple[MigrationInfo, ...]


# Migrations


class MigrationRequest(Message, frozen=True):
    """The master to the partition's owner: copy the data to the destination."""

    request: Number
    target: Uuid
    info: MigrationInfo


class MigrationAnswer(Message, frozen=True):
    request: Number
    copied: bool
    reason: Because | None


class StartCopy(Message, frozen=True):
    """The owner to the destination, before the first chunk: can you take this?"""

    request: Number
    target: Uuid
    info: MigrationInfo


class StartCopyAnswer(Message, frozen=True):
    """If neither ready nor final: ask again, I may lack a table."""

    request: Number
    ready: bool
    final: bool
    reason: Because | None


class Chunk(Message, frozen=True):
    """A part of a stream: of a migration's data, or of what mends a backup. Numbers begin with 1. An empty chunk 0 asks
    how far the stream is."""

    target: Uuid
    stream: Name
    number: Number
    data: Annotated[bytes, msgspec.Meta(max_length=LARGEST_CHUNK)]
    last: bool
    with_next: bool = False
    """the next one has left with it: the acknowledgement of that is enough"""


class Part(Message, frozen=True):
    """A part of a message whose value is larger than a chunk. Only the whole message counts. As a chunk otherwise."""

    target: Uuid
    stream: Name
    number: Number
    data: Annotated[bytes, msgspec.Meta(max_length=LARGEST_CHUNK)]
    last: bool
    with_next: bool = False


class ChunkReceived(Message, frozen=True):
    """All chunks up to this number have come, or parts. With a `refusal`, no more of that stream is wanted."""

    target: Uuid
    stream: Name
    number: Number
    refusal: Because | None = None


class MigrationCommit(Message, frozen=True):
    """The master to the destination: the table after this commit."""

    request: Number
    target: Uuid
    info: MigrationInfo
    table: TableState
    completed: tuple[CompletedMigration, ...]


class MigrationCommitAnswer(Message, frozen=True):
    """If neither done nor final: ask again."""

    request: Number
    done: bool
    final: bool
    reason: Because | None


# The data


class Operation(Message, frozen=True):
    """To a partition's owner. A `client` numbers its operations and has one at a time. The owner applies none twice."""

    request: Number
    target: Uuid
    client: Name
    number: Number
    does: Does
    map: Name
    key: Name
    value: Value


class OperationAnswer(Message, frozen=True):
    """ "ok", "retry" (not the owner, or the partition is moving), "refused", or "failed" (not applied, and not to be
    tried again). `holders`: members that have the write now."""

    request: Number
    outcome: Literal["ok", "retry", "refused", "failed"]
    value: Value | None
    holders: tuple[Uuid, ...]
    reason: Because | None


class Backup(Message, frozen=True):
    """The owner of a partition to a backup: the write that gives its map this version."""

    request: Number
    target: Uuid
    table_version: Number
    partition: Partition
    replica: Replica
    version: Number
    client: Name
    number: Number
    does: Does
    map: Name
    key: Name
    value: Value
    updated: Time
    hits: Number


class BackupAnswer(Message, frozen=True):
    """If neither done nor final: ask again, I may lack a table."""

    request: Number
    done: bool
    final: bool
    reason: Because | None


class HeldVersions(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The versions that the maps of one partition have, as the holder of this replica index should have them."""

    partition: Partition
    replica: Replica
    maps: tuple[tuple[Name, Number], ...]


class ReplicaVersions(Message, frozen=True):
    """The owner to a backup: the versions that it should have."""

    target: Uuid
    table_version: Number
    versions: tuple[HeldVersions, ...]


class ReplicaVersionsAnswer(Message, frozen=True):
    """A backup names the partitions that it has so, and those whose data it wants."""

    target: Uuid
    table_version: Number
    same: tuple[tuple[Partition, Replica], ...]
    different: tuple[tuple[Partition, Replica], ...]


class StartSync(Message, frozen=True):
    """The owner to a backup, before the chunks of this stream: all data of a partition come."""

    target: Uuid
    table_version: Number
    stream: Name
    partition: Partition
    replica: Replica


class MoreWanted(Message, frozen=True):
    """A promoted owner to a colder backup, before it serves: have you writes that I lack? `versions`: I lack none up to
    these."""

    request: Number
    target: Uuid
    table_version: Number
    versions: tuple[HeldVersions, ...]


class MoreHeld(Message, frozen=True):
    """Partitions of which the backup has later writes, and their versions. If not done: ask again, I may lack a
    table."""

    request: Number
    done: bool
    versions: tuple[HeldVersions, ...]


class ReplicaWanted(Message, frozen=True):
    """A promoted owner to a colder backup: send all your data of this partition in this stream. Repeated until they
    come."""

    request: Number
    target: Uuid
    table_version: Number
    partition: Partition
    stream: Name


class ReplicaComes(Message, frozen=True):
    """Whether the data are on their way. If not, they never will be: I hold none for you."""

    request: Number
    coming: bool
