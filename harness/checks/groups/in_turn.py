"""Of the check "leadership agrees": one reign comes after another (text 5.2.2.1).

A member takes over from the master that it follows, and from no other one. A member that goes over to another master
without asking to be added goes over to a reign that begins later: so two masters of the same time do not take each
other's members."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import NEW_MASTER, UNDER_WAY, told
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import LeadershipTaken, MasterFollowed, NotificationPublished, ReadmissionAsked
from shaketable.node.messages import Member, Uuid

Following = tuple[Record, Member]
"""where a member begins to follow one, and whom"""


class InTurn:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._reigns: dict[Uuid, list[int]] = {}
        """with which notification each of a member's reigns begins"""
        for record in history.of(LeadershipTaken):
            self._reigns.setdefault(record.incarnation, []).append(record.event.version)

    def judge(self) -> None:
        kinds = MasterFollowed, ReadmissionAsked, LeadershipTaken, NotificationPublished
        for records in told(self._history, *kinds).values():
            followed: Following | None = None
            before: Following | None = None
            for record in records:
                match record.event:
                    case LeadershipTaken():
                        before = followed
                    case NotificationPublished(_, _, former, change) if change == NEW_MASTER and former is not None:
                        if before is not None and before[1] != former:
                            self._accuse_of_taking_over(record, former, *before)
                    case MasterFollowed(master):
                        if followed is not None:
                            self._judge(*followed, record, master)
                        followed = record, master
                    case ReadmissionAsked():
                        followed = None
                    case _:
                        pass

    def _accuse_of_taking_over(self, record: Record, former: Member, before: Record, followed: Member) -> None:
        names = self._history.names
        who = names.process(record.node, record.incarnation)
        said = f"{who} takes the place of {names.member(former)}, and follows {names.member(followed)}."
        self._all.findings.add(said, [before, record])

    def _judge(self, before: Record, former: Member, record: Record, master: Member) -> None:
        earlier, later = self._reigns.get(former.uuid), self._reigns.get(master.uuid)
        process = self._history.by_uuid.get(master.uuid)
        if process is None or (process.ended is not None and process.ended.time <= record.time + UNDER_WAY):
            return  # its last words may be lost
        if not earlier or not later or max(later) > min(earlier):
            return
        names = self._history.names
        who = names.process(record.node, record.incarnation)
        said = f"{who} goes over from {names.member(former)}, which leads from {min(earlier)} on, to "
        said += f"{names.member(master)}, which leads from {max(later)} on: its reign is no later one."
        self._all.findings.add(said, [before, record])
