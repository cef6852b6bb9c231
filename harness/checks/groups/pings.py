"""Of the check "group detection": a new master pings all members at once, if it alone watches them from now on.

So a member that failed together with the one before is not missed later than others (text 5.2.2.2). A member that was
dead when it began to lead is in doubt a probe later, R."""

from __future__ import annotations

from collections.abc import Iterator

from shaketable.harness.checks.groups.reading import TAKES_OVER, UNDER_WAY, told
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.config import MASTER_AND_LIKELY
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    Event,
    HealthAnnouncedToAll,
    LeadershipTaken,
    Leaving,
    MasterFollowed,
    NotificationPublished,
    ReadmissionAsked,
)
from shaketable.node.messages import Address


class Pings:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._said = told(history, HealthAnnouncedToAll, NotificationPublished)
        self._gone = told(history, Leaving, MasterFollowed, ReadmissionAsked)

    def judge(self) -> None:
        for record in self._history.of(LeadershipTaken):
            own = self._all.bounds_of(record.node)
            due = record.time + own.settings.gms_probe_timeout + UNDER_WAY + own.allowance
            if own.settings.gms_detection != MASTER_AND_LIKELY or record.event.why not in TAKES_OVER:
                continue
            if due <= self._history.end and self._goes_on(record, due):
                for dead in self._dead(record):
                    self._judge(record, dead, due)

    def _goes_on(self, record: Record, due: Micros) -> bool:
        """It leads all the time, and nobody shakes it."""
        process = self._history.by_uuid.get(record.incarnation)
        if process is None or (process.ended is not None and process.ended.time <= due):
            return False
        if any(record.time + UNDER_WAY < each.time <= due for each in self._gone.get(record.incarnation, ())):
            return False
        return not self._all.touched(record.time, due, nodes=(record.node,)) and not self._all.stopped(
            record.node, record.time, due
        )

    def _dead(self, record: Record) -> Iterator[Process]:
        """Members of its view that had ended when it came to lead."""
        process = self._history.by_uuid.get(record.incarnation)
        view = installed(process, record.time + UNDER_WAY) if process is not None else None
        for member in view.view.members if view is not None else ():
            other = self._history.by_uuid.get(member.uuid)
            if other is not None and other.ended is not None and other.ended.time < record.time - UNDER_WAY:
                yield other

    def _judge(self, record: Record, dead: Process, due: Micros) -> None:
        assert dead.member is not None
        address = dead.member.address
        if any(
            record.time - UNDER_WAY <= said.time <= due and _is_about(said.event, address)
            for said in self._said.get(record.incarnation, ())
        ):
            return
        late = self._all.late_between(record.incarnation, record.time, due)
        who, whom = self._history.names.process(record.node, record.incarnation), self._history.name(dead)
        sentence = f"{whom} is dead when {who} begins to lead, and {rounded(due - record.time)} later not in doubt."
        self._all.accuse(sentence, [record], late=late)


def _is_about(event: Event, address: Address) -> bool:
    if not isinstance(event, HealthAnnouncedToAll | NotificationPublished):
        return False
    return event.peer is not None and event.peer.address == address
