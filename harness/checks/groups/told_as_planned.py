"""Of the check "shutdown is no failure": an application hears of a planned shutdown as such, and never of a failure.

It is judged by the words of the master that its member takes: by one that tells a planned shutdown no FAILURE of the
same incarnation is told."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import FAILED, SHUTDOWN, told
from shaketable.harness.checks.result import Findings
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import NotificationTaken, ReadmissionAsked, Signalled
from shaketable.node.messages import Member


class ToldAsPlanned:
    def __init__(self, history: History, findings: Findings) -> None:
        self._history = history
        self._findings = findings

    def judge(self) -> None:
        for records in told(self._history, NotificationTaken, ReadmissionAsked, Signalled).values():
            planned: tuple[Record, Member | None] | None = None
            """the word that its member took last, and of whom"""
            for record in records:
                match record.event:
                    case NotificationTaken(_, _, about, change):
                        planned = (record, about) if change == SHUTDOWN else None
                    case ReadmissionAsked():
                        planned = None
                    case Signalled(signal, peer) if signal == FAILED and planned is not None:
                        if planned[1] == peer:
                            names = self._history.names
                            who, whom = names.process(record.node, record.incarnation), names.member(peer)
                            said = f"{who} takes word of the planned shutdown of {whom}, and tells its application that"
                            said += " it has failed."
                            self._findings.add(said, [planned[0], record])
                    case _:
                        pass
