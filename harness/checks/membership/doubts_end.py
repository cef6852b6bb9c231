"""Of "fully connected": a follower that suspects another one for its silence ends that when it can hear it again.

The other one sends heartbeats as long as it does not suspect the follower itself. That holds from the moment at which
nothing touches the two or the links between them any more, for three intervals. Older members than the master stay
suspected, and so does a member whose link is lost. A run in which messages are late or clocks are off is not judged."""

from __future__ import annotations

from collections.abc import Iterator

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import Findings
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.harness.checks.shared.older import older_than
from shaketable.harness.checks.shared.suspicions import Suspicions
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import LinkClosed, LinkDown, LinkUp, Suspected
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.why import Why

ROUNDS = 3
"""heartbeat intervals: one of them is on its way, one may be lost with a link that was broken, and one is to spare"""


def accuse_of_doubts_that_last(history: History, bounds: Bounds, findings: Findings) -> None:
    told = [record for record in history.of(Suspected) if record.event.why is Why.NO_HEARTBEAT]
    judge = _Judge(history, bounds) if told else None
    for record in told:
        assert judge is not None
        since = judge.lasts_since(record)
        if since is not None:
            who, whom = history.names.process(record.node, record.incarnation), history.names.member(record.event.peer)
            within = rounded(judge.within(record.node))
            said = (
                f"{who} has suspected {whom}, a member of its list, since {rounded(record.time)}, and can hear it since"
            )
            findings.add(f"{said} {rounded(since)}; it has {within} to end that.", [record])


class _Judge:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self._history = history
        self._all = Circumstances(history, bounds)
        self._suspicions = Suspicions(history)
        self._suspected: dict[tuple[Uuid, Uuid], list[Micros]] = {}
        for record in history.of(Suspected):
            self._suspected.setdefault((record.incarnation, record.event.peer.uuid), []).append(record.time)
        self._links: dict[tuple[Uuid, Address], list[tuple[Micros, bool]]] = {}
        """by process and address: when its link there came up (True), broke, or was closed"""
        kinds: tuple[type[LinkUp | LinkDown | LinkClosed], ...] = LinkUp, LinkDown, LinkClosed
        for kind in kinds:
            for told in history.of(kind):
                key = told.incarnation, told.event.address
                self._links.setdefault(key, []).append((told.time, kind is LinkUp))
        for changes in self._links.values():
            changes.sort()

    def within(self, node: str) -> Micros:
        own = self._all.bounds_of(node)
        return ROUNDS * own.settings.heartbeat_interval + own.allowance

    def lasts_since(self, record: Record[Suspected]) -> Micros | None:
        """When it could hear the suspect again and did so for long enough, suspecting it all the time."""
        history, peer = self._history, record.event.peer
        one, other = history.processes.get((record.node, record.incarnation)), history.by_uuid.get(peer.uuid)
        if one is None or other is None or one.member is None:
            return None
        for begin in self._begins(record, one, other):
            end = begin + self.within(record.node)
            if self._suspects_all_the_time(record, begin, end) and self._are_well(one, other, peer, begin, end):
                return begin
        return None

    def _begins(self, record: Record[Suspected], one: Process, other: Process) -> Iterator[Micros]:
        """When nothing is broken between them any more."""
        yield record.time
        nodes = one.node, other.node
        for span in self._all.spans:
            if span.touches(nodes, both_ways(*nodes)) and record.time <= span.end < self._history.end:
                yield span.end + 1

    def _suspects_all_the_time(self, record: Record[Suspected], begin: Micros, end: Micros) -> bool:
        since = self._suspicions.since(record.incarnation, record.event.peer.uuid, end)
        return end < self._history.end and since == record.time

    def _are_well(self, one: Process, other: Process, suspect: Member, begin: Micros, end: Micros) -> bool:
        nodes = one.node, other.node
        if end >= self._all.shifted_from or self._all.touched(begin, end, nodes=nodes, links=both_ways(*nodes)):
            return False
        for each in (one, other):
            if (each.ended is not None and each.ended.time <= end) or self._all.late_between(each.uuid, begin, end):
                return False
        assert one.member is not None
        return (
            self._trusts(other, one.member, begin, end)
            and self._has_link(one, suspect, begin, end)
            and self._has_link(other, one.member, begin, end)
            and self._lists(other, one.member, begin, end)
            and self._hears_of(one, suspect, begin, end)
        )

    def _trusts(self, one: Process, other: Member, begin: Micros, end: Micros) -> bool:
        """Else it sends it nothing."""
        if self._suspicions.since(one.uuid, other.uuid, begin) is not None:
            return False
        return not any(begin <= time <= end for time in self._suspected.get((one.uuid, other.uuid), ()))

    def _has_link(self, one: Process, other: Member, begin: Micros, end: Micros) -> bool:
        told = self._links.get((one.uuid, other.address), ())
        before = [up for time, up in told if time < begin]
        return before[-1:] == [True] and not any(begin <= time <= end for time, _ in told)

    @staticmethod
    def _lists(one: Process, other: Member, begin: Micros, end: Micros) -> bool:
        lists = [install for install in one.installs if install.record.time <= begin][-1:]
        lists += [install for install in one.installs if begin < install.record.time <= end]
        return bool(lists) and lists[0].record.time <= begin and all(other in each.view.members for each in lists)

    def _hears_of(self, one: Process, suspect: Member, begin: Micros, end: Micros) -> bool:
        """By its heartbeats: it follows another one all the time, and the suspect is no older one than that."""
        masters = [member for time, member in one.follows if time <= begin][-1:]
        masters += [member for time, member in one.follows if begin < time <= end]
        lists = [install for install in one.installs if install.record.time <= begin][-1:]
        if len(masters) != 1 or not lists or masters[0].uuid == one.uuid:
            return False
        members = lists[0].view.members
        return masters[0] in members and suspect not in older_than(members, masters[0])
