"""The things that a member has told before a decision, beside those that the fold of a history keeps (seen/)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.reasons.known_merges import Merges
from shaketable.harness.checks.shared.circumstances import span_of
from shaketable.harness.checks.shared.older import older_than
from shaketable.harness.history.history import History
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
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    BackupMissed,
    EntriesMerged,
    Event,
    ExplicitSuspicionSent,
    Joined,
    JoinRefusedBy,
    LinkUp,
    MemberRemoved,
    MergeFailed,
    Merging,
    MigrationFinished,
    MigrationRequested,
    PartitionsPlanned,
    PlanCancelled,
    PlanDone,
    RoundLate,
    Started,
    StoodStill,
    Suspected,
    TableChanged,
    TableFetched,
    TableInstalled,
    TableSearchBegan,
    TableSearchEnded,
    ViewInstalled,
)
from shaketable.node.messages import Address, Member, MigrationInfo, Uuid
from shaketable.node.why import Why

Wrongs = Iterator[str]
"""what a member does or says, and why that is wrong"""
_BEGINS_ANOTHER_PLAN: Final = frozenset(
    (ViewInstalled, TableSearchEnded, TableChanged, MigrationFinished, PartitionsPlanned, PlanCancelled)
)


class Known:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self.names = history.names
        self.allowance = bounds.allowance
        self.clocks_set = any(fault.kind.sets_clock for fault in history.faults.values())
        self._sleeps = [span for span in map(span_of, history.faults.values()) if span.kind.spoils_own_times]
        self.slept = bool(self._sleeps)
        self.seen = Observed()
        self.before: dict[Uuid, Event] = {}
        """by member, what it told last"""
        self.lost: dict[tuple[Uuid, Address], bool] = {}
        """by member and address: it suspects whoever is there, for it has lost its link"""
        self.refused_by: dict[Uuid, dict[Address, bool]] = {}
        """by joiner: who told it that it looks for another cluster"""
        self.looks_since: dict[Uuid, Micros] = {}
        """by joiner: when it began to look for a cluster, any one"""
        self.joined_at: dict[Uuid, Micros] = {}
        self.came: dict[Uuid, dict[Uuid, Micros]] = {}
        """by member: who came into its list, and when last"""
        self.planned: dict[Uuid, int] = {}
        """by master: how many migrations of its plan it has not begun"""
        self.told_dead: dict[Uuid, Member] = {}
        """by member: to whom it sent explicit suspicion last"""
        self.merges = Merges()
        self._left_up: dict[str, Mapping[Address, bool]] = {}
        """by node: the links of the identity that went over last"""
        self.plan_done: dict[Uuid, bool] = {}
        """by master: nothing has come since by which it could have made another one"""
        self.fetched: dict[Uuid, list[TableFetched]] = {}
        """by new master: the answers of its last search"""
        self.requested: dict[str, MigrationInfo] = {}
        """migrations, by id"""
        self.finds_owners_since: dict[Uuid, Micros] = {}
        """by member that brings what merges: when it had joined, or last had something decided"""
        self.takes_part: dict[tuple[Uuid, str, str], bool] = {}
        """by process, migration and role"""
        self.differs: dict[tuple[Uuid, int, Uuid], bool] = {}
        """by backup, partition and its owner: it has said so since it was mended"""
        self.promoted: dict[tuple[Uuid, int], bool] = {}
        """by member and partition"""
        self.last_chunk: dict[tuple[Uuid, str], int] = {}
        """by sender and stream"""
        self.bytes_sent: dict[tuple[Uuid, str], int] = {}
        """by sender and stream that has been sent to its end"""
        self.arrived: dict[tuple[Uuid, str], tuple[int, int]] = {}
        """by receiver and stream: the last chunk, and the bytes of all"""
        self.missed: dict[tuple[Uuid, int], bool] = {}
        """by backup and partition: an owner did without it at a write"""
        self.table_since: dict[Uuid, Micros] = {}
        """by member: its table"""
        self.undisturbed = True
        """nothing has been broken, and nobody has left, ended or stood still"""
        self._history = history
        self._usual = bounds.settings
        self._settings: dict[str, Settings] = {}
        self._named: dict[Address, bool] = {}
        self._configured: dict[str, Mapping[Address, bool]] = {}

    def settings_of(self, node: str) -> Settings:
        found = self._settings.get(node)
        if found is None:
            found = self._settings[node] = self._history.settings_of(node, self._usual)
        return found

    def slept_for(self, node: str, begin: Micros, end: Micros) -> Micros:
        """Of this time it may not have run for so long."""
        spans = [span for span in self._sleeps if node in span.nodes or span.kind.everywhere]
        return sum(max(0, min(span.end, end) - max(span.begin, begin)) for span in spans)

    def alive(self, node: NodeSeen, uuid: Uuid) -> list[Address]:
        """The configured addresses of its own cluster to which its links are up."""
        configured, refused = self._configured.get(node.name, {}), self.refused_by.get(uuid, {})
        return [a for a, up in node.links_up.items() if up and a in configured and a not in refused]

    def link_is_up(self, node: NodeSeen, address: Address) -> bool:
        """Its own, or still that of the identity before."""
        up = node.links_up.get(address)
        return up if up is not None else self._left_up.get(node.name, {}).get(address, False)

    def learn_of_others(self, record: Record) -> None:
        """Of the harness, and of a node that starts."""
        event = record.event
        match event:
            case Started():
                self.looks_since[record.incarnation] = record.time
            case NodeNamed():
                self._named[event.address] = True
            case NodeSpawned():
                self.merges.spawned(event.peer)
                self._configured.setdefault(event.peer, dict(self._named))
            case AddressesConfigured():
                self._configured[event.peer] = dict.fromkeys(event.knows, True)
            case FaultTook() | NodeEnded() | FabricTrouble() | HarnessLate():
                self.undisturbed = False

    def learn(self, record: Record, node: NodeSeen) -> None:
        """After the event was judged."""
        event, me = record.event, record.incarnation
        self.before[me] = event
        self.merges.learn(record, node)
        if type(event) in _BEGINS_ANOTHER_PLAN:
            self.plan_done.pop(me, None)
        learn = _LEARNS.get(type(event))
        if learn is not None:
            learn(self, record, event)
            return
        match event:
            case Suspected():
                if event.why is Why.CONNECTION_LOST:
                    self.lost[me, event.peer.address] = True
            case LinkUp():
                self.lost.pop((me, event.address), None)
            case ViewInstalled():
                before = {member.uuid for member in node.members}
                self.came.setdefault(me, {}).update(
                    (member.uuid, record.time) for member in event.members if member.uuid not in before
                )
            case ExplicitSuspicionSent():
                self.told_dead[me] = event.peer
            case Merging():
                self._left_up[node.name] = dict(node.links_up)
            case MergeFailed():
                self.looks_since[me] = record.time
            case JoinRefusedBy():
                self.refused_by.setdefault(me, {})[event.peer.address] = True
            case Joined():
                self.joined_at[me] = self.finds_owners_since[me] = record.time


def _missed(known: Known, record: Record, event: BackupMissed) -> None:
    known.missed[event.peer.uuid, event.partition] = True


def _disturbed(known: Known, record: Record, event: Event) -> None:
    known.undisturbed = False


def _has_table(known: Known, record: Record, event: TableInstalled) -> None:
    known.table_since[record.incarnation] = record.time


def _searches(known: Known, record: Record, event: TableSearchBegan) -> None:
    known.fetched[record.incarnation] = []


def _fetched(known: Known, record: Record, event: TableFetched) -> None:
    known.fetched.setdefault(record.incarnation, []).append(event)


def _merged(known: Known, record: Record, event: EntriesMerged) -> None:
    known.finds_owners_since[record.incarnation] = record.time


def _planned(known: Known, record: Record, event: PartitionsPlanned) -> None:
    known.planned[record.incarnation] = event.migrations


def _requested(known: Known, record: Record, event: MigrationRequested) -> None:
    known.requested[event.info.id] = event.info
    _begun(known, record.incarnation)


def _changed(known: Known, record: Record, event: TableChanged) -> None:
    if event.why is Why.INDEX_CLEARED:
        _begun(known, record.incarnation)


def _begun(known: Known, master: Uuid) -> None:
    known.planned[master] = known.planned.get(master, 0) - 1


def _plan_over(known: Known, record: Record, event: PlanCancelled | PlanDone) -> None:
    known.planned[record.incarnation] = 0
    if isinstance(event, PlanDone):
        known.plan_done[record.incarnation] = True


_LEARNS: Final[Mapping[type[Event], Callable[[Known, Record, Any], None]]] = {
    BackupMissed: _missed,
    **dict.fromkeys((RoundLate, StoodStill, MemberRemoved), _disturbed),
    TableInstalled: _has_table,
    TableSearchBegan: _searches,
    TableFetched: _fetched,
    EntriesMerged: _merged,
    PartitionsPlanned: _planned,
    MigrationRequested: _requested,
    TableChanged: _changed,
    **dict.fromkeys((PlanCancelled, PlanDone), _plan_over),
}

Judge = Callable[[Known, Record, Any, NodeSeen], Wrongs]
"""of one kind of event: by what was known just before it"""


def follows_itself(node: NodeSeen) -> bool:
    return node.master is not None and node.master.uuid == node.incarnation


def leads(node: NodeSeen) -> bool:
    """It is master, claims nothing, and is not about to go over to another part."""
    return node.joined and follows_itself(node) and not node.claiming and node.merging.into is None


def stands_before_master(node: NodeSeen, member: Member) -> bool:
    return node.master is not None and node.master in node.members and member in older_than(node.members, node.master)
