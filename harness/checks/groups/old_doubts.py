"""Of the check "suspected first": a doubt that a new master does not take up has ended a detection window later.

The master before had told it, and a member still has it when it follows another one. That one decides anew (rulings
5.9). It is judged where nobody has said since that the suspect is in doubt, and no older word of that can have been
late."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import UNDER_WAY, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    HealthAnnouncedToAll,
    MasterFollowed,
    NotificationTaken,
    ReadmissionAsked,
    Suspected,
    SuspicionEnded,
    ViewInstalled,
)
from shaketable.node.messages import Uuid


class OldDoubts:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._announced: dict[Uuid, list[Record]] = {}
        """that it is in doubt, by whomsoever"""
        for record in history.of(HealthAnnouncedToAll):
            if record.event.state == "in doubt":
                self._announced.setdefault(record.event.peer.uuid, []).append(record)

    def judge(self) -> None:
        kinds = Suspected, SuspicionEnded, NotificationTaken, ViewInstalled, ReadmissionAsked, MasterFollowed
        for uuid, records in told(self._history, *kinds).items():
            suspects: dict[Uuid, Record] = {}
            former: Uuid = ""
            for number, record in enumerate(records):
                if isinstance(record.event, MasterFollowed):
                    for suspect, doubt in suspects.items():
                        if suspect != former and record.event.master.uuid != uuid:
                            self._judge(doubt, record, suspect, records[number + 1 :])
                    former = record.event.master.uuid
                suspects = _after(record, suspects)

    def _judge(self, doubt: Record, followed: Record, suspect: Uuid, after: list[Record]) -> None:
        own, member = self._all.bounds_of(followed.node), self._history.by_uuid.get(followed.incarnation)
        due = followed.time + own.settings.detection_window + UNDER_WAY + own.allowance
        if due > self._history.end or member is None or not self._steady.goes_on(member, followed.time, due):
            return
        left = {suspect: doubt}
        for record in after:
            left = _after(record, left) if record.time <= due else left
        if suspect not in left or any(self._may_come(each, followed, due) for each in self._announced.get(suspect, ())):
            return
        late = self._all.late_between(followed.incarnation, followed.time, due)
        peer = self._history.by_uuid.get(suspect)
        whom = self._history.name(peer) if peer is not None else f"#{suspect[:4]}"
        said = (
            f"{self._history.name(member)} suspects {whom} still, {rounded(due - followed.time)} after it has followed "
        )
        self._all.accuse(f"{said}another master, which has not said that.", [doubt, followed], late=late)

    def _may_come(self, announced: Record, followed: Record, due: Micros) -> bool:
        """After the member has followed its new master."""
        if announced.time > due:
            return False
        link = f"{announced.node}->{followed.node}"
        return announced.time >= followed.time - UNDER_WAY or self._all.touched(announced.time, due, links=(link,))


def _after(record: Record, suspects: dict[Uuid, Record]) -> dict[Uuid, Record]:
    """The members that it suspects after this, and since when."""
    match record.event:
        case Suspected(peer):
            return {peer.uuid: record, **suspects}
        case SuspicionEnded(peer):
            return {uuid: doubt for uuid, doubt in suspects.items() if uuid != peer.uuid}
        case NotificationTaken(_, _, about) if about is not None:
            return {uuid: doubt for uuid, doubt in suspects.items() if uuid != about.uuid}
        case ViewInstalled() as view:
            there = {member.uuid for member in view.members}
            return {uuid: doubt for uuid, doubt in suspects.items() if uuid in there}
        case ReadmissionAsked():
            return {}
        case _:
            return suspects
