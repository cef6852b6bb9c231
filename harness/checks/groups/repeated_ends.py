"""Of the check "same notifications": a new master repeats the ends that its predecessor told of late, and no others.

The one before may have told only some members, and would have sent it again for `gms_resend_history`, had it not died
(rulings 5.9). So an end is repeated that somebody has taken within that time and the longest time without a master. It
is judged where no clock was set and no node was stopped since."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import UNDER_WAY, repeats
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import NotificationPublished, NotificationTaken
from shaketable.node.messages import Uuid


class RepeatedEnds:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._taken: dict[tuple[str, Uuid], list[Record[NotificationTaken]]] = {}
        """of each end, where it was taken"""
        for record in history.of(NotificationTaken):
            if record.event.peer is not None:
                self._taken.setdefault((record.event.change, record.event.peer.uuid), []).append(record)

    def judge(self) -> None:
        again = repeats(self._history)
        for record in self._history.of(NotificationPublished):
            if (record.event.version, record.incarnation) in again and record.event.peer is not None:
                self._judge(record, record.event.peer.uuid)

    def _judge(self, record: Record[NotificationPublished], peer: Uuid) -> None:
        before = [
            each
            for each in self._taken.get((record.event.change, peer), ())
            if (each.event.version, each.event.author) != (record.event.version, record.incarnation)
            and each.time <= record.time
        ]
        if not before or record.time - max(each.time for each in before) <= self._may_take(record):
            return
        last = max(before, key=lambda each: each.time)
        if any(self._all.stopped(each.node, last.time, record.time) for each in (*before, record)):
            return
        who = self._history.names.process(record.node, record.incarnation)
        whom = self._history.names.member(record.event.peer) if record.event.peer is not None else ""
        said = f"{who} repeats the {record.event.change} of {whom} {rounded(record.time - last.time)} after "
        late = self._all.late_between(record.incarnation, last.time, record.time)
        self._all.accuse(f"{said}it was taken last.", [last, record], late=late)

    def _may_take(self, record: Record[NotificationPublished]) -> Micros:
        own = self._all.bounds_of(record.node)
        members = len(record.event.members) + 1
        return own.settings.gms_resend_history + own.settings.longest_interregnum(members) + own.allowance + UNDER_WAY
