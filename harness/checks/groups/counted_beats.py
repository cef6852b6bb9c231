"""Of the check "message cost": heartbeats leave in each period (text 5.2.2).

A member counts them, and says so every `gms_max_missed` periods. It is judged while it has the same members to send
them to, where nobody stopped it. Under SWIM pings are counted instead, and a slow member pings less often."""

from __future__ import annotations

from typing import Final

from shaketable.harness.checks.groups.reading import UNDER_WAY, told
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record, tells
from shaketable.node.core.env import Micros
from shaketable.node.events import HeartbeatsCounted, HeartbeatTargets, Leaving, MasterFollowed, ReadmissionAsked

KINDS: Final = (HeartbeatsCounted, HeartbeatTargets, Leaving, MasterFollowed, ReadmissionAsked)


class CountedBeats:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances

    def judge(self) -> None:
        for records in told(self._history, *KINDS).values():
            sends = False
            for number, record in enumerate(records):
                if tells(record, HeartbeatTargets):
                    sends = bool(record.event.to)
                elif not tells(record, HeartbeatsCounted):
                    sends = sends and not tells(record, ReadmissionAsked)
                if sends:
                    self._judge(record, records[number + 1].time if number + 1 < len(records) else None)

    def _judge(self, record: Record, following: Micros | None) -> None:
        """Nothing follows in the time in which it counts."""
        own, process = self._all.bounds_of(record.node), self._history.by_uuid.get(record.incarnation)
        wait = own.settings.detection_window + own.settings.gms_heartbeat_period
        due = record.time + wait + UNDER_WAY + own.allowance
        if own.settings.swims or due > self._history.end or (following is not None and following <= due):
            return
        if process is None or (process.ended is not None and process.ended.time <= due):
            return
        if self._all.stopped(record.node, record.time, due):
            return
        late = self._all.late_between(record.incarnation, record.time, due)
        said = f"{self._history.name(process)} has members to send heartbeats to, and counts none for "
        self._all.accuse(f"{said}{rounded(due - record.time)}.", [record], late=late)
