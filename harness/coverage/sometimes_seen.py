"""Finds in a history what no event tells alone (sometimes.py says what): one pass over the records in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from shaketable.harness.faults.kinds import kinds_told
from shaketable.harness.history.history import History
from shaketable.harness.records import Ending, FaultAsked, FaultEnded, FaultTook, NodeEnded, Record
from shaketable.node import events as e
from shaketable.node.cluster.cliques import Question
from shaketable.node.cluster.cliques.listing import largest
from shaketable.node.events import Event
from shaketable.node.messages import Member, Uuid

_CLIQUE_WORK: Final = 2_000
"""enough for the few members of a script; where it is not, nobody says that there are two largest cliques"""


def read(history: History, reached: dict[str, int]) -> None:
    watch, handlers, end = _Watch(reached), _HANDLERS, history.end
    for record in history.records:
        if record.time > end:
            break
        handler = handlers.get(type(record.event))
        if handler is not None:
            handler(watch, record, record.event)


class _Watch:
    def __init__(self, reached: dict[str, int]) -> None:
        self._reached = reached
        self._node: dict[str, Uuid] = {}
        """the newest incarnation at each node"""
        self._leads: dict[Uuid, tuple[Member, ...]] = {}
        """lists of two or more, by their leader"""
        self._unmissed: dict[str, bool] = {}
        """nodes that were killed and not missed yet: whether they led"""
        self._lasting: dict[int, FaultAsked] = {}
        self._suspects: dict[tuple[Uuid, Uuid], bool] = {}
        self._claims: dict[Uuid, tuple[Uuid, ...]] = {}
        self._migrations: dict[Uuid, dict[str, bool]] = {}
        """under way, by master"""
        self._searching: dict[Uuid, bool] = {}
        self._merges_into: dict[Uuid, Uuid] = {}
        """by target, the master that went there last"""
        self._on_the_way: dict[str, bool] = {}
        """nodes between a merge and their arrival"""
        self._asked: dict[int, FaultAsked] = {}

    def _reach(self, name: str, times: int = 1) -> None:
        name = f"sometimes: {name}"
        self._reached[name] = self._reached.get(name, 0) + times

    # The master

    def installed(self, record: Record, event: e.ViewInstalled) -> None:
        uuid = record.incarnation
        self._node[record.node] = uuid
        self._leads.pop(uuid, None)
        if event.master.uuid != uuid or len(event.members) < 2:
            return
        others, mine = self._leads.values(), {member.uuid for member in event.members}
        if any(member.uuid in mine for members in others for member in members):
            self._reach("overlapping lists")
        self._leads[uuid] = event.members
        if len(self._leads) > 1:
            self._reach("two masters at once")
        if len(self._leads) > 2:
            self._reach("three masters at once")

    def followed(self, record: Record, event: e.MasterFollowed) -> None:
        if event.master.uuid != record.incarnation:
            self._leads.pop(record.incarnation, None)
            if self._claims.pop(record.incarnation, None) is not None:
                self._reach("a claim was given up")

    def merging(self, record: Record, event: e.Merging) -> None:
        self._leads.pop(record.incarnation, None)
        self._on_the_way[record.node] = True

    def started(self, record: Record, event: e.Started) -> None:
        self._node[record.node] = record.incarnation

    # Ends, and suspicions

    def ended(self, record: Record, event: NodeEnded) -> None:
        uuid = self._node.pop(event.peer, "")
        led = self._leads.pop(uuid, None) is not None
        migrates, searches = self._migrations.pop(uuid, None), self._searching.pop(uuid, False)
        claims, went_over = self._claims.pop(uuid, None), self._on_the_way.pop(event.peer, False)
        if event.why is not Ending.KILLED:
            return
        if led:
            self._reach("the master was killed")
        if led and migrates:
            self._reach("a master died while migrating")
        if searches:
            self._reach("a master died in its search")
        if claims is not None:
            self._reach("a candidate died")
        if went_over:
            self._reach("killed while it went over")
        if self._unmissed:
            self._reach("two died at once")
        if any(self._unmissed.values()):
            self._reach("master and successor died")
        if any(asked.silences for asked in self._lasting.values()):
            self._reach("killed while links were broken")
        self._unmissed[event.peer] = led

    def missed(self, record: Record, event: Event) -> None:
        self._unmissed.clear()

    def published(self, record: Record, event: e.NotificationPublished) -> None:
        if event.rejoin is not None:
            self._reach("a rejoin within the detection window")
        if event.change in ("failure", "master change"):
            self._unmissed.clear()

    # Faults

    def asked(self, record: Record, event: FaultAsked) -> None:
        self._asked[event.fault] = event

    def took(self, record: Record, event: FaultTook) -> None:
        asked = self._asked.get(event.fault)
        if asked is None:
            return
        kind, _ = kinds_told(asked.kinds)
        if kind.sleeps_at_once and any(self._node.get(node) in self._leads for node in asked.nodes):
            self._reach("the master was paused")
        if asked.lasts:
            self._lasting[event.fault] = asked
            if len(self._lasting) >= 5:
                self._reach("five faults at once")
        if asked.silences and any("->".join(reversed(link.split("->"))) not in asked.links for link in asked.links):
            self._reach("a one-way break")

    def healed(self, record: Record, event: FaultEnded) -> None:
        self._lasting.pop(event.fault, None)

    # Suspicions and claims

    def suspected(self, record: Record, event: e.Suspected) -> None:
        me, peer = record.incarnation, event.peer.uuid
        self._suspects[me, peer] = True
        if (peer, me) in self._suspects:
            self._reach("mutual suspicion")

    def trusted(self, record: Record, event: e.SuspicionEnded) -> None:
        self._suspects.pop((record.incarnation, event.peer.uuid), None)
        self._reach("a false suspicion")

    def claims(self, record: Record, event: e.ClaimStarted) -> None:
        if self._claims:
            self._reach("two candidates at once")
        self._claims[record.incarnation] = tuple(member.uuid for member in event.members)

    def answered(self, record: Record, event: e.ClaimAnswered) -> None:
        known = self._claims.get(record.incarnation, ())
        if known and any(member.uuid not in known for member in event.members or ()):
            self._reach("a candidate learnt of members")

    def finished(self, record: Record, event: e.ClaimFinished) -> None:
        self._claims.pop(record.incarnation, None)
        self._unmissed.clear()
        if len(event.members) == 1:
            self._reach("a candidate ended alone")

    # Partial disconnection

    def resolved(self, record: Record, event: e.DisconnectionResolved) -> None:
        if len(event.leave) >= 3:
            self._reach("three left by one decision")
        if event.unsettled:
            self._reach("decided beside an unsettled pair")
        here = {member.uuid: None for member in event.members}
        left_out = {(one.uuid, other.uuid) for one, other in event.unsettled}
        broken = [
            (who.uuid, whom.uuid)
            for who, suspected in event.reports
            for whom in suspected
            if who.uuid in here and whom.uuid in here and not {(who.uuid, whom.uuid), (whom.uuid, who.uuid)} & left_out
        ]
        if broken and len(largest(Question(tuple(here), broken), 2, _CLIQUE_WORK).answers) > 1:
            self._reach("two largest cliques")

    # Migrations and data

    def requested(self, record: Record, event: e.MigrationRequested) -> None:
        under_way = self._migrations.setdefault(record.incarnation, {})
        under_way[event.info.id] = True
        if len(under_way) > 1:
            self._reach("several migrations at once")

    def migrated(self, record: Record, event: e.MigrationFinished) -> None:
        if event.role == "master":
            self._migrations.get(record.incarnation, {}).pop(event.migration, None)

    def searches(self, record: Record, event: e.TableSearchBegan) -> None:
        self._searching[record.incarnation] = True

    def searched(self, record: Record, event: e.TableSearchEnded) -> None:
        self._searching.pop(record.incarnation, None)
        if event.rolled_back:
            self._reach("rolled back after a master crash", len(event.rolled_back))
        if event.committed:
            self._reach("committed after a master crash", len(event.committed))
        if event.peer.uuid != record.incarnation:
            self._reach("another had the newest table")

    def returned(self, record: Record, event: e.OperationReturned) -> None:
        if event.attempts > 1 and event.outcome == "ok":
            self._reach("an operation was repeated")

    # Merging

    def goes_over(self, record: Record, event: e.MergeBegan) -> None:
        before = self._merges_into.get(event.peer.uuid)
        if before is not None and before != record.incarnation:
            self._reach("three parts became one")
        self._merges_into[event.peer.uuid] = record.incarnation

    def arrived(self, record: Record, event: Event) -> None:
        self._on_the_way.pop(record.node, None)

    def merged(self, record: Record, event: e.EntriesMerged) -> None:
        for entry in event.entries:
            self._reach(f"a merged entry was {entry[2]}")

    # Groups

    def group_started(self, record: Record, event: e.GroupStartEnded) -> None:
        if event.missing:
            self._reach("a start of a group without some")

    def counted(self, record: Record, event: e.HeartbeatsCounted) -> None:
        if event.spared:
            self._reach("heartbeats were spared")


_HANDLERS: Final[dict[type[Event], Callable[[_Watch, Record, Any], None]]] = {
    e.ViewInstalled: _Watch.installed,
    e.MasterFollowed: _Watch.followed,
    e.Merging: _Watch.merging,
    e.Started: _Watch.started,
    NodeEnded: _Watch.ended,
    e.MemberRemoved: _Watch.missed,
    e.NotificationPublished: _Watch.published,
    FaultAsked: _Watch.asked,
    FaultTook: _Watch.took,
    FaultEnded: _Watch.healed,
    e.Suspected: _Watch.suspected,
    e.SuspicionEnded: _Watch.trusted,
    e.ClaimStarted: _Watch.claims,
    e.ClaimAnswered: _Watch.answered,
    e.ClaimFinished: _Watch.finished,
    e.DisconnectionResolved: _Watch.resolved,
    e.MigrationRequested: _Watch.requested,
    e.MigrationFinished: _Watch.migrated,
    e.TableSearchBegan: _Watch.searches,
    e.TableSearchEnded: _Watch.searched,
    e.OperationReturned: _Watch.returned,
    e.MergeBegan: _Watch.goes_over,
    e.Merged: _Watch.arrived,
    e.MergeFailed: _Watch.arrived,
    e.EntriesMerged: _Watch.merged,
    e.GroupStartEnded: _Watch.group_started,
    e.HeartbeatsCounted: _Watch.counted,
}
