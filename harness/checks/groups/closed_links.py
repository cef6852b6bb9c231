"""Of the check "view sequence": a member closes its links to those who have gone from its view, and no others (text
5.2.2.2).

It does so when it installs the view that lacks them. If another incarnation at that address is in the view, the link is
that one's."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import has_owed, told
from shaketable.harness.checks.result import Findings
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import LinkClosed, LinkDown, LinkUp, ReadmissionAsked, ViewInstalled
from shaketable.node.messages import Address, Uuid


def closed_links(history: History, findings: Findings) -> None:
    for uuid, records in told(history, ViewInstalled, ReadmissionAsked, LinkUp, LinkDown, LinkClosed).items():
        member = _Member(history, findings)
        member.judge(records)
        member.judge_the_end(uuid)


class _Member:
    def __init__(self, history: History, findings: Findings) -> None:
        self._history = history
        self._findings = findings
        self._view: Record | None = None
        self._in_view: dict[Address, bool] = {}
        self._up: dict[Address, bool] = {}
        self._to_close: dict[Address, Record] = {}
        """by which view it is gone"""

    def judge(self, records: list[Record]) -> None:
        for record in records:
            match record.event:
                case ViewInstalled(members=members):
                    self._install(record, {member.address: True for member in members})
                case ReadmissionAsked():
                    self._view, self._in_view = None, {}
                case LinkUp(address):
                    self._up[address] = True
                    self._to_close.pop(address, None)
                case LinkDown(address):
                    self._up[address] = False
                    self._to_close.pop(address, None)
                case LinkClosed(address):
                    self._judge_closed(record, address)
                    self._up.pop(address, None)
                    self._to_close.pop(address, None)
                case _:
                    pass

    def judge_the_end(self, uuid: Uuid) -> None:
        for address, view in self._to_close.items():
            if has_owed(self._history, uuid, view.time):
                who, whom = self._history.names.process(view.node, uuid), self._history.names.place(address)
                self._findings.add(f"{who} does not close its link to {whom}, which is gone from its view.", [view])

    def _install(self, record: Record, there: dict[Address, bool]) -> None:
        before, self._view, self._in_view = self._in_view, record, there
        self._to_close = {each: by for each, by in self._to_close.items() if each not in there}
        gone = [each for each in before if each not in there and self._up.get(each)]
        self._to_close.update(dict.fromkeys(gone, record))

    def _judge_closed(self, record: Record, address: Address) -> None:
        if self._view is not None and address in self._in_view:
            who = self._history.names.process(record.node, record.incarnation)
            whom = self._history.names.place(address)
            self._findings.add(f"{who} closes its link to {whom}, which is in its view.", [self._view, record])
