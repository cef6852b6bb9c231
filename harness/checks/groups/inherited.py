"""Of the check "leadership agrees": a new master takes up what the one before told last, and it had not taken itself.

Its members tell it when they follow it (rulings 5.9, S5). It publishes the end of a member that is in no view of its
own. A failure of a member that is in its view it verifies itself, and says so at once. A member that it did not know of
it adds, also in the place of an earlier incarnation, and that a member of its view is ready it tells all. It is judged
where the member and the new master were well, and the link between them too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import (
    ADD,
    FAILURE,
    NEW_MASTER,
    READY,
    SHUTDOWN,
    UNDER_WAY,
    is_added_itself,
    told,
)
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    HealthAnnouncedToAll,
    MasterFollowed,
    NotificationPublished,
    NotificationsLost,
    NotificationTaken,
    ReadmissionAsked,
    Started,
    Suspected,
)
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.why import Why

Taken = Record[NotificationTaken]
JUDGED: Final = (ADD, READY, FAILURE, SHUTDOWN)


class Inherited:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._taken = told(history, NotificationTaken)
        self._lost = told(history, NotificationsLost)
        self._said = told(history, NotificationPublished, HealthAnnouncedToAll)
        self._links = OwnLinks(history)
        self._started = {record.incarnation: record.time for record in history.of(Started)}
        self._ends = {(r.event.change, r.event.peer.uuid): True for r in history.of(NotificationTaken) if r.event.peer}

    def judge(self) -> None:
        """Each member that followed a master, and then the one that took over from it."""
        for uuid, records in told(self._history, MasterFollowed, ReadmissionAsked).items():
            member, former = self._history.by_uuid.get(uuid), ""
            for record in records:
                if not isinstance(record.event, MasterFollowed):
                    former = ""
                    continue
                master = self._history.by_uuid.get(record.event.master.uuid)
                if former and member is not None and master is not None and master is not member:
                    self._judge_change(record, member, master, former)
                former = record.event.master.uuid
        self._judge_doubts()

    def _judge_doubts(self) -> None:
        """It verifies a failure of the same incarnation, and of no other one at that address."""
        for record in self._history.of(Suspected):
            if record.event.why is not Why.DECLARED_DEAD or record.time > self._history.end:
                continue
            about = FAILURE, record.event.peer.uuid
            if about not in self._ends:
                who = self._history.names.process(record.node, record.incarnation)
                said = f"{who} suspects {self._history.names.member(record.event.peer)} because the master before "
                self._all.findings.add(f"{said}declared it dead, which nobody has been told.", [record])

    def _judge_change(self, followed: Record, member: Process, master: Process, former: Uuid) -> None:
        own = self._all.bounds_of(master.node)
        due = followed.time + UNDER_WAY + own.allowance
        led = self._led(master.uuid, former, followed.time)
        if led is None or due > self._history.end:
            return
        missing = self._missing(followed, master, former, led.time)
        if not missing or missing[0].time < followed.time - self._told_for(member):
            return
        if not all(self._steady.goes_on(each, followed.time, due) for each in (member, master)):
            return
        view = installed(master, due)
        if view is None or member.member not in view.view.members:
            return
        assert master.member is not None
        begin, link = min(led.time, followed.time) - UNDER_WAY, f"{member.node}->{master.node}"
        if not self._links.held(member.uuid, master.member.address, begin, due):
            return
        if self._all.touched(begin, due, nodes=(member.node, master.node), links=(link,)):
            return
        late = any(self._all.late_between(each.uuid, begin, due) for each in (member, master))
        for about, taken in self._last_of_each(missing):
            if about.address != master.member.address and not self._takes_up(master, about, taken, led.time, due):
                said = f"{self._history.name(master)} leads after {self._history.names.author(former)}, and does not "
                said += f"take up what that told {self._history.name(member)} last: {taken.event.change} of "
                said += f"{self._history.names.member(about)}. It had {rounded(due - followed.time)}."
                self._all.accuse(said, [taken, followed], late=late)

    def _led(self, master: Uuid, former: Uuid, until: Micros) -> Record | None:
        """Where it began to lead in the former one's place."""
        records = [each for each in self._said.get(master, ()) if each.time <= until]
        begins = [r for r in records if isinstance(r.event, NotificationPublished) and r.event.change == NEW_MASTER]
        last = begins[-1] if begins else None
        if last is None or not isinstance(last.event, NotificationPublished):
            return None
        return last if last.event.peer is not None and last.event.peer.uuid == former else None

    def _told_for(self, member: Process) -> Micros:
        """As long as the former master could have sent it again, had it not died: at least so long."""
        settings = self._all.settings_of(member.node)
        return settings.gms_resend_history + settings.longest_interregnum(members=2)

    def _missing(self, followed: Record, master: Process, former: Uuid, until: Micros) -> Sequence[Taken]:
        """What that one told this member in its stay there, and the new master had not taken when it began to lead."""
        if any(each.event.author == former for each in self._lost.get(master.uuid, ())):
            return ()
        known = [
            each.event.version
            for each in self._taken.get(master.uuid, ())
            if each.event.author == former and each.time <= until
        ]
        missing: list[Taken] = []
        for each in self._taken.get(followed.incarnation, ()):
            if each.event.author == former and known and each.sequence < followed.sequence:
                if each.event.change == NEW_MASTER or is_added_itself(each):
                    missing = []
                if each.event.version > max(known):
                    missing.append(each)
        return missing

    def _last_of_each(self, missing: Sequence[Taken]) -> Iterator[tuple[Member, Taken]]:
        """Whether a member is there, and whether it is ready."""
        last: dict[tuple[Address, bool], tuple[Member, Taken]] = {}
        for taken in missing:
            peer, change = taken.event.peer, taken.event.change
            if peer is not None and change in JUDGED:
                last[peer.address, change == READY] = peer, taken
        yield from last.values()

    def _takes_up(self, master: Process, about: Member, taken: Taken, begin: Micros, due: Micros) -> bool:
        """It says something of it, or has nothing to say."""
        for each in self._said.get(master.uuid, ()):
            peer = each.event.peer if isinstance(each.event, NotificationPublished | HealthAnnouncedToAll) else None
            if peer is not None and peer.address == about.address and begin <= each.time <= due:
                return True
        view = installed(master, due)
        members = view.view.members if view is not None else ()
        if taken.event.change == READY:
            return about not in members
        there = [each for each in members if each.address == about.address]
        return taken.event.change == ADD and any(self._is_no_earlier(each, about) for each in there)

    def _is_no_earlier(self, one: Member, other: Member) -> bool:
        """Incarnation at that address."""
        return self._started.get(one.uuid, 0) >= self._started.get(other.uuid, 0)
