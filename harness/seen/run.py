"""What is known of a run so far: the fold of its history, faults included.

The state that a condition, a check or the screen sees. It is made of records alone, so that a live run, a simulated
run and a replay show the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from shaketable.harness.faults.kinds import kinds_told
from shaketable.harness.records import (
    DatagramCaught,
    Ending,
    FaultAsked,
    FaultEnded,
    FaultTook,
    FaultWithoutEffect,
    NodeEnded,
    NodeNamed,
    NodeSpawned,
    Record,
)
from shaketable.harness.seen import reports, suspicions
from shaketable.harness.seen.claims import CLAIM_FOLDS, ClaimsSeen
from shaketable.harness.seen.group import GROUP_FOLDS, GroupSeen
from shaketable.harness.seen.merging import MERGING_FOLDS, MergingSeen
from shaketable.harness.seen.nodes import RUNNING, FaultSeen, NodeSeen
from shaketable.harness.seen.partitions import PARTITION_FOLDS, PartitionsSeen
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    DisconnectionResolved,
    DisconnectionUnresolved,
    ExplicitSuspicionReceived,
    Failed,
    FilterMatched,
    Held,
    Joined,
    LinkClosed,
    LinkDown,
    LinkUp,
    MasterFollowed,
    MembersSeen,
    Merging,
    OperationCalled,
    PartitionLost,
    Released,
    Started,
    Stopped,
    Suspected,
    SuspicionEnded,
    SuspicionsReported,
    ViewIgnored,
    ViewInstalled,
)
from shaketable.node.messages import Address, Member, Uuid

__all__ = ["RUNNING", "FaultSeen", "NodeSeen", "Observed"]

Fold = Callable[["Observed", NodeSeen, Record[Any], Any], None]


def _within(fold: Callable[[PartitionsSeen, Any], None]) -> Fold:
    return lambda seen, node, record, event: fold(node.partitions, event)


def _merge(fold: Callable[[MergingSeen, Any, Micros], None]) -> Fold:
    return lambda seen, node, record, event: fold(node.merging, event, seen.time)


def _in_a_group(fold: Callable[[GroupSeen, Any], None]) -> Fold:
    return lambda seen, node, record, event: fold(node.group, event)


def _claims(fold: Callable[[ClaimsSeen, Record[Any]], None]) -> Fold:
    return lambda seen, node, record, event: fold(node.claims, record)


class Observed:
    """All that is known of a run so far, from its nodes and from the harness."""

    def __init__(self, *, keys: bool = True) -> None:
        """`keys`: whether to remember which were ever written."""
        self._keys = keys
        self.time: Micros = 0
        """time of the last record"""
        self.nodes: dict[str, NodeSeen] = {}
        """by name, the nodes that have reported"""
        self.names: dict[Address, str] = {}
        """names of nodes, by address"""
        self.faults: dict[int, FaultSeen] = {}
        """by number, all faults that were asked for"""
        self.calm: Micros = 0
        """when the last fault took effect or ended, or a node came or went; calm counts from here"""
        self.missing = 0
        """how many members of the lists of the nodes that were awake then were not, or may have been out of reach"""
        self.node_of: dict[Uuid, str] = {}
        """by identity, the names of all nodes that ever ran"""
        self.written: dict[str, dict[str, bool]] = {}
        """by map, the keys that any client ever asked to put or to remove"""
        self.lost: dict[int, int] = {}
        """partitions that lost all replicas, with the version of the table that last says so"""
        self._former: dict[Uuid, bool] = {}
        """incarnations that have a successor"""
        self._gone_at: dict[str, Micros] = {}
        """by node, when its last process ended"""

    def copy(self) -> Observed:
        """It and this one no longer change each other."""
        other = Observed(keys=self._keys)
        other.time, other.calm, other.missing = self.time, self.calm, self.missing
        other.nodes = {name: node.copy() for name, node in self.nodes.items()}
        other.names = dict(self.names)
        other.faults = {number: replace(fault) for number, fault in self.faults.items()}
        other.node_of = dict(self.node_of)
        other.written = {name: dict(keys) for name, keys in self.written.items()}
        other.lost = dict(self.lost)
        other._former = dict(self._former)
        other._gone_at = dict(self._gone_at)
        return other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Observed) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def is_former(self, incarnation: Uuid) -> bool:
        """Its node runs under another identity by now: what comes are its last words."""
        return incarnation in self._former

    def apply(self, record: Record) -> bool:
        """Whether something that a condition can see has changed."""
        time, node, incarnation, _, event, _ = record
        if time > self.time:
            self.time = time
        if not node:
            return self._apply_harness(record)
        fold = _FOLDS.get(type(event))
        if fold is None or incarnation in self._former:
            return False  # nothing to see, or its last words, which came after its successor was spawned
        fold(self, self.nodes.get(node) or self._node(node), record, event)
        return True

    def _apply_harness(self, record: Record) -> bool:
        fold = _FOLDS_OF_THE_HARNESS.get(type(record.event))
        if fold is None:
            return False
        fold(self, record.event, record.time)
        return True

    # What the folds of the harness's own events do

    def _named(self, event: NodeNamed, time: Micros) -> None:
        self.nodes[event.peer] = NodeSeen(event.peer, event.address)
        self.names[event.address] = event.peer

    def _spawned(self, event: NodeSpawned, time: Micros) -> None:
        self.nodes[event.peer] = self._successor(self._node(event.peer), "spawned")
        self._disturbed(time)

    def _gone(self, event: NodeEnded, time: Micros) -> None:
        self._ended(self._node(event.peer), event.why, event.why.value)
        self._gone_at[event.peer] = time
        self._disturbed(time)

    def _fault_asked(self, asked: FaultAsked, time: Micros) -> None:
        kind, act = kinds_told(asked.kinds)
        self.faults[asked.fault] = FaultSeen(
            asked.fault, asked.verb, asked.nodes, asked.links, asked.lasts, asked.silences, kind, act
        )

    def _fault_took(self, event: FaultTook, time: Micros) -> None:
        self._fault(event.fault).took_at = time
        self._disturbed(time)

    def _datagram_caught(self, event: DatagramCaught, time: Micros) -> None:
        self._fault(event.fault).fired = True

    def _fault_ended(self, event: FaultEnded, time: Micros) -> None:
        self._fault(event.fault).ended_at = time
        self._disturbed(time)

    def _fault_without_effect(self, event: FaultWithoutEffect, time: Micros) -> None:
        fault = self._fault(event.fault)
        fault.missed, fault.without_effect = event.why, event.reason

    def _disturbed(self, time: Micros) -> None:
        awake = self.awake()
        lists = [[member.uuid for member in node.members] for node in awake]
        if any(fault.active and fault.silences for fault in self.faults.values()):
            self.missing = max((len(uuids) - 1 for uuids in lists if uuids), default=0)
        else:
            here = {node.incarnation for node in awake}
            self.missing = len({uuid for uuids in lists for uuid in uuids} - here)
        self.calm = time

    # A history may lack its beginning

    def _node(self, name: str) -> NodeSeen:
        found = self.nodes.get(name)
        if found is None:
            found = self.nodes[name] = NodeSeen(name, "")
        return found

    def _fault(self, number: int) -> FaultSeen:
        found = self.faults.get(number)
        if found is None:
            found = self.faults[number] = FaultSeen(number, "", (), (), lasts=False, silences=False)
        return found

    # What the folds of a node's own events do

    def _started(self, node: NodeSeen, record: Record, event: Started) -> None:
        uuid = event.member.uuid
        next_one = self.nodes[node.name] = self._successor(node, RUNNING, uuid)
        next_one.merging = node.merging.next_identity() if node.merging.renews else MergingSeen(self.time)
        if self._gone_at.get(node.name) == record.time:  # killed as it started, and the harness's word comes first
            next_one.end, next_one.state = node.end, node.state
        self.node_of[uuid] = node.name

    def _successor(self, node: NodeSeen, state: str, incarnation: Uuid = "") -> NodeSeen:
        if node.incarnation:
            self._former[node.incarnation] = True
        return NodeSeen(node.name, node.address, state, incarnation)

    def _merging(self, node: NodeSeen, record: Record, event: Merging) -> None:
        """Of all that its identity believed nothing is left; its process runs on."""
        begun = self.nodes[node.name] = NodeSeen(node.name, node.address, node.state, node.incarnation)
        begun.merging = node.merging
        MERGING_FOLDS[Merging](begun.merging, event, self.time)

    def _joined(self, node: NodeSeen, record: Record, event: Joined) -> None:
        node.joined = True

    def _stopped(self, node: NodeSeen, record: Record, event: Stopped) -> None:
        self._ended(node, *((Ending.REFUSED, event.reason) if event.refused else (Ending.LEFT, "left")))

    def _failed(self, node: NodeSeen, record: Record, event: Failed) -> None:
        self._ended(node, Ending.FAILED, "failed")

    @staticmethod
    def _ended(node: NodeSeen, end: Ending, state: str) -> None:
        """How it ended is what was known first: a node that left is not "died" when its process is gone."""
        if not node.ended:
            node.end, node.state = end, state
            node.held_at = ""

    def _followed(self, node: NodeSeen, record: Record[MasterFollowed], event: MasterFollowed) -> None:
        node.master = event.master
        if node.reports and node.master.uuid != node.incarnation:
            node.reports = {}  # who is no master has nothing to decide
        CLAIM_FOLDS[MasterFollowed](node.claims, record)

    def _installed(self, node: NodeSeen, record: Record[ViewInstalled], event: ViewInstalled) -> None:
        node.version, node.author, node.members = event.version, event.author, event.members
        node.master = event.master
        suspicions.installed(node.suspected, node.given_up, record)
        reports.installed(node.reports, record)

    def _sees_members(self, node: NodeSeen, record: Record, event: MembersSeen) -> None:
        """In an order that all have."""
        node.a_set = True
        node.members = tuple(sorted(event.members, key=lambda member: member.address))

    def _view_ignored(self, node: NodeSeen, record: Record, event: ViewIgnored) -> None:
        version = event.version
        node.ignored[version] = node.ignored.get(version, 0) + 1

    def _explicitly_suspected(self, node: NodeSeen, record: Record, event: ExplicitSuspicionReceived) -> None:
        by = event.peer.uuid
        if not event.obeyed:
            node.not_obeyed[by] = node.not_obeyed.get(by, 0) + 1

    def _suspected(self, node: NodeSeen, record: Record[Suspected], event: Suspected) -> None:
        suspicions.suspected(node.suspected, record)
        CLAIM_FOLDS[Suspected](node.claims, record)

    def _suspicion_ended(self, node: NodeSeen, record: Record[SuspicionEnded], event: SuspicionEnded) -> None:
        suspicions.ended(node.suspected, record)

    def _reported(self, node: NodeSeen, record: Record[SuspicionsReported], event: SuspicionsReported) -> None:
        reports.reported(node.reports, record)

    def _resolved(self, node: NodeSeen, record: Record, event: DisconnectionResolved) -> None:
        node.resolved += 1  # the list that follows takes those off between whom it decided

    def _unresolved(self, node: NodeSeen, record: Record, event: DisconnectionUnresolved) -> None:
        node.unresolved += 1
        node.reports = {}  # it starts afresh

    def _held(self, node: NodeSeen, record: Record, event: Held) -> None:
        node.held_at = event.event
        self._fired(event.fault)

    def _filter_matched(self, node: NodeSeen, record: Record, event: FilterMatched) -> None:
        self._fired(event.fault)

    def _fired(self, fault: int) -> None:
        if fault in self.faults:
            self.faults[fault].fired = True

    def _released(self, node: NodeSeen, record: Record, event: Released) -> None:
        node.held_at = ""

    def _link_up(self, node: NodeSeen, record: Record, event: LinkUp) -> None:
        node.links_up[event.address] = True

    def _link_down(self, node: NodeSeen, record: Record, event: LinkDown | LinkClosed) -> None:
        node.links_up[event.address] = False

    def _operation_called(self, node: NodeSeen, record: Record, event: OperationCalled) -> None:
        PARTITION_FOLDS[OperationCalled](node.partitions, event)
        if self._keys and event.does != "get":
            self.written.setdefault(event.map, {})[event.key] = True

    def _partition_lost(self, node: NodeSeen, record: Record, event: PartitionLost) -> None:
        self.lost[event.partition] = event.version

    # What conditions, checks and screens ask

    def running(self) -> list[NodeSeen]:
        """The nodes whose process has started and not ended."""
        return [n for n in self.nodes.values() if n.running]

    def paused(self, name: str) -> bool:
        """Whether a fault stops it from executing anything."""
        return any(f.kind.sleeps_at_once and f.active and name in f.nodes for f in self.faults.values())

    def awake(self) -> list[NodeSeen]:
        """The nodes that run and are neither paused nor held."""
        asleep = {name for f in self.faults.values() if f.kind.sleeps_at_once and f.active for name in f.nodes}
        return [n for n in self.running() if not n.held_at and n.name not in asleep]

    def names_of(self, members: Iterable[Member]) -> list[str]:
        """Names of the nodes of these members."""
        return [self.names.get(m.address, m.address) for m in members]

    def holders_of(self, row: Iterable[Uuid | None]) -> tuple[str | None, ...]:
        """Names of the nodes in a row of a partition table."""
        return tuple(None if uuid is None else self.node_of.get(uuid, uuid) for uuid in row)

    def list_of(self, node: NodeSeen) -> str:
        """A node's member list for people: "v=5 [n1, n2]", or "[n1, n2]" of a set."""
        version = "" if node.a_set else f"v={node.version} "
        return f"{version}[{', '.join(self.names_of(node.members))}]" if node.joined else "no list"

    def is_current(self, member: Member) -> NodeSeen | None:
        """The running node that has this very identity."""
        node = self.nodes.get(self.names.get(member.address, ""))
        return node if node is not None and node.running and node.incarnation == member.uuid else None


_FOLDS: Final[Mapping[type, Fold]] = {
    **{kind: _claims(fold) for kind, fold in CLAIM_FOLDS.items()},
    Started: Observed._started,
    Joined: Observed._joined,
    Stopped: Observed._stopped,
    Failed: Observed._failed,
    MasterFollowed: Observed._followed,
    ViewInstalled: Observed._installed,
    MembersSeen: Observed._sees_members,
    ViewIgnored: Observed._view_ignored,
    ExplicitSuspicionReceived: Observed._explicitly_suspected,
    Suspected: Observed._suspected,
    SuspicionEnded: Observed._suspicion_ended,
    SuspicionsReported: Observed._reported,
    DisconnectionResolved: Observed._resolved,
    DisconnectionUnresolved: Observed._unresolved,
    Held: Observed._held,
    Released: Observed._released,
    FilterMatched: Observed._filter_matched,
    LinkUp: Observed._link_up,
    LinkDown: Observed._link_down,
    LinkClosed: Observed._link_down,
    **{kind: _within(fold) for kind, fold in PARTITION_FOLDS.items()},
    **{kind: _merge(fold) for kind, fold in MERGING_FOLDS.items()},
    **{kind: _in_a_group(fold) for kind, fold in GROUP_FOLDS.items()},
    Merging: Observed._merging,
    OperationCalled: Observed._operation_called,
    PartitionLost: Observed._partition_lost,
}

_FOLDS_OF_THE_HARNESS: Final[Mapping[type, Callable[[Observed, Any, Micros], None]]] = {
    NodeNamed: Observed._named,
    NodeSpawned: Observed._spawned,
    NodeEnded: Observed._gone,
    FaultAsked: Observed._fault_asked,
    FaultTook: Observed._fault_took,
    DatagramCaught: Observed._datagram_caught,
    FaultEnded: Observed._fault_ended,
    FaultWithoutEffect: Observed._fault_without_effect,
}
