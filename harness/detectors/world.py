"""The simulated world of `shaketable compare-detectors`: it keeps what is to be measured, and no whole history.

An `Env` around the node's own counts what a member sends. All other runs do without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from shaketable.harness.detectors.quality.beliefs import KINDS
from shaketable.harness.faults.actions import Action, NoEffect, Receipt
from shaketable.harness.records import Record
from shaketable.harness.worlds.sim.env import SimEnv
from shaketable.harness.worlds.sim.network import FRAME_OVERHEAD
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    MasterFollowed,
    Started,
    Suspected,
    SuspectReported,
    ViewInstalled,
)
from shaketable.node.gms.datagrams import PINGS
from shaketable.node.legacy import make_member
from shaketable.node.messages import Address, HealthMessage, Heartbeat, Message, SwimPing, Uuid, encode

HEARTBEATS: Final = (Heartbeat, HealthMessage, SwimPing)
CAN_BE_LOST: Final = (*HEARTBEATS, *PINGS)
"""what a system may send by datagrams: heartbeats, or pings with all that answers them"""


class Traffic:
    """What all members have sent since `begin`. Bytes are those of the message and of the frame around it."""

    def __init__(self) -> None:
        self.messages: Counter[type[Message]] = Counter()
        self.bytes = 0
        self.sent: Counter[str] = Counter()
        """by the node"""
        self.received: Counter[Address] = Counter()
        """by the address that they went to"""
        self.weighs = False
        """bytes are counted too, and by which member each message is sent and received"""
        self.last_heartbeat: dict[str, Micros] = {}
        """when each node's last one left"""
        self.loses: Callable[[str, Address], bool] | None = None
        """whether the heartbeat that leaves now, from a node to an address, is lost"""
        self._weighed: Message | None = None
        self._weight = 0

    def begin(self, *, weighs: bool = False) -> None:
        for counter in (self.messages, self.sent, self.received):
            counter.clear()
        self.bytes = 0
        self.weighs = weighs

    def weigh(self, name: str, to: Address, message: Message) -> None:
        """One message to many receivers is serialised once."""
        self.sent[name] += 1
        self.received[to] += 1
        if message is not self._weighed:
            self._weighed, self._weight = message, len(encode(message)) + FRAME_OVERHEAD
        self.bytes += self._weight

    @property
    def heartbeats(self) -> int:
        return sum(self.messages[kind] for kind in HEARTBEATS)


class CountedEnv:
    """A node's `Env`, whose messages are counted."""

    def __init__(self, env: SimEnv, traffic: Traffic) -> None:
        self.rng = env.rng
        self.now = env.now
        self.call_later = env.call_later
        self.report = env.report
        self.forget_timers = env.forget_timers
        self.disconnect = env.disconnect
        self._name = env.name
        self._pass_on = env.send
        self._traffic = traffic

    def send(self, to: Address, message: Message) -> None:
        traffic, kind = self._traffic, type(message)
        traffic.messages[kind] += 1
        if kind in HEARTBEATS:
            traffic.last_heartbeat[self._name] = self.now()
        if traffic.weighs:
            traffic.weigh(self._name, to, message)
        if traffic.loses is None or kind not in CAN_BE_LOST or not traffic.loses(self._name, to):
            self._pass_on(to, message)


class Watched:
    """What came of some members, by the member that saw it and the one that it is about: when first."""

    def __init__(self, uuids: Mapping[Uuid, str]) -> None:
        self.uuids = uuids
        self.noticed: dict[Uuid, Micros] = {}
        """by the member that watches it, or that decides about it"""
        self.suspected: dict[tuple[str, Uuid], Micros] = {}
        self.off_the_list: dict[tuple[str, Uuid], Micros] = {}


class MeasuredWorld(SimWorld):
    def __init__(self, seed: int, settings: Settings) -> None:
        super().__init__(seed, settings, make_member)

        def counted(env: SimEnv, address: Address, addresses: Sequence[Address], settings: Settings) -> Any:
            return make_member(CountedEnv(env, self.traffic), address, addresses, settings)

        self._make_member = counted
        self.traffic = Traffic()
        self.lists: dict[str, ViewInstalled] = {}
        """by node, the one that it holds"""
        self.came_to_lead = 0
        """how often somebody became master"""
        self.watched = Watched({})
        self.suspects: dict[Uuid, bool] = {}
        """everybody who was suspected by anybody since `watch`"""
        self.name_of: dict[Uuid, str] = {}
        self.started: dict[str, Micros] = {}
        """by node, when its present process began"""
        self.kept: list[Record] | None = None
        """the records that say whom the members trust, if they are to be kept"""
        self._folds: Mapping[type, Callable[[Record, Any], None]] = {
            Started: self._started,
            ViewInstalled: self._installed,
            MasterFollowed: self._followed,
            Suspected: self._suspected,
            SuspectReported: self._reported,
        }

    # Driving it

    def pass_time(self, delay: Micros) -> None:
        over: list[bool] = []
        self.call_later(delay, lambda: over.append(True))
        self.run(lambda: bool(over))
        if self.failures:
            name, error = self.failures[0]
            raise RuntimeError(f"{name} failed") from error

    def until(self, met: Callable[[], bool], *, within: Micros, every: Micros) -> bool:
        """Looks whether it is so this often."""
        end = self.time + within
        while not met():
            if self.time >= end:
                return False
            self.pass_time(every)
        return True

    def do(self, action: Action) -> None:
        """Takes effect at once."""
        self.act(action, _must_take_effect)

    def watch(self, names: Sequence[str]) -> Watched:
        self.watched = Watched({self.nodes[name].incarnation: name for name in names})
        self.suspects = {}
        return self.watched

    # What is kept

    def add(self, record: Record) -> None:
        if self.kept is not None and isinstance(record.event, KINDS):
            self.kept.append(record)
        fold = self._folds.get(type(record.event))
        if fold is not None:
            fold(record, record.event)

    def _started(self, record: Record, event: Started) -> None:
        self.name_of[event.member.uuid] = record.node
        self.started[record.node] = record.time
        self.lists.pop(record.node, None)

    def _installed(self, record: Record, event: ViewInstalled) -> None:
        self.lists[record.node] = event
        if self.watched.uuids:
            members = {member.uuid for member in event.members}
            for uuid in self.watched.uuids:
                if uuid not in members:
                    self.watched.off_the_list.setdefault((record.node, uuid), record.time)

    def _followed(self, record: Record, event: MasterFollowed) -> None:
        if record.incarnation in self.watched.uuids:
            return  # who was removed leads itself alone
        if event.master is not None and event.master.uuid == record.incarnation:
            self.came_to_lead += 1

    def _suspected(self, record: Record, event: Suspected) -> None:
        uuid = event.peer.uuid
        if record.node == self.watched.uuids.get(record.incarnation):
            return  # what a victim thinks of the others is no news
        self.suspects[uuid] = True
        if uuid in self.watched.uuids:
            self.watched.noticed.setdefault(uuid, record.time)
            self.watched.suspected.setdefault((record.node, uuid), record.time)

    def _reported(self, record: Record, event: SuspectReported) -> None:
        if event.suspect.uuid in self.watched.uuids:
            self.watched.noticed.setdefault(event.suspect.uuid, record.time)


def _must_take_effect(answer: Receipt | NoEffect) -> None:
    if isinstance(answer, NoEffect):
        raise RuntimeError(f"a step of the workload had no effect: {answer}")
