"""The clients at one member: they carry out what a world commands, and tell of each operation's call and return.

One client has one operation at a time and counts them. An unknown outcome stays unknown: the client goes on, and a
later value of the key tells what became of the operation."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from shaketable.node.cluster.partition.routing import Routing
from shaketable.node.cluster.partition.state import PartitionState, wire_name
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.tags import tag_in, tag_of
from shaketable.node.core.commands import (
    Command,
    OperateCommand,
    ReadCommand,
    StopWorkCommand,
    TakeStockCommand,
    WorkCommand,
)
from shaketable.node.core.env import MILLISECOND, Micros
from shaketable.node.events import OperationCalled, OperationReturned, StockTaken
from shaketable.node.messages import Does, Uuid
from shaketable.node.why import Because, or_nothing

Operation = tuple[Does, str, str, str]
"""what it does, map, key and value"""


@dataclass(slots=True)
class Job:
    """One command, in operations."""

    operations: Iterator[Operation]
    pause: Micros = 0
    stopped: bool = False


class Client:
    __slots__ = ("began", "called", "jobs", "name", "number", "wire_name")

    def __init__(self, name: str, wire_name: str) -> None:
        self.name = name
        self.wire_name = wire_name
        self.number = 0
        self.jobs: deque[Job] = deque()
        self.called = False
        """an operation has not returned, or the next one waits for its time"""
        self.began: Micros = 0


class Clients:
    def __init__(self, state: PartitionState, *, routing: Routing, store: MapStore) -> None:
        self._state = state
        self._routing = routing
        self._store = store
        self._clients: dict[str, Client] = {}
        self._work: dict[str, list[Job]] = {}
        self._ended = False

    def end(self) -> None:
        """My next identity does what a client has left to do."""
        self._ended = True

    def take_over(self, former: Clients) -> None:
        """They go on under my name; what they did under the former one stays that one's."""
        self._clients, self._work = former._clients, former._work
        for client in self._clients.values():
            client.wire_name = wire_name(client.name, self._state.me)
            client.called = bool(client.jobs)
        self._state.env.call_later(MILLISECOND, self._go_on)

    def _go_on(self) -> None:
        for client in self._clients.values():
            if client.jobs:
                self._next(client)

    def command(self, command: Command) -> None:
        match command:
            case OperateCommand(client, does, name, key, value):
                self._give(self._client(client), Job(iter([(does, name, key, value)])))
            case ReadCommand(client, name, keys):
                self._give(self._client(client), Job(("get", name, key, "") for key in keys))
            case WorkCommand():
                # Drawn when there is work, and not before: who has none draws as if there were no partitions.
                seeds = [self._state.env.rng.getrandbits(64) for _ in range(command.clients)]
                for number, seed in enumerate(seeds, 1):
                    one = self._client(f"{command.client}.{number}")
                    job = Job(working(command, one, random.Random(seed)), command.pause)
                    self._work.setdefault(command.client, []).append(job)
                    self._give(one, job)
            case StopWorkCommand(client):
                for job in self._work.pop(client, ()):
                    job.stopped = True
            case TakeStockCommand():
                self._state.env.report(StockTaken(self._state.table.version, self._store.stock()))

    def _client(self, name: str) -> Client:
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = Client(name, wire_name(name, self._state.me))
        return client

    def _give(self, client: Client, job: Job) -> None:
        client.jobs.append(job)
        if not client.called:
            self._next(client)

    def _next(self, client: Client) -> None:
        """The next operation, of the first job that has one."""
        if self._ended:
            return
        client.called = False
        while client.jobs:
            job = client.jobs[0]
            operation = None if job.stopped else next(job.operations, None)
            if operation is not None:
                self._call(client, job, operation)
                return
            client.jobs.popleft()

    def _call(self, client: Client, job: Job, operation: Operation) -> None:
        state = self._state
        does, name, key, value = operation
        client.called = True
        client.number += 1
        client.began = state.env.now()
        state.env.report(
            OperationCalled(client.name, client.number, does, name, key, tag_of(value), state.partition_of(key))
        )

        def done(
            outcome: str, found: bytes | None, holders: tuple[Uuid, ...], attempts: int, reason: Because | None
        ) -> None:
            told = tag_in(found) if found is not None else None
            state.env.report(
                OperationReturned(client.name, client.number, outcome, told, holders, attempts, *or_nothing(reason))
            )
            # Where an operation takes no time, a client without a pause would let none go by.
            pause = job.pause or (0 if state.env.now() > client.began else MILLISECOND)
            if pause:
                state.env.call_later(pause, lambda: self._next(client))
            else:
                self._next(client)

        self._routing.invoke(client.wire_name, client.number, does, name, key, value.encode(), done)


def working(work: WorkCommand, client: Client, rng: random.Random) -> Iterator[Operation]:
    filling = " " + "." * work.size
    done = 0
    while work.operations is None or done < work.operations:
        key = f"{client.name}/{done % work.keys}"
        if done < work.keys or rng.randrange(100) < work.writes_percent:
            tag = f"{client.wire_name}#{client.number + 1}"
            yield "put", work.map, key, (tag + filling)[: max(len(tag), work.size)]
        else:
            yield "get", work.map, key, ""
        done += 1
