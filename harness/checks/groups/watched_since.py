"""Of the check "group detection": a silence is no older than the watch over that member.

Where neighbours in a ring fail together, the next one takes over the watch (text 5.2.2.3.2). Nobody sent it heartbeats
before. So the silence of a member that it watches anew begins then, and that member has all its time to be heard. A
master that shuts down hands over what it has heard (handed_silences.py): its successor is not judged here. Nor is a
probe that may have begun before the watch."""

from __future__ import annotations

from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import UNDER_WAY, told
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record, tells
from shaketable.node.core.env import Micros
from shaketable.node.events import HeartbeatTargets, LeadershipTaken, ProbeFailed
from shaketable.node.messages import Address
from shaketable.node.why import Why


class WatchedSince:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._links = OwnLinks(history)

    def judge(self) -> None:
        for records in told(self._history, HeartbeatTargets, LeadershipTaken, ProbeFailed).values():
            watched: dict[Address, Record] = {}
            handed: Micros | None = None
            for record in records:
                if tells(record, HeartbeatTargets):
                    watched = {address: watched.get(address, record) for address in record.event.watched}
                elif tells(record, LeadershipTaken) and record.event.why is Why.MASTER_SHUTS_DOWN:
                    handed = record.time
                elif tells(record, ProbeFailed):
                    since = watched.get(record.event.peer.address)
                    if since is not None and (handed is None or handed < since.time - UNDER_WAY):
                        self._judge(record, since)

    def _judge(self, record: Record[ProbeFailed], since: Record) -> None:
        peer, silence, own = record.event.peer, record.event.silence, self._all.bounds_of(record.node)
        if silence is None or record.time - silence >= since.time - own.allowance:
            return
        if self._all.stopped(record.node, since.time, record.time) or not self._began_later(record, since.time):
            return
        who, whom = self._history.names.process(record.node, record.incarnation), self._history.names.member(peer)
        said = f"{who} cannot reach {whom} after {rounded(silence)} of silence, and has watched it for "
        self._all.accuse(f"{said}{rounded(record.time - since.time)} only.", [since, record], late=False)

    def _began_later(self, record: Record[ProbeFailed], since: Micros) -> bool:
        """This probe: by then any other one had ended, at the latest when the link was known to be down."""
        own = self._all.bounds_of(record.node)
        down = self._links.down_since(record.incarnation, record.event.peer.address, record.time)
        return (down is not None and down < since) or record.time - since > own.settings.gms_probe_timeout
