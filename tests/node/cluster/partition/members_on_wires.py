"""Members that hold partitions, without a cluster service: links of a given rate, latency and loss, in virtual time."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from heapq import heappop, heappush

from tests.node.messages.messages_by_chance import member
from tests.reasons import reason_in

from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.service.views import Membership
from shaketable.node.config import DEFAULT, Settings
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.core.requests import Requests
from shaketable.node.events import Event
from shaketable.node.messages import Address, Member, MemberList, Message, encode

FRAME = 80
"""bytes around a message on a link"""


class Alarm:
    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


class World:
    def __init__(self) -> None:
        self.time: Micros = 0
        self._count = 0
        self._due: list[tuple[Micros, int, Alarm]] = []

    def later(self, delay: Micros, callback: Callable[[], None]) -> Alarm:
        assert delay >= 0
        self._count += 1
        alarm = Alarm(callback)
        heappush(self._due, (self.time + delay, self._count, alarm))
        return alarm

    def run(self, time: Micros, until: Callable[[], bool] = lambda: False) -> None:
        end = self.time + time
        while self._due and self._due[0][0] <= end and not until():
            self.time, _, alarm = heappop(self._due)
            if alarm.callback is not None:
                callback, alarm.callback = alarm.callback, None
                callback()
        if not until():
            self.time = end


class Wire:
    """One directed link: bytes wait behind bytes, and nothing overtakes anything."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.latency: Micros = 200
        self.rate: int | None = None
        self.loses: Callable[[Message], bool] = lambda message: False
        self.twice: Callable[[Message], bool] = lambda message: False
        self.free_at: Micros = 0
        self.last: Micros = 0
        self.longest_wait: Micros = 0
        """that a message had to wait for those before it"""

    def carry(self, message: Message, deliver: Callable[[Message], None]) -> None:
        if self.loses(message):
            return
        for _ in range(2 if self.twice(message) else 1):
            now = self.world.time
            if self.rate is not None:
                self.longest_wait = max(self.longest_wait, self.free_at - now)
                self.free_at = max(now, self.free_at) + (len(encode(message)) + FRAME) * SECOND // self.rate
                now = self.free_at
            self.last = max(now + self.latency, self.last)
            self.world.later(self.last - self.world.time, lambda: deliver(message))


class Node:
    """An `Env`, and the shared state of one member's partition services; `handle` takes what comes."""

    def __init__(
        self, world: World, me: Member, settings: Settings, wires: dict[tuple[Address, Address], Wire]
    ) -> None:
        self.world = world
        self.rng = random.Random(me.address)
        self.wires = wires
        self.nodes: dict[Address, Node] = {}
        self.events: list[Event] = []
        self.sent: list[tuple[Micros, Message]] = []
        self.handle: Callable[[Message], None] = lambda message: None
        self.membership = Membership(self, settings, me, installed=lambda added, removed: None)
        self.state = PartitionState(self.membership, requests=Requests(self), send=self.send)

    def now(self) -> Micros:
        return self.world.time

    def send(self, to: Address, message: Message) -> None:
        assert to != self.membership.me.address
        self.sent.append((self.world.time, message))
        if to in self.nodes:
            node = self.nodes[to]
            self.wires[self.membership.me.address, to].carry(message, lambda received: node.handle(received))

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Alarm:
        return self.world.later(delay, callback)

    def report(self, event: Event) -> None:
        self.events.append(event)

    def forget_timers(self) -> None:
        raise AssertionError("nobody merges here")

    def disconnect(self, to: Address) -> None:
        raise AssertionError("nobody hangs up here")

    def told(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]

    def list_now(self, members: list[Member]) -> None:
        """As if the master had published this."""
        version = self.membership.view.version + 1
        self.membership.master = members[0]
        self.membership.joined = True
        self.membership.install(MemberList(version, members[0].uuid, tuple(members)), reason_in(""))


class Nodes:
    def __init__(self, count: int = 2, settings: Settings = DEFAULT, **changed: object) -> None:
        settings = dataclasses.replace(settings, **changed)  # type: ignore[arg-type]
        self.world = World()
        self.members = [member(number) for number in range(1, count + 1)]
        addresses = [each.address for each in self.members]
        self.wires = {(a, b): Wire(self.world) for a in addresses for b in addresses if a != b}
        self.nodes = [Node(self.world, each, settings, self.wires) for each in self.members]
        by_address = dict(zip(addresses, self.nodes, strict=True))
        for node in self.nodes:
            node.nodes = by_address
            node.list_now(self.members)
            node.events.clear()

    def wire(self, sender: int, receiver: int) -> Wire:
        return self.wires[self.members[sender].address, self.members[receiver].address]
