"""Clients work, messages are lost and doubled, owners crash, partitions move: what is acknowledged is not lost."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

import msgspec
import pytest
from tests.node.cluster.partition.data_planes import Planes

from shaketable.node.core.commands import StopWorkCommand, WorkCommand
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.events import Event, OperationCalled, OperationReturned
from shaketable.node.messages import Message, Uuid

MEMBERS = 6
BACKUPS = 2


class Story:
    """One partition; the row is [owner, backup, backup] of these members, with gaps after a crash."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.planes = Planes(
            MEMBERS,
            maps=f"data={BACKUPS}",
            operation_timeout=3 * SECOND,
            operation_retry=50 * MILLISECOND,
            backup_timeout=200 * MILLISECOND,
        )
        self.row: list[int | None] = [0, 1, 2]
        self.version = 1
        self.alive = list(range(MEMBERS))
        self.acknowledged: dict[str, tuple[int, dict[Uuid, bool]]] = {}
        """by key, the last write and who has it"""
        self.writes: dict[str, dict[str, int]] = {}
        """by key, the number of each write by its tag"""
        self.open: dict[str, OperationCalled] = {}
        self.checked = 0
        self.survived = 0
        for plane in self.planes.planes:
            events = plane.node.events
            plane.node.report = partial(self.told, events)
        self.planes.table(*self.row)

    def told(self, events: list[Event], event: Event) -> None:
        events.append(event)
        match event:
            case OperationCalled(client=client):
                assert client not in self.open, "one at a time"
                self.open[client] = event
                if event.does == "put":
                    self.writes.setdefault(event.key, {})[event.value] = event.number
            case OperationReturned(client=client):
                call = self.open.pop(client)
                assert call.number == event.number
                if call.does == "put" and event.outcome == "ok":
                    self.acknowledge(call.key, call.number, event.holders)

    def acknowledge(self, key: str, number: int, named: Sequence[Uuid]) -> None:
        """Of those named, who still has its index now that the answer is here."""
        row = self.uuids()
        holders = {uuid: True for uuid in named if uuid in row}
        for uuid in holders:
            self.checked += 1
            assert self.number_at(uuid, key) == number, f"{uuid} is named a holder of {number} at {key}"
        self.acknowledged[key] = number, holders

    def uuids(self) -> list[Uuid]:
        return [self.planes.members[number].uuid for number in self.row if number is not None]

    def number_at(self, uuid: Uuid, key: str) -> int:
        plane = next(plane for plane in self.planes.planes if plane.me.uuid == uuid)
        value = plane.store.read(0, "data", key)
        return self.writes[key][value.decode().partition(" ")[0]] if value is not None else 0

    def gives_up(self, number: int) -> None:
        for _, holders in self.acknowledged.values():
            holders.pop(self.planes.members[number].uuid, None)

    def crash_the_owner(self) -> None:
        planes, owner = self.planes, self.row[0]
        left = [number for number in self.row[1:] if number is not None]
        if not left or owner is None or len(self.alive) < 4:
            return
        planes.crash(owner)
        self.alive.remove(owner)
        self.gives_up(owner)
        planes.run(self.rng.randrange(100) * MILLISECOND)
        planes.gone(owner)
        promoted = left[0]
        replica = self.row.index(promoted)
        self.row[0], self.row[replica] = promoted, None
        self.version += 1
        planes.promote(promoted, replica, *self.row[1:], version=self.version)

    def move(self) -> None:
        """To any index, empty or not, from the owner's data, once no write is under way there."""
        planes, owner = self.planes, self.row[0]
        free = [number for number in self.alive if number not in self.row]
        if not free or owner is None:
            return
        operations, idle = planes[owner].operations, [False]
        if operations.busy(0, lambda partition: idle.append(True)):
            planes.run(SECOND, until=lambda: idle[-1])
            assert idle[-1], "a write never waits longer for its backups than it may"
        index, destination = self.rng.randrange(BACKUPS + 1), self.rng.choice(free)
        had = self.row[index]
        self.row[index] = destination
        self.version += 1
        mine = planes.members[owner].uuid
        for _, holders in self.acknowledged.values():
            if mine in holders:
                holders[planes.members[destination].uuid] = True
        if had is not None:
            self.gives_up(had)
        planes.migrate(owner, destination, index, *self.row, version=self.version)

    def weather(self) -> None:
        rng = self.rng
        for wire in self.planes.nodes.wires.values():
            lost, doubled = rng.choice([0, 0, 0, 0.1, 0.5, 1]), rng.choice([0, 0, 0.3])
            wire.loses, wire.twice = self.by_chance(lost), self.by_chance(doubled)
            wire.latency = rng.choice([200, 200, 5_000, 60_000])

    def by_chance(self, how_often: float) -> Callable[[Message], bool]:
        return lambda message: self.rng.random() < how_often

    def clear(self) -> None:
        for wire in self.planes.nodes.wires.values():
            wire.loses = wire.twice = lambda message: False

    def run(self) -> None:
        planes = self.planes
        work = WorkCommand("", "data", clients=2, keys=2, writes_percent=70, pause=MILLISECOND)
        for number, plane in enumerate(planes.planes):
            plane.clients.command(msgspec.structs.replace(work, client=f"w{number}"))
        for _ in range(25):
            self.weather()
            planes.run(self.rng.randrange(600) * MILLISECOND)
            match self.rng.randrange(4):
                case 0:
                    self.crash_the_owner()
                case 1 | 2:
                    self.move()
        self.clear()
        for number, plane in enumerate(planes.planes):
            plane.clients.command(StopWorkCommand(f"w{number}"))
        planes.run(10 * SECOND)

    def judge(self) -> None:
        owner = self.planes.members[self.row[0] or 0].uuid
        for key, (number, holders) in self.acknowledged.items():
            if holders:
                self.survived += 1
                assert self.number_at(owner, key) >= number, f"{key}: {number} is lost"
        waiting = [client for client in self.open if int(client[1 : client.index(".")]) in self.alive]
        assert not waiting, "each call returns"


@pytest.mark.parametrize("seed", range(12))
def test_what_is_acknowledged_is_there_as_long_as_one_of_its_holders(seed: int) -> None:
    story = Story(seed)
    story.run()
    story.judge()
    assert story.checked > 100
    assert story.survived > 2
