"""What one member believes about the partitions: the table, the migrations that it takes part in and how others ended.

The state that the partition services share, as `Membership` is for those of the cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from shaketable.node.cluster.partition.services import MigrationAwareService
from shaketable.node.cluster.partition.table import NO_TABLE, Table
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.env import SECOND, Env, Micros
from shaketable.node.core.requests import Requests
from shaketable.node.messages import Address, CompletedMigration, Member, Message, MigrationInfo, Row, Uuid
from shaketable.node.why import Because, Why, because

UNTIL_IT_LEAVES: Final[Micros] = 10**10 * SECOND
"""the budget of a request to a member who must answer, or leave"""
SMALL: Final = 1024
"""bytes of a value"""
NODE: Final = 8
"""letters of its node's identity, behind an @, at the end of a client's name"""


MERGING: Final = "merge"
"""the client that brings what merges: the only one with several writes under way at once"""


def wire_name(client: str, node: Uuid) -> str:
    """No other node has a client of this name, nor had this one before it was restarted."""
    return f"{client}@{node[:NODE]}"


def brings_what_merges(client: str) -> bool:
    return client.startswith(f"{MERGING}@")


@dataclass(slots=True)
class ActiveMigration:
    """A migration whose end this participant has not learnt yet."""

    info: MigrationInfo
    owns: bool
    """this member owns the partition and sends the data; else it is the destination"""
    data: list[bytes] | None = None
    """what has come for each service, once all of it has"""
    unreadable: Because | None = None
    """why what has come is no data; it is not committed then"""


class PartitionState:
    def __init__(self, membership: Membership, *, requests: Requests, send: Callable[[Address, Message], None]) -> None:
        self.membership = membership
        self.env: Env = membership.env
        self.settings = membership.settings
        self.requests = requests
        self.send = send
        """like the Env's, but to oneself too: that message is a step of its own"""
        self.cluster_time: Callable[[], Micros] = membership.cluster_time
        """by the clock of the cluster, not my own"""
        self.table: Table = NO_TABLE
        self.active: dict[int, ActiveMigration] = {}
        """by partition: it is migrating, and nothing is written to it here"""
        self.promoting: dict[int, bool] = {}
        """partitions that I own by promotion, and do not serve yet: a backup may have what I lack"""
        self.completed: dict[str, CompletedMigration] = {}
        """on the master those that not all members know of yet, on others what came with the last table; by id"""
        self.told: tuple[Uuid, tuple[str, ...], int] = ("", (), 0)
        """by which master, with its last table, which migrations are under way of how many that it has requested"""
        self.searching = False
        """this member is a new master and looks for the most recent table: it changes and publishes none"""
        self.leaving: dict[Uuid, bool] = {}
        """who wants to leave, as the master knows it: they are given nothing any more"""
        self.goes_over = False
        """what this member owns is set aside for a merge: no operation is done here any more"""
        self.services: Sequence[MigrationAwareService] = ()

    @property
    def me(self) -> Uuid:
        return self.membership.me.uuid

    def member(self, uuid: Uuid | None) -> Member | None:
        """None: nobody, or nobody whom I know."""
        return self.membership.known.get(uuid) if uuid is not None else None

    def row(self, partition: int) -> Row:
        rows = self.table.rows
        return rows[partition] if partition < len(rows) else ()

    def my_index(self, partition: int) -> int:
        return self.table.index_of(partition, self.membership.me.uuid)

    def not_mine(self, target: Uuid) -> Because | None:
        """Why a message for this identity is not for me; None if it is."""
        if target != self.membership.me.uuid:
            return because(Why.ANOTHER_ONE_HERE)
        return None if self.membership.joined else because(Why.NO_MEMBER_OF_A_CLUSTER)

    def has_ended(self, info: MigrationInfo) -> bool:
        """By what its master has told with a table. A message about it that comes now comes too late."""
        master, under_way, requested = self.told
        return info.master == master and info.number <= requested and info.id not in under_way

    def patience(self, value: bytes) -> Micros:
        """Before a value is sent once more: a large one may be on a thin link yet, with heartbeats behind it."""
        settings = self.settings
        retry = settings.operation_retry
        return retry if len(value) <= SMALL else max(retry, settings.heartbeat_interval)

    def partition_of(self, key: str) -> int:
        return crc32(key.encode()) % self.settings.partition_count

    def replicas_of(self, uuid: Uuid) -> int:
        return self.table.held()[uuid]
