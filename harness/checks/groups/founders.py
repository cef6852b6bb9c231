"""Of the check "leadership agrees": if nobody leads, the first of those that look for a group founds it (text 5.2.4).

A member that finds no master looks for `discovery_timeout`. If it knows of another one that comes before it and looks
as well, it gives that one as long again. It is judged where that other one was there in time, by the members' order,
and nothing touched the two or the link between them. A member that founds a group at once, because it has nobody to
ask, has no other address in its discovery list. A core member that is the only process when it starts, and stays so,
founds a group in time."""

from __future__ import annotations

from collections.abc import Iterator

from shaketable.harness.checks.groups.known import Known
from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import UNDER_WAY, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import AddressesConfigured, NodeNamed, NodeSpawned, Record
from shaketable.node.config import BY_ORDER, BY_THE_RUN, CORE, WATCHDOG
from shaketable.node.core.env import Micros
from shaketable.node.events import LeadershipTaken, MasterFollowed, ReadmissionAsked, Started
from shaketable.node.gms.election import member_order
from shaketable.node.messages import Uuid
from shaketable.node.why import Why


class Founders:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._links = OwnLinks(history)
        self._steady = Steady(circumstances)
        self._looks = told(history, Started, ReadmissionAsked, MasterFollowed)
        self._knows = {record.event.peer: record.event.knows for record in history.of(AddressesConfigured)}
        """the members that each asks; without this all"""

    def judge(self) -> None:
        self._judge_the_only_one()
        known = Known(self._history, self._all.usual)
        for record in self._history.of(LeadershipTaken):
            if record.event.why is Why.NOBODY_TO_ASK:
                self._judge_list(record, known)
            founder, own = self._history.by_uuid.get(record.incarnation), self._all.bounds_of(record.node)
            since = self._looks_since(record.incarnation, record.time)
            if record.event.why is not Why.NO_MASTER_ANSWERED or founder is None or since is None:
                continue
            if own.settings.gms_election != BY_ORDER or self._all.stopped(record.node, since, record.time):
                continue
            if record.time - since >= 2 * own.settings.discovery_timeout - own.allowance:
                continue
            for other, begin in self._others(record, founder):
                if self._is_heard(founder, other, begin, record.time):
                    late = any(self._all.late_between(p.uuid, since, record.time) for p in (founder, other))
                    who, whom = self._history.name(founder), self._history.name(other)
                    said = f"{who} founds a group after {rounded(record.time - since)}, and {whom}, which comes before "
                    self._all.accuse(f"{said}it, looks for one too.", [record], late=late)

    def _judge_the_only_one(self) -> None:
        started = {record.incarnation: record for record in self._history.of(Started)}
        leads = {record.incarnation: record.time for record in reversed(self._history.of(LeadershipTaken))}
        for uuid, record in started.items():
            own, process = self._all.bounds_of(record.node), self._history.by_uuid.get(uuid)
            due = record.time + own.settings.discovery_timeout + UNDER_WAY + own.allowance
            if process is None or due > self._history.end or own.settings.gms_member_type != CORE:
                continue
            if leads.get(uuid, due + 1) <= due:
                continue
            if (process.ended is not None and process.ended.time <= due) or self._steady.leaves(process, due):
                continue
            if any(
                (other.ended is None or other.ended.time >= record.time)
                and (other.uuid not in started or started[other.uuid].time <= due)
                for other in self._history.processes.values()
                if other is not process
            ):
                continue
            nodes = (record.node,)
            if self._all.touched(record.time, due, nodes=nodes) or self._all.stopped(record.node, record.time, due):
                continue
            said = f"{self._history.name(process)} is the only process, and founds no group within "
            late = self._all.late_between(uuid, record.time, due)
            self._all.accuse(f"{said}{rounded(due - record.time)}.", [record], late=late)

    def _judge_list(self, record: Record, known: Known) -> None:
        if not self._list_is_known(record.node):
            return
        mine = self._history.address_of(record.node)
        others = sorted(known.configured(record.node, self._all.settings_of(record.node)) - {mine})
        if others and record.time <= self._history.end:
            who = self._history.names.process(record.node, record.incarnation)
            said = f"{who} founds a group because there is nobody to ask, and its list has "
            said += f"{', '.join(self._history.names.place(each) for each in others)}."
            self._all.findings.add(said, [record])

    def _list_is_known(self, node: str) -> bool:
        """Not that of a node which is named after others: it may know all of them, or nobody."""
        if node in self._knows or self._all.settings_of(node).discovery_uri_list != BY_THE_RUN:
            return True
        spawned = next((each.sequence for each in self._history.of(NodeSpawned)), 0)
        return any(each.event.peer == node and each.sequence < spawned for each in self._history.of(NodeNamed))

    def _looks_since(self, who: Uuid, time: Micros) -> Micros | None:
        """None: it looks for no group."""
        last = next((each for each in reversed(self._looks.get(who, ())) if each.time < time), None)
        return last.time if last is not None and not isinstance(last.event, MasterFollowed) else None

    def _others(self, record: Record, founder: Process) -> Iterator[tuple[Process, Micros]]:
        """Each that comes before it and looks for the same group, and since when."""
        own = self._all.settings_of(founder.node)
        for other in self._history.processes.values():
            theirs = self._all.settings_of(other.node)
            same = (theirs.gms_domain, theirs.gms_group) == (own.gms_domain, own.gms_group)
            if other is founder or not same or theirs.gms_member_type == WATCHDOG:
                continue
            if other.ended is not None and other.ended.time <= record.time:
                continue
            begin = self._looks_since(other.uuid, record.time)
            asks = theirs.discovery_uri_list == BY_THE_RUN and founder.node in self._knows.get(
                other.node, (founder.node,)
            )
            if begin is not None and asks and self._comes_before(other, founder):
                yield other, begin

    def _comes_before(self, other: Process, founder: Process) -> bool:
        if other.member is None or founder.member is None:
            return False
        return member_order(other.member.address) < member_order(founder.member.address)

    def _is_heard(self, founder: Process, other: Process, begin: Micros, end: Micros) -> bool:
        """It has asked this one too by then: it does so once in a while."""
        assert founder.member is not None
        address, every = founder.member.address, self._all.settings_of(other.node).discovery_retry
        since = end - every - UNDER_WAY - self._all.bounds_of(founder.node).allowance
        if begin > since or not self._links.came_up_at(other.uuid, address, 0, since):
            return False
        if not self._links.held(other.uuid, address, since, end):
            return False
        nodes, links = (founder.node, other.node), (f"{other.node}->{founder.node}",)
        return not self._all.touched(since, end, nodes=nodes, links=links)
