"""Of the family "detection": a member that loses its connection to another suspects it within the grace and a round.

A link that comes up in time ends the wait. A first connection to a new member may come up slowly: it has the whole
heartbeat timeout. No member is suspected because of a connection that was not lost, or only just lost. The same holds
for a connection that never was, before that timeout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from typing import Any, Final, NamedTuple

from shaketable.harness.checks.shared.circumstances import Circumstances, ListChange
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import Micros
from shaketable.node.events import LinkClosed, LinkDown, LinkUp, Suspected, ViewInstalled
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.why import Why


class Wait(NamedTuple):
    deadline: Micros
    number: int
    """which makes waits of one deadline comparable"""
    node: str
    incarnation: Uuid
    peer: Member
    since: Record
    """the loss of the link; for a new member its first list"""


class LostConnections:
    def __init__(self, circumstances: Circumstances) -> None:
        self.judged = 0
        self._all = circumstances
        self._untimed = circumstances.history.system.untimed_losses
        """then only those who suspect for a loss that was none are accused"""
        self._down: dict[tuple[Uuid, Address], Record] = {}
        """by process and address: since when its link is not up"""
        self._first: dict[tuple[Uuid, Address], Record] = {}
        """by process and address: since when it waits for a connection to a member there that never was"""
        self._open: dict[tuple[Uuid, Uuid], Wait] = {}
        """by the member that waits and the member that it waits for"""
        self._due: list[Wait] = []
        self._number = 0

    def pass_time(self, now: Micros, seen: Observed) -> None:
        while self._due and self._due[0].deadline < now:
            wait = heappop(self._due)
            if self._open.get((wait.incarnation, wait.peer.uuid)) is wait:
                del self._open[wait.incarnation, wait.peer.uuid]
                self._judge(wait, seen.nodes[wait.node])

    def see(self, record: Record, node: NodeSeen, change: ListChange) -> None:
        handler = _HANDLERS.get(type(record.event))
        if handler is not None:
            handler(self, record, record.event, node, change)

    def _came_up(self, record: Record, event: LinkUp, node: NodeSeen, change: ListChange) -> None:
        self._down.pop((record.incarnation, event.address), None)
        self._first.pop((record.incarnation, event.address), None)
        for member in _at(event.address, node):
            self._open.pop((record.incarnation, member.uuid), None)

    def _went_down(self, record: Record, event: LinkDown, node: NodeSeen, change: ListChange) -> None:
        self._lost(record, event.address, node)

    def _closed(self, record: Record, event: LinkClosed, node: NodeSeen, change: ListChange) -> None:
        self._down.setdefault((record.incarnation, event.address), record)  # no loss: nobody is suspected for it

    def _installed(self, record: Record, event: ViewInstalled, node: NodeSeen, change: ListChange) -> None:
        for member in change.removed:
            self._open.pop((record.incarnation, member.uuid), None)
        for member in change.added:
            if node.links_up.get(member.address) is False:
                self._first[record.incarnation, member.address] = record
                self._wait(record, member, self._all.bounds_of(record.node).first_connection)

    def _suspected(self, record: Record, event: Suspected, node: NodeSeen, change: ListChange) -> None:
        if self._open.pop((record.incarnation, event.peer.uuid), None) is not None:
            self.judged += 1
        if event.why is Why.CONNECTION_LOST and (not self._untimed or node.links_up.get(event.peer.address)):
            self._judge_reason(record, event)

    def _lost(self, record: Record, address: Address, node: NodeSeen) -> None:
        known = self._down.setdefault((record.incarnation, address), record)
        if known is record and not node.links_up.get(address):
            self._first[record.incarnation, address] = record
        own = self._all.bounds_of(record.node)
        for member in _at(address, node):
            if member.uuid in node.suspected or not node.joined:
                continue
            if node.links_up.get(address):
                self._wait(record, member, own.crash)
            elif (record.incarnation, member.uuid) not in self._open:
                self._wait(record, member, own.first_connection)

    def _wait(self, record: Record, peer: Member, bound: Micros) -> None:
        self._number += 1
        wait = Wait(record.time + bound, self._number, record.node, record.incarnation, peer, record)
        self._open[record.incarnation, peer.uuid] = wait
        heappush(self._due, wait)

    def _judge(self, wait: Wait, node: NodeSeen) -> None:
        if self._untimed:
            return
        here = node.running and node.incarnation == wait.incarnation and wait.peer in node.members
        if not here or wait.peer.uuid in node.suspected or node.links_up.get(wait.peer.address):
            return
        if self._all.stopped(wait.node, wait.since.time, wait.deadline):
            return
        self.judged += 1
        names = self._all.history.names
        took = rounded(wait.deadline - wait.since.time)
        said = (
            f"{names.process(wait.node, wait.incarnation)} has no connection to {names.member(wait.peer)} for {took}, "
            "and does not suspect it."
        )
        self._all.accuse(said, [wait.since], late=self._all.very_late_at(wait.incarnation, wait.deadline))

    def _judge_reason(self, record: Record, event: Suspected) -> None:
        names = self._all.history.names
        who = f"{names.process(record.node, record.incarnation)} suspects {names.member(event.peer)}"
        down = self._down.get((record.incarnation, event.peer.address))
        if down is None:
            self._all.findings.add(f"{who} for a lost connection, and has not lost it.", [record])
            return
        own, first = self._all.bounds_of(record.node), self._first.get((record.incarnation, event.peer.address))
        since, least = (down, own.shortest_grace) if first is None else (first, own.shortest_first_connection)
        gone = record.time - since.time
        if gone < least and not self._all.stopped(record.node, since.time, record.time):
            how = "was gone" if first is None else "did not come up"
            said = f"{who} after its connection {how} for {rounded(gone)}, less than {rounded(least)}."
            self._all.findings.add(said, [since, record])


def _at(address: Address, node: NodeSeen) -> list[Member]:
    return [member for member in node.members if member.address == address]


_HANDLERS: Final[Mapping[type, Callable[[LostConnections, Record, Any, NodeSeen, ListChange], None]]] = {
    LinkUp: LostConnections._came_up,
    LinkDown: LostConnections._went_down,
    LinkClosed: LostConnections._closed,
    ViewInstalled: LostConnections._installed,
    Suspected: LostConnections._suspected,
}
