"""Of the check "joins in order": an application is told JOIN of each core member that comes (rulings 5.9).

A member that is added was not in the view before: so its join is news, whatever was told in an earlier stay of the one
that sees it come. If it was there all the time, the application need not hear that again."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import ADD, JOIN, has_owed, is_core, told
from shaketable.harness.checks.result import Findings
from shaketable.harness.history.history import History
from shaketable.harness.records import Record, tells
from shaketable.node.config import Settings
from shaketable.node.events import NotificationTaken, ReadmissionAsked, Signalled, ViewInstalled
from shaketable.node.messages import Address


class JoinsTold:
    def __init__(self, history: History, findings: Findings, usual: Settings) -> None:
        self._history = history
        self._findings = findings
        self._usual = usual

    def judge(self) -> None:
        for uuid, records in told(self._history, NotificationTaken, ReadmissionAsked, Signalled, ViewInstalled).items():
            owed: Record[NotificationTaken] | None = None
            there: frozenset[Address] = frozenset()
            for record in records:
                if tells(record, NotificationTaken):
                    self._accuse(owed)
                    owed = record if self._comes(record, there) else None
                elif tells(record, ViewInstalled):
                    there = frozenset(member.address for member in record.event.members)
                elif tells(record, ReadmissionAsked):
                    self._accuse(owed)
                    owed, there = None, frozenset()
                elif owed is not None and tells(record, Signalled):
                    owed = None if (record.event.signal, record.event.peer) == (JOIN, owed.event.peer) else owed
            if owed is not None and has_owed(self._history, uuid, owed.time):
                self._accuse(owed)

    def _comes(self, record: Record[NotificationTaken], there: frozenset[Address]) -> bool:
        peer = record.event.peer
        if record.event.change != ADD or peer is None or peer.address in there:
            return False
        return is_core(self._history, peer, self._usual)

    def _accuse(self, owed: Record[NotificationTaken] | None) -> None:
        if owed is not None and owed.event.peer is not None:
            names = self._history.names
            who, whom = names.process(owed.node, owed.incarnation), names.member(owed.event.peer)
            self._findings.add(f"{who} sees {whom} come, and does not tell its application.", [owed])
