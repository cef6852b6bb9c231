"""Of the check "joins in order": when the start of a whole group is over (rulings 5.7).

It is over `gms_group_start_delay` after the last one of those that it waited for is ready, or after it began if it
waited for nobody. If some do not come, it is over `gms_group_start_limit` after it began, and names these. Nobody is
named of whom a master of this member has told that it is ready, before or meanwhile, and that is in the view since. A
master that came later asks the others: so nobody is named that has been told itself that it is ready, and was well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shaketable.harness.checks.groups.reading import READY, UNDER_WAY, is_added_itself, told
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record, tells
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    GroupStartBegan,
    GroupStartEnded,
    NotificationTaken,
    ReadmissionAsked,
    ViewInstalled,
)
from shaketable.node.messages import Address


class GroupStarts:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._own = told(history, NotificationTaken, ReadmissionAsked)

    def judge(self) -> None:
        kinds = GroupStartBegan, GroupStartEnded, NotificationTaken, ReadmissionAsked, ViewInstalled
        for records in told(self._history, *kinds).values():
            began: Record[GroupStartBegan] | None = None
            ready: dict[Address, Record[NotificationTaken]] = {}
            times: list[Micros] = []
            """when it began, and when each of those that are expected was ready"""
            for record in records:
                if tells(record, GroupStartBegan):
                    began, times = record, [record.time]
                    continue
                if tells(record, NotificationTaken):
                    if is_added_itself(record):
                        ready = {}
                    peer, change = record.event.peer, record.event.change
                    if peer is not None:
                        ready.pop(peer.address, None)
                    if peer is not None and change == READY:
                        ready[peer.address] = record
                        if began is not None and peer.address in began.event.expected:
                            times.append(record.time)
                match record.event:
                    case GroupStartEnded(missing):
                        if began is not None:
                            self._judge_missing(began, record, missing, ready)
                            self._judge_time(began, record, missing, times)
                        began = None
                    case ViewInstalled(members=members):
                        ready = {address: told for address, told in ready.items() if told.event.peer in members}
                    case ReadmissionAsked():
                        ready = {}
                    case _:
                        pass
            if began is not None and all(
                address in ready or self._told_itself(began, address) for address in began.event.expected
            ):
                self._judge_end(began, times[-1])

    def _judge_missing(
        self, began: Record, ended: Record, missing: tuple[Address, ...], ready: Mapping[Address, Record]
    ) -> None:
        for address in missing:
            told = ready.get(address) or self._told_itself(began, address)
            if told is not None:
                said = f"{self._name(ended)} ends the start of a whole group without "
                said += f"{self._history.names.place(address)}, which is ready."
                self._all.findings.add(said, [began, told, ended])

    def _told_itself(self, began: Record, address: Address) -> Record | None:
        """It is in this master's view, has taken the word that it is ready, and gets its master's question."""
        master = self._history.by_uuid.get(began.incarnation)
        view = installed(master, began.time) if master is not None else None
        members = view.view.members if view is not None else ()
        uuid = next((member.uuid for member in members if member.address == address), "")
        other = self._history.by_uuid.get(uuid)
        begin, end = began.time - UNDER_WAY, began.time + UNDER_WAY + self._all.bounds_of(began.node).allowance
        if other is None or self._steady.master_of(uuid, begin)[0] != began.incarnation:
            return None
        last: Record | None = None
        for record in self._own.get(uuid, ()):
            is_ready = tells(record, NotificationTaken) and record.event.change == READY
            if record.time <= begin and (tells(record, ReadmissionAsked) or _is_about_itself(record)):
                last = record if is_ready else None
        if last is None or not self._steady.goes_on(other, begin, end):
            return None
        nodes, links = (began.node, other.node), both_ways(began.node, other.node)
        shifted = any(s.kind.shifts and s.begin <= end and s.touches(nodes, links) for s in self._all.spans)
        return None if shifted or self._all.touched(begin, end, nodes=nodes, links=links) else last

    def _judge_time(self, began: Record, ended: Record, missing: tuple[Address, ...], times: Sequence[Micros]) -> None:
        own = self._all.bounds_of(ended.node)
        wait = own.settings.gms_group_start_limit if missing else own.settings.gms_group_start_delay
        since = [began.time] if missing else times
        if any(abs(ended.time - each - wait) <= own.allowance + UNDER_WAY for each in since):
            return
        if self._all.stopped(ended.node, began.time, ended.time):
            return
        late = self._all.late_between(ended.incarnation, began.time, ended.time)
        what = "after it began, as some are missing" if missing else "after the last one was ready"
        said = f"{self._name(ended)} ends the start of a whole group {rounded(ended.time - since[-1])} {what}: "
        self._all.accuse(f"{said}it waits {rounded(wait)}.", [began, ended], late=late)

    def _judge_end(self, began: Record, ready: Micros) -> None:
        """All are ready, and it is not over."""
        own, process = self._all.bounds_of(began.node), self._history.by_uuid.get(began.incarnation)
        due = ready + own.settings.gms_group_start_delay + own.allowance + UNDER_WAY
        if due > self._history.end or process is None or (process.ended is not None and process.ended.time <= due):
            return
        if not self._all.stopped(began.node, began.time, due):
            late = self._all.late_between(began.incarnation, began.time, due)
            said = f"{self._name(began)} goes on with the start of a whole group for {rounded(due - ready)} "
            self._all.accuse(f"{said}after the last one was ready.", [began], late=late)

    def _name(self, record: Record) -> str:
        return self._history.names.process(record.node, record.incarnation)


def _is_about_itself(record: Record) -> bool:
    event = record.event
    return isinstance(event, NotificationTaken) and event.peer is not None and event.peer.uuid == record.incarnation
