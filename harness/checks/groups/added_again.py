"""Of the check "suspected first": a suspect that is added to another stay is suspected no longer.

Its master has heard it, or it would not add it. So each member that takes this word ends its suspicion at once, and its
application hears so. It is not judged where notifications were lost. The last words of a killed member may be lost."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import ADD, has_owed, told
from shaketable.harness.checks.result import Findings
from shaketable.harness.history.history import History
from shaketable.harness.records import Record, tells
from shaketable.node.events import (
    NotificationsLost,
    NotificationTaken,
    ReadmissionAsked,
    Suspected,
    SuspicionEnded,
    ViewInstalled,
)
from shaketable.node.messages import Member, Uuid


class AddedAgain:
    def __init__(self, history: History, findings: Findings) -> None:
        self._history = history
        self._findings = findings

    def judge(self) -> None:
        kinds = Suspected, SuspicionEnded, NotificationsLost, NotificationTaken, ReadmissionAsked, ViewInstalled
        for records in told(self._history, *kinds).values():
            suspects: dict[Uuid, Record] = {}
            for number, record in enumerate(records):
                match record.event:
                    case Suspected(peer):
                        suspects[peer.uuid] = record
                    case SuspicionEnded(peer):
                        suspects.pop(peer.uuid, None)
                    case NotificationTaken(_, _, about, change) if about is not None:
                        doubt = suspects.pop(about.uuid, None)
                        if doubt is not None and change == ADD:
                            self._judge(about, doubt, record, records[number + 1 :])
                    case ViewInstalled() as view:
                        there = {member.uuid for member in view.members}
                        suspects = {uuid: doubt for uuid, doubt in suspects.items() if uuid in there}
                    case ReadmissionAsked() | NotificationsLost():
                        suspects = {}
                    case _:
                        pass

    def _judge(self, whom: Member, doubt: Record, added: Record, after: list[Record]) -> None:
        for record in after:
            if tells(record, SuspicionEnded) and record.event.peer == whom:
                return
            if not isinstance(record.event, ViewInstalled | SuspicionEnded):
                break
        else:
            if not has_owed(self._history, added.incarnation, added.time):
                return
        names = self._history.names
        said = f"{names.process(added.node, added.incarnation)} suspects {names.member(whom)} still, which is added to "
        self._findings.add(f"{said}another stay.", [doubt, added])
