"""The things that a member has told before a decision, beside those that the fold of a history keeps (seen/)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.reasons.known_merges import Merges
from shaketable.harness.checks.reasons.known_tables import Tables
from shaketable.harness.checks.shared.circumstances import FOR_EVER, span_of
from shaketable.harness.checks.shared.older import older_than
from shaketable.harness.checks.shared.true_links import TrueLinks
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import (
    AddressesConfigured,
    FabricTrouble,
    FaultTook,
    HarnessLate,
    NodeEnded,
    NodeNamed,
    NodeSpawned,
    Record,
)
from shaketable.harness.seen import reports
from shaketable.harness.seen.reports import Reports
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.cluster.service.addresses import expanded
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    DisconnectionResolved,
    DisconnectionUnresolved,
    Event,
    ExplicitSuspicionSent,
    FilterMatched,
    JoinAddressesChanged,
    Joined,
    JoinRefusedBy,
    LinkDown,
    LinkUp,
    MasterFollowed,
    MergeFailed,
    Merging,
    RoundLate,
    Started,
    Suspected,
    SuspicionsReported,
    ViewInstalled,
)
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.why import Why

Wrongs = Iterator[str]
"""what a member does or says, and why that is wrong"""


class Known:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self.names = history.names
        self.allowance = bounds.allowance
        self.clocks_set = any(fault.kind.sets_clock for fault in history.faults.values())
        self._sleeps = [span for span in map(span_of, history.faults.values()) if span.kind.spoils_own_times]
        self.slept = bool(self._sleeps)
        self._late_messages = any(fault.kind.shifts for fault in history.faults.values())
        self._links = TrueLinks(history)
        self._naps: list[tuple[str, Micros, Micros]] = []
        """nodes that surely executed nothing, and when"""
        for fault in history.faults.values():
            if fault.kind.sleeps_at_once and fault.took is not None:
                over = fault.end_asked or fault.ended
                end = FOR_EVER if over is None else over.time
                self._naps += [(node, fault.took.time, end) for node in fault.nodes]
        self.caught = {(each.incarnation, each.event.message): True for each in history.of(FilterMatched)}
        """by member and kind: such messages of it may come late, or not at all"""
        self.seen = Observed()
        self.before: dict[Uuid, Event] = {}
        """by member, what it told last"""
        self.lost: dict[tuple[Uuid, Address], bool] = {}
        """by member and address: it suspects whoever is there, for it has lost its link"""
        self.refused_by: dict[Uuid, dict[Address, bool]] = {}
        """by joiner: who told it that it looks for another cluster"""
        self.looks_since: dict[Uuid, Micros] = {}
        """by joiner: when it began to look for a cluster, any one"""
        self.began: dict[Uuid, Micros] = {}
        """when each began"""
        self.told: dict[Uuid, Reports] = {}
        """by master: what it has been told of suspicions since it decided last"""
        self.told_again: dict[Uuid, list[tuple[Micros, Member]]] = {}
        """by master: when, and by whom, it was told since then what it had been told before"""
        self.joined_at: dict[Uuid, Micros] = {}
        self.list_since: dict[Uuid, int] = {}
        """by member: the number of the event by which it told of its list last"""
        self.came: dict[Uuid, dict[Uuid, Micros]] = {}
        """by member: who came into its list, and when last"""
        self.followed: dict[Uuid, dict[Uuid, bool]] = {}
        """by member: all masters that it has followed"""
        self.told_dead: dict[Uuid, Member] = {}
        """by member: to whom it sent explicit suspicion last"""
        self.round_late_at: dict[Uuid, Micros] = {}
        """by member: when its last round was late at all"""
        self.late_at: dict[Uuid, Micros] = {}
        """by member: when its last round was so late that the time for master confirmations began afresh"""
        self.has_gone_over: dict[str, bool] = {}
        """nodes whose identity of now comes from another part of its cluster"""
        self.ended: dict[Address, Micros] = {}
        """by address: when the last process there ended, if none runs there"""
        self.link_broke: dict[Uuid, Micros] = {}
        """by member: when it last noticed that a link of its own was down"""
        self._runs: dict[Address, bool] = {}
        """where a process runs"""
        self._gone = bounds.crash + bounds.take_over
        """within this all have noticed that one has ended"""
        self.merges = Merges()
        self.tables = Tables()
        self._left_up: dict[str, Mapping[Address, bool]] = {}
        """by node: the links of the identity that went over last"""
        self._history = history
        self._usual = bounds.settings
        self._settings: dict[str, Settings] = {}
        self._named: dict[Address, bool] = {}
        self._addresses: dict[str, Address] = {}
        self._configured: dict[str, Mapping[Address, bool]] = {}
        self._configured_since: dict[str, Mapping[Address, bool]] = {}
        """by node: what its master has told it to have instead, until its process ends"""

    def settings_of(self, node: str) -> Settings:
        found = self._settings.get(node)
        if found is None:
            found = self._settings[node] = self._history.settings_of(node, self._usual)
        return found

    def slept_for(self, node: str, begin: Micros, end: Micros) -> Micros:
        """Of this time it may not have run for so long."""
        spans = [span for span in self._sleeps if node in span.nodes or span.kind.everywhere]
        return sum(max(0, min(span.end, end) - max(span.begin, begin)) for span in spans)

    def unheard_since(self, source: str, target: str, time: Micros) -> Micros | None:
        """Since when the one can have sent nothing that has reached the other by then; None: perhaps it has just now.
        Messages under way take no longer than an interval."""
        if self._late_messages:
            return None
        silences = self._links.between(source, target)
        times = [(s.took, s.end_asked) for s in silences if s.link == (source, target)]
        times += [(begin, end) for node, begin, end in self._naps if node == source]
        since = min((begin for begin, end in times if begin <= time <= end), default=None)
        return None if since is None else since + self.settings_of(source).heartbeat_interval + self.allowance

    def alive(self, node: NodeSeen, uuid: Uuid) -> list[Address]:
        """The configured addresses of its own cluster to which its links are up."""
        configured = self._configured_since.get(node.name, self._configured.get(node.name, {}))
        refused = self.refused_by.get(uuid, {})
        return [a for a, up in node.links_up.items() if up and a in configured and a not in refused]

    def link_is_up(self, node: NodeSeen, address: Address) -> bool:
        """Its own, or still that of the identity before."""
        up = node.links_up.get(address)
        return up if up is not None else self._left_up.get(node.name, {}).get(address, False)

    def alone_since(self, node: NodeSeen, uuid: Uuid) -> Micros | None:
        """When the last other process had ended and it had noticed that; None: one runs, or it has not noticed yet."""
        if any(address != node.address for address in self._runs) or any(node.links_up.values()):
            return None
        return max((*self.ended.values(), self.link_broke.get(uuid, 0), self.looks_since.get(uuid, 0)))

    def held_by(self, node: NodeSeen) -> int:
        """How many partitions have it in their row, by the table that it has; 0 also if no master that told its rows
        has that table now."""
        mine = node.partitions
        for other in self.seen.nodes.values():
            theirs = other.partitions
            if theirs.rows and (theirs.version, theirs.stamp) == (mine.version, mine.stamp):
                return sum(node.incarnation in row for row in theirs.rows.values())
        return 0

    def not_forgotten(self, record: Record) -> Wrongs:
        """It looks at all addresses that it remembers. A member that is told of one again remembers it for longer, and
        need not tell that: judged are those where no node runs, and all that might name it have noticed that."""
        retention = self.settings_of(record.node).address_retention
        for address, since in self.merges.empty_since.get(record.node, {}).items():
            ended = self.ended.get(address)
            took = 0 if ended is None or self.clocks_set else record.time - max(since, ended)
            if took > retention + self._gone + self.allowance:
                said = f"has not forgotten {self.names.place(address)}, where nobody has been for {rounded(took)}"
                yield f"{said}; it has {rounded(retention)}"

    def learn_of_others(self, record: Record) -> None:
        """Of the harness, and of a node that starts."""
        event = record.event
        match event:
            case Started():
                self.looks_since[record.incarnation] = self.began[record.incarnation] = record.time
            case NodeNamed():
                self._named[event.address] = True
                self._addresses[event.peer] = event.address
            case NodeSpawned():
                self.merges.spawned(event.peer)
                self.has_gone_over.pop(event.peer, None)
                self._configured.setdefault(event.peer, dict(self._named))
                self._configured_since.pop(event.peer, None)
                address = self._addresses.get(event.peer, "")
                self.ended.pop(address, None)
                self._runs[address] = True
            case AddressesConfigured():
                self._configured[event.peer] = dict.fromkeys(event.knows, True)
            case FaultTook() | NodeEnded() | FabricTrouble() | HarnessLate():
                self.tables.undisturbed = False
        if isinstance(event, NodeEnded) and event.peer in self._addresses:
            self.ended[self._addresses[event.peer]] = record.time
            self._runs.pop(self._addresses[event.peer], None)

    def learn(self, record: Record, node: NodeSeen) -> None:
        """After the event was judged."""
        self.before[record.incarnation] = record.event
        self.merges.learn(record, node)
        self.tables.learn(record)
        learn = LEARNS.get(type(record.event))
        if learn is not None:
            learn(self, record, record.event, node)

    def _suspected(self, record: Record, event: Suspected, node: NodeSeen) -> None:
        if event.why is Why.CONNECTION_LOST:
            self.lost[record.incarnation, event.peer.address] = True

    def _followed(self, record: Record, event: MasterFollowed, node: NodeSeen) -> None:
        self.followed.setdefault(record.incarnation, {})[event.master.uuid] = True
        if event.master.uuid != record.incarnation:
            self._collects_afresh(record, event, node)

    def _link_up(self, record: Record, event: LinkUp, node: NodeSeen) -> None:
        self.lost.pop((record.incarnation, event.address), None)

    def _link_down(self, record: Record, event: LinkDown, node: NodeSeen) -> None:
        self.link_broke[record.incarnation] = record.time

    def _installed(self, record: Record[Any], event: ViewInstalled, node: NodeSeen) -> None:
        self.list_since[record.incarnation] = record.sequence
        before = {member.uuid for member in node.members}
        came = self.came.setdefault(record.incarnation, {})
        came.update((member.uuid, record.time) for member in event.members if member.uuid not in before)
        reports.installed(self.told.get(record.incarnation, {}), record)

    def _is_told(self, record: Record[Any], event: SuspicionsReported, node: NodeSeen) -> None:
        told = self.told.setdefault(record.incarnation, {})
        before = told.get(event.peer.uuid)
        if set(event.suspected) == set(before.suspected if before is not None else ()):
            self.told_again.setdefault(record.incarnation, []).append((record.time, event.peer))
        reports.reported(told, record)

    def _collects_afresh(self, record: Record, event: Event, node: NodeSeen) -> None:
        self.told.pop(record.incarnation, None)
        self.told_again.pop(record.incarnation, None)

    def _tells_dead(self, record: Record, event: ExplicitSuspicionSent, node: NodeSeen) -> None:
        self.told_dead[record.incarnation] = event.peer

    def _goes_over(self, record: Record, event: Merging, node: NodeSeen) -> None:
        self._left_up[node.name] = dict(node.links_up)
        self.has_gone_over[node.name] = True

    def _late(self, record: Record, event: RoundLate, node: NodeSeen) -> None:
        self.round_late_at[record.incarnation] = record.time
        if event.lateness > self.settings_of(record.node).master_confirmation_timeout // 2:
            self.late_at[record.incarnation] = record.time

    def _looks_anew(self, record: Record, event: MergeFailed, node: NodeSeen) -> None:
        self.looks_since[record.incarnation] = record.time

    def _refused(self, record: Record, event: JoinRefusedBy, node: NodeSeen) -> None:
        self.refused_by.setdefault(record.incarnation, {})[event.peer.address] = True

    def _configured_otherwise(self, record: Record, event: JoinAddressesChanged, node: NodeSeen) -> None:
        ports = self.settings_of(record.node).port_try_count
        addresses = (each for address in event.addresses for each in expanded(address, ports))
        self._configured_since[node.name] = dict.fromkeys(addresses, True)

    def _joined(self, record: Record, event: Joined, node: NodeSeen) -> None:
        self.joined_at[record.incarnation] = record.time


LEARNS: Final[Mapping[type[Event], Callable[[Known, Record, Any, NodeSeen], None]]] = {
    Suspected: Known._suspected,
    MasterFollowed: Known._followed,
    LinkUp: Known._link_up,
    LinkDown: Known._link_down,
    ViewInstalled: Known._installed,
    ExplicitSuspicionSent: Known._tells_dead,
    Merging: Known._goes_over,
    RoundLate: Known._late,
    JoinAddressesChanged: Known._configured_otherwise,
    MergeFailed: Known._looks_anew,
    JoinRefusedBy: Known._refused,
    Joined: Known._joined,
    SuspicionsReported: Known._is_told,
    **dict.fromkeys((DisconnectionResolved, DisconnectionUnresolved), Known._collects_afresh),
}
Judge = Callable[[Known, Record, Any, NodeSeen], Wrongs]
"""of one kind of event: by what was known just before it"""


def stands_before_master(node: NodeSeen, member: Member) -> bool:
    return node.master is not None and node.master in node.members and member in older_than(node.members, node.master)
