"""A few members' data planes over links in virtual time; tables and lists are set by hand, as if from a master."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.node.cluster.partition.members_on_wires import Nodes

from shaketable.node.cluster.partition.backups import Backups
from shaketable.node.cluster.partition.clients import Clients
from shaketable.node.cluster.partition.merging import Bringing, Taking
from shaketable.node.cluster.partition.operations import Operations
from shaketable.node.cluster.partition.parts import Parts
from shaketable.node.cluster.partition.routing import Routing
from shaketable.node.cluster.partition.services import DESTINATION, SOURCE, PartitionMigrationEvent
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.table import Table
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.core.post import Post
from shaketable.node.core.requests import Requests
from shaketable.node.messages import (
    AssignPartitions,
    Backup,
    BackupAnswer,
    ChunkReceived,
    Does,
    Member,
    MergeEntries,
    MergeEntriesAnswer,
    Message,
    Operation,
    OperationAnswer,
    Part,
    Row,
    Uuid,
)


@dataclass
class Returned:
    """What came of an operation."""

    outcome: str
    value: bytes | None
    holders: tuple[Uuid, ...]
    attempts: int
    reason: str


class AntiEntropy:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.doubts: list[tuple[int, Uuid]] = []
        self.missing: list[int] = []

    def doubt(self, partition: int, holder: Uuid) -> None:
        self.doubts.append((partition, holder))

    def dirty(self, partition: int) -> None:
        self.missing.append(partition)


def _nothing() -> None:
    pass


class Plane:
    def __init__(self, node: Any) -> None:
        self.node = node
        self.me: Member = node.membership.me
        self.crashed = False
        post = Post(node, self.me.address, self.receive)
        self.state = PartitionState(node.membership, requests=Requests(node, post.send), send=post.send)
        self.store = MapStore(self.state)
        self.state.services = (self.store,)
        told = AntiEntropy()
        self.doubts, self.dirty = told.doubts, told.missing
        self.parts = Parts(self.state, handle=self.receive)
        self.operations = Operations(self.state, store=self.store, antientropy=told, parts=self.parts, look=_nothing)
        self.backups = Backups(self.state, store=self.store, antientropy=told)
        self.routing = Routing(self.state, parts=self.parts)
        self.taking = Taking(self.state, store=self.store, operations=self.operations)
        self.bringing = Bringing(self.state, routing=self.routing, parts=self.parts, look=_nothing)
        self.clients = Clients(self.state, routing=self.routing, store=self.store)
        self.wanted = 0
        node.handle = self.receive

    def receive(self, message: Message) -> None:
        if self.crashed:
            return
        match message:
            case Operation():
                self.operations.on_operation(message)
            case Backup():
                self.backups.on_backup(message)
            case MergeEntries():
                self.taking.on_merge_entries(message)
            case OperationAnswer() | BackupAnswer() | MergeEntriesAnswer():
                self.state.requests.answered(message.request, message)
            case Part():
                self.parts.on_part(message)
            case ChunkReceived():
                self.parts.on_part_received(message)
            case AssignPartitions():
                self.wanted += 1

    def install(self, table: Table) -> None:
        self.state.table = table
        self.operations.table_changed()
        self.routing.table_changed()
        self.bringing.go_on()

    def listed(self, members: Sequence[Member]) -> None:
        before = self.node.membership.view.members
        self.node.list_now(list(members))
        removed = [each for each in before if each not in members]
        self.parts.members_changed(removed)
        self.operations.members_changed(removed)
        self.routing.members_changed()
        self.bringing.go_on()


class Planes:
    """Member i of them is `planes[i]`; unless a test says otherwise there is one partition, and it is number 0."""

    def __init__(self, count: int = 3, **settings: Any) -> None:
        self.nodes = Nodes(count, **{"partition_count": 1, **settings})
        self.world = self.nodes.world
        self.members = self.nodes.members
        self.planes = [Plane(node) for node in self.nodes.nodes]
        self.wire = self.nodes.wire
        self._numbers: dict[str, int] = {}

    def __getitem__(self, number: int) -> Plane:
        return self.planes[number]

    def uuids(self, *numbers: int) -> tuple[Uuid, ...]:
        return tuple(self.members[number].uuid for number in numbers)

    def row(self, *numbers: int | None) -> Row:
        return tuple(None if number is None else self.members[number].uuid for number in numbers)

    def table(self, *numbers: int | None, version: int = 1, at: Sequence[int] | None = None) -> None:
        """All, or those, have this row of each partition now."""
        for number in range(len(self.planes)) if at is None else at:
            plane = self.planes[number]
            plane.install(Table(version, [self.row(*numbers)] * plane.state.settings.partition_count))

    def call(
        self, at: int, does: Does, key: str, value: str = "", *, name: str = "data", client: str = "", number: int = 0
    ) -> list[Returned]:
        """Empty until it returns."""
        client = client or f"c{at}"
        number = number or self._numbers.get(client, 0) + 1
        self._numbers[client] = number
        returned: list[Returned] = []

        def done(*what: Any) -> None:
            returned.append(replace(Returned(*what), reason=str(what[-1] or "")))

        self.planes[at].routing.invoke(client, number, does, name, key, value.encode(), done)
        assert not returned, "never at once"
        return returned

    def do(self, at: int, does: Does, key: str, value: str = "", **more: Any) -> Returned:
        returned = self.call(at, does, key, value, **more)
        self.run(100 * SECOND, until=lambda: bool(returned))
        assert len(returned) == 1, "it does not return"
        return returned[0]

    def run(self, time: Micros = 10 * MILLISECOND, until: Callable[[], bool] = lambda: False) -> None:
        self.world.run(time, until)

    def crash(self, number: int) -> None:
        self.planes[number].crashed = True
        self.nodes.nodes[number].nodes = {}

    def gone(self, number: int) -> None:
        """All others have a list without it."""
        left = [each for each in self.members if each != self.members[number]]
        for plane in self.planes:
            if plane.me != self.members[number]:
                plane.listed([each for each in plane.node.membership.view.members if each in left])

    def promote(self, number: int, replica: int, *rest: int | None, version: int) -> None:
        """This backup owns all partitions, by a table that all who live have now."""
        plane = self.planes[number]
        row = self.row(number, *rest)
        table = Table(version, [row] * plane.state.settings.partition_count)
        plane.state.table = table
        for partition in range(plane.state.settings.partition_count):
            plane.store.promoted(partition, version)
        for each in self.planes:
            if not each.crashed:
                each.install(table)

    def migrate(self, owner: int, destination: int, index: int, *row: int | None, version: int) -> None:
        """Partition 0 as the owner has it becomes index `index` of the destination; then this is the row for all."""
        data = self.planes[owner].store.replication_data(0, index)
        plane = self.planes[destination]
        before = plane.state.my_index(0)
        plane.store.replicate(0, index, data)
        plane.store.commit_migration(PartitionMigrationEvent(DESTINATION, 0, before, index))
        table = Table(version, [self.row(*row)])
        for each in self.planes:
            was, new = each.state.my_index(0), table.index_of(0, each.me.uuid)
            if each.crashed:
                continue
            each.state.table = table
            if was != new and each is not plane:
                each.store.commit_migration(PartitionMigrationEvent(SOURCE, 0, was, new))
            each.install(table)


def three(**settings: Any) -> Planes:
    """Member 0 owns the only partition, 1 and 2 are its backups; a map `data` with one, `precious` with two."""
    planes = Planes(3, **{"maps": "data=1 precious=2", **settings})
    planes.table(0, 1, 2)
    return planes


def version(planes: Planes, number: int, name: str = "data") -> int:
    return dict(planes[number].store.versions(0, 0)).get(name, 0)


def value(planes: Planes, number: int, key: str = "k", name: str = "data") -> bytes | None:
    return planes[number].store.read(0, name, key)


def sent(planes: Planes, number: int, kind: type) -> list[Any]:
    return [message for _, message in planes.nodes.nodes[number].sent if isinstance(message, kind)]


def keeps(first: list[Message], kind: type) -> Callable[[Message], bool]:
    """Of this kind the first does not pass."""

    def loses(message: Message) -> bool:
        if first or not isinstance(message, kind):
            return False
        first.append(message)
        return True

    return loses
