"""Of the family "detection": a silence is suspected within its timeout, give or take an interval, and no other is.

It judges three things. The silence that a suspicion tells lies within the bounds. A silence that a fault made, and that
lasted, was suspected. If heartbeats came and went undisturbed when a silence is said to have begun, then it did not
begin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from typing import Any, Final, NamedTuple

from shaketable.harness.checks.shared.circumstances import Circumstances, ListChange
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import FaultEnded, FaultTook, NodeEnded, NodeSpawned, Record
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.config import DEADLINE
from shaketable.node.core.env import Micros
from shaketable.node.events import LinkClosed, LinkDown, LinkUp, Merging, Suspected, SuspicionEnded, ViewInstalled
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.why import Why


class Wait(NamedTuple):
    """`node` hears nothing of `peer` any more, and has to notice."""

    deadline: Micros
    number: int
    node: str
    incarnation: Uuid
    peer: Member
    since: Record
    """what made the silence"""
    fault: int | None
    """None: the peer's process has ended"""


class Silences:
    def __init__(self, circumstances: Circumstances) -> None:
        self.told = 0
        """suspicions that tell how long their silence was"""
        self.lasting = 0
        """silences that somebody made, that lasted, and whose noticing was judged"""
        self.unbounded: dict[str, bool] = {}
        """nodes with a detector that has no bounds"""
        self._all = circumstances
        self._silent_links: dict[tuple[str, str], dict[int | None, Record]] = {}
        self._silent_nodes: dict[str, dict[int | None, Record]] = {}
        self._waits: dict[tuple[Uuid, Uuid], list[Wait]] = {}
        self._due: list[Wait] = []
        self._number = 0
        self._talks: dict[tuple[Uuid, Uuid], Micros] = {}
        """since when a process (the first) has sent heartbeats to a member without a break"""
        self._links: dict[tuple[Uuid, Address], list[tuple[Micros, bool]]] = {}
        """when a process saw its link to an address change, and whether it was up then"""

    # What somebody made silent

    def see_harness(self, record: Record, seen: Observed) -> None:
        handler = _OF_THE_HARNESS.get(type(record.event))
        if handler is not None:
            handler(self, record, record.event, seen)

    def _fault_ended(self, record: Record, event: FaultEnded, seen: Observed) -> None:
        for link in self._silent_links.values():
            link.pop(event.fault, None)
        for silent in self._silent_nodes.values():
            silent.pop(event.fault, None)

    def _gone(self, record: Record, event: NodeEnded, seen: Observed) -> None:
        self._silent_nodes.setdefault(event.peer, {})[None] = record
        self._node_fell_silent(event.peer, record, None, seen)

    def _spawned(self, record: Record, event: NodeSpawned, seen: Observed) -> None:
        self._silent_nodes.setdefault(event.peer, {}).pop(None, None)

    def _fault_took(self, record: Record, event: FaultTook, seen: Observed) -> None:
        number = event.fault
        facts = self._all.history.faults.get(number)
        if facts is None:
            return
        asked = facts.asked.event
        if facts.kind.sleeps_at_once:
            for name in asked.nodes:
                self._silent_nodes.setdefault(name, {})[number] = record
                self._node_fell_silent(name, record, number, seen)
        elif asked.silences:
            for link in asked.links:
                source, _, target = link.partition("->")
                self._silent_links.setdefault((source, target), {})[number] = record
                if source in seen.nodes and target in seen.nodes:
                    self._fell_silent(seen.nodes[source].address, seen.nodes[target], record, number)

    def _node_fell_silent(self, name: str, record: Record, number: int | None, seen: Observed) -> None:
        if name in seen.nodes:
            for node in seen.running():
                if node.name != name:
                    self._fell_silent(seen.nodes[name].address, node, record, number)

    def _fell_silent(self, address: Address, node: NodeSeen, record: Record, number: int | None) -> None:
        if node.joined:
            for member in node.members:
                if member.address == address and member.uuid not in node.suspected:
                    self._wait(record.time, member, node, record, number)

    def _wait(self, begin: Micros, peer: Member, node: NodeSeen, since: Record, fault: int | None) -> None:
        own = self._all.bounds_of(node.name)
        if own.settings.failure_detector != DEADLINE:
            self.unbounded[node.name] = True
            return
        self._number += 1
        deadline = begin + own.silence
        wait = Wait(deadline, self._number, node.name, node.incarnation, peer, since, fault)
        self._waits.setdefault((node.incarnation, peer.uuid), []).append(wait)
        heappush(self._due, wait)

    def pass_time(self, now: Micros, seen: Observed) -> None:
        while self._due and self._due[0].deadline < now:
            wait = heappop(self._due)
            waits = self._waits.get((wait.incarnation, wait.peer.uuid), [])
            if wait in waits:
                waits.remove(wait)
                self._judge_wait(wait, seen.nodes[wait.node])

    def _judge_wait(self, wait: Wait, node: NodeSeen) -> None:
        here = node.running and node.incarnation == wait.incarnation and wait.peer in node.members
        if not here or wait.peer.uuid in node.suspected or not self._lasted(wait):
            return
        begin, end = wait.since.time, wait.deadline
        late = self._all.late_between(wait.incarnation, begin, end)  # deadlines may have started afresh
        if late or self._all.stopped(wait.node, begin, end) or self._all.shifted_from <= end:
            return
        self.lasting += 1
        names = self._all.history.names
        said = (
            f"{names.process(wait.node, wait.incarnation)} has heard nothing of {names.member(wait.peer)} for "
            f"{rounded(end - begin)}, and does not suspect it."
        )
        self._all.findings.add(said, [wait.since])

    def _lasted(self, wait: Wait) -> bool:
        if wait.fault is None:
            return True
        facts = self._all.history.faults[wait.fault]
        ends = (facts.end_asked, facts.ended, facts.without_effect)
        return all(record is None or record.time > wait.deadline for record in ends)

    def _went_over(self, record: Record, node: NodeSeen, seen: Observed) -> None:
        """To another part: of this identity nobody hears any more."""
        for other in seen.running():
            if other.name != node.name and other.joined:
                for member in other.members:
                    if member.uuid == record.incarnation and member.uuid not in other.suspected:
                        self._wait(record.time, member, other, record, None)

    # What nodes tell

    def see(self, record: Record, node: NodeSeen, seen: Observed, change: ListChange) -> None:
        handler = _OF_NODES.get(type(record.event))
        if handler is not None:
            handler(self, record, record.event, node, seen, change)

    def _installed(
        self, record: Record, event: ViewInstalled, node: NodeSeen, seen: Observed, change: ListChange
    ) -> None:
        me = record.incarnation
        for member in change.added:
            self._talks[me, member.uuid] = record.time
            self._added(record, member, node, seen)
        for member in change.removed:
            self._talks.pop((me, member.uuid), None)
            self._waits.pop((me, member.uuid), None)

    def _trusted_again(
        self, record: Record, event: SuspicionEnded, node: NodeSeen, seen: Observed, change: ListChange
    ) -> None:
        self._talks[record.incarnation, event.peer.uuid] = record.time

    def _merges(self, record: Record, event: Merging, node: NodeSeen, seen: Observed, change: ListChange) -> None:
        self._went_over(record, node, seen)

    def _link(
        self, record: Record, event: LinkUp | LinkDown | LinkClosed, node: NodeSeen, seen: Observed, change: ListChange
    ) -> None:
        changes = self._links.setdefault((record.incarnation, event.address), [])
        changes.append((record.time, isinstance(event, LinkUp)))

    def _was_up(self, process: Uuid, address: Address, begin: Micros, end: Micros) -> bool:
        """All that time. Later it may be down: a member that suspects another may close it before it says so."""
        changes = reversed(self._links.get((process, address), ()))
        since, up = next((each for each in changes if each[0] < end), (end, False))
        return up and since <= begin

    def _suspected(self, record: Record, event: Suspected, node: NodeSeen, seen: Observed, change: ListChange) -> None:
        me = record.incarnation
        self._talks.pop((me, event.peer.uuid), None)
        self.lasting += bool(self._waits.pop((me, event.peer.uuid), None))
        if event.silence is not None:
            self._judge_told(record, event, event.silence)
            self._judge_cause(record, event, seen)

    def _added(self, record: Record, member: Member, node: NodeSeen, seen: Observed) -> None:
        name = seen.names.get(member.address, "")
        silent = self._silent_nodes.get(name, {}) | self._silent_links.get((name, node.name), {})
        for number, since in silent.items():
            self._wait(record.time, member, node, since, number)

    def _judge_told(self, record: Record, event: Suspected, silence: Micros) -> None:
        own = self._all.bounds_of(record.node)
        if event.why is Why.NO_CONFIRMATION:
            least, most = own.shortest_no_confirmation, own.no_confirmation
        elif own.settings.failure_detector == DEADLINE:
            least, most = own.shortest_silence, own.silence
        else:
            self.unbounded[record.node] = True
            return
        self.told += 1
        # A round may be late, and says so only if it is so by more than an interval: as it is after a pause, say.
        most += self._all.lateness_at(record.incarnation, record.time, own.settings.heartbeat_interval)
        if self._all.stopped(record.node, record.time - most, record.time):
            most += own.settings.heartbeat_interval
        if not least <= silence <= most:
            names = self._all.history.names
            said = (
                f"{names.process(record.node, record.incarnation)} suspects {names.member(event.peer)} after "
                f"{rounded(silence)} of silence ({event.reason}): that is not within {rounded(least)} and "
                f"{rounded(most)}."
            )
            # The member that suspects measures it. The other one's lateness is no excuse.
            self._all.accuse(said, [record], late=self._all.very_late_at(record.incarnation, record.time))

    def _judge_cause(self, record: Record, event: Suspected, seen: Observed) -> None:
        """Between `begin` and `end` there was time for a heartbeat, and it would have come too late to be suspected."""
        own, peer = self._all.bounds_of(record.node), seen.is_current(event.peer)
        settings = own.settings
        if peer is None or event.why is Why.NO_CONFIRMATION or settings.failure_detector != DEADLINE:
            return
        begin = record.time - settings.heartbeat_timeout - own.allowance
        interval = self._all.settings_of(peer.name).heartbeat_interval
        end = record.time - settings.heartbeat_timeout + interval + own.allowance
        me = Member(seen.nodes[record.node].address, record.incarnation)
        talks = self._talks.get((peer.incarnation, me.uuid), end) <= begin
        link = self._was_up(peer.incarnation, me.address, begin, end)
        if end >= record.time or not talks or not link or self._all.shifted_from <= record.time:
            return
        if self._all.touched(begin, end, nodes=(record.node, peer.name), links=(f"{peer.name}->{record.node}",)):
            return
        names = self._all.history.names
        said = (
            f"{names.process(record.node, record.incarnation)} suspects {names.member(event.peer)} ({event.reason}), "
            f"and nothing stood between them until {rounded(end)}."
        )
        late = self._all.very_late_at
        excused = late(record.incarnation, record.time) or late(event.peer.uuid, record.time)
        self._all.accuse(said, [record], late=excused)


_OF_THE_HARNESS: Final[Mapping[type, Callable[[Silences, Record, Any, Observed], None]]] = {
    FaultTook: Silences._fault_took,
    FaultEnded: Silences._fault_ended,
    NodeEnded: Silences._gone,
    NodeSpawned: Silences._spawned,
}
_OF_NODES: Final[Mapping[type, Callable[[Silences, Record, Any, NodeSeen, Observed, ListChange], None]]] = {
    ViewInstalled: Silences._installed,
    SuspicionEnded: Silences._trusted_again,
    Merging: Silences._merges,
    LinkUp: Silences._link,
    LinkDown: Silences._link,
    LinkClosed: Silences._link,
    Suspected: Silences._suspected,
}
