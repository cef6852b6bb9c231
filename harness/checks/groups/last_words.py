"""Of the check "group detection": a master's last words may come when it is already in doubt.

A candidate that knows that its link to the master is down doubts it at once, and a message may be on the way then. So
the master may be heard if it lived when it was doubted, or not longer than a message takes before. It may be heard
later if something made its messages late: on its link to the candidate, or on one of the two."""

from __future__ import annotations

from shaketable.harness.bounds.group import GroupBounds
from shaketable.harness.checks.groups.reading import UNDER_WAY
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.node.core.env import Micros
from shaketable.node.messages import Member


class LastWords:
    def __init__(self, circumstances: Circumstances) -> None:
        self._all = circumstances

    def may_come(self, master: Member, to: str, time: Micros, own: GroupBounds) -> bool:
        """To this node, after this time."""
        process = self._all.history.by_uuid.get(master.uuid)
        if process is None or process.ended is None or process.ended.time + UNDER_WAY + own.allowance > time:
            return True
        begin, end = process.ended.time - own.settings.detection_window, process.ended.time
        nodes, links = (process.node, to), (f"{process.node}->{to}",)
        return any(
            span.kind.shifts and span.touches(nodes, links) and span.begin <= end and span.end >= begin
            for span in self._all.spans
        )
