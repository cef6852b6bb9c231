"""Of the check "joins in order": a member that is in a view says that it has joined, once in each stay of its own.

Until then it is "starting", and its application is not ready (rulings 5.7)."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import has_owed, told
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.records import Record, tells
from shaketable.node.events import Joined, ReadmissionAsked, ViewInstalled
from shaketable.node.messages import Uuid


class SaysItJoined:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances

    def judge(self) -> None:
        for uuid, records in told(self._history, ViewInstalled, ReadmissionAsked, Joined).items():
            first: Record | None = None
            joined: Record | None = None
            for record in records:
                if tells(record, ReadmissionAsked):
                    self._judge_stay(uuid, first, joined)
                    first = joined = None
                elif tells(record, Joined):
                    if joined is not None:
                        who = self._history.names.process(record.node, uuid)
                        self._all.findings.add(f"{who} says twice that it has joined.", [joined, record])
                    joined = record
                elif first is None:
                    first = record
            self._judge_stay(uuid, first, joined)

    def _judge_stay(self, uuid: Uuid, first: Record | None, joined: Record | None) -> None:
        if first is not None and joined is None and has_owed(self._history, uuid, first.time):
            who = self._history.names.process(first.node, uuid)
            self._all.findings.add(f"{who} is in a view, and does not say that it has joined.", [first])
