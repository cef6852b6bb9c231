"""Of the check "group detection": a member that is heard while it is probed is not missed.

It is suspected KP after its last heartbeat, and not sooner. So a probe that waits for an answer in vain is no failure
if a heartbeat has come since it began. It is judged where the suspect sends its heartbeats to the member that probes
it, and both were well for the last two periods, and the way of the heartbeats too."""

from __future__ import annotations

from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import UNDER_WAY, targets_throughout, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.node.core.env import Micros
from shaketable.node.events import HeartbeatTargets, ProbeFailed
from shaketable.node.why import Why


class HeardMeanwhile:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._targets = told(history, HeartbeatTargets)
        self._links = OwnLinks(history)

    def judge(self) -> None:
        for record in self._history.of(ProbeFailed):
            own = self._all.bounds_of(record.node)
            begin = record.time - 2 * own.settings.gms_heartbeat_period - UNDER_WAY - own.allowance
            mine, peer = (self._history.by_uuid.get(uuid) for uuid in (record.incarnation, record.event.peer.uuid))
            if record.event.why is not Why.NO_ANSWER or own.settings.swims or record.time > self._history.end:
                continue
            if begin < record.time - own.settings.gms_probe_timeout or mine is None or peer is None:
                continue
            if self._sends(peer, mine, begin, record.time) and self._are_well(mine, peer, begin, record.time):
                late = any(self._all.late_between(each.uuid, begin, record.time) for each in (mine, peer))
                said = (
                    f"{self._history.name(mine)} misses {self._history.name(peer)}, whose heartbeats have come again "
                )
                self._all.accuse(f"{said}for {rounded(record.time - begin)}.", [record], late=late)

    def _sends(self, peer: Process, mine: Process, begin: Micros, end: Micros) -> bool:
        """Each of the two says so, all the time."""
        assert mine.member is not None
        assert peer.member is not None
        for who, whom, to in ((peer, mine.member.address, True), (mine, peer.member.address, False)):
            targets = targets_throughout(self._targets.get(who.uuid, ()), begin, end)
            if targets is None or whom not in (targets.to if to else targets.watched):
                return False
        return True

    def _are_well(self, mine: Process, peer: Process, begin: Micros, end: Micros) -> bool:
        assert mine.member is not None
        if not all(self._steady.goes_on(each, begin, end) for each in (mine, peer)):
            return False
        if not self._links.held(peer.uuid, mine.member.address, begin, end):
            return False
        return not self._all.touched(begin, end, nodes=(mine.node, peer.node), links=(f"{peer.node}->{mine.node}",))
