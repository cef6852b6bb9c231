"""Of the check "group detection": a member that is heard while it is probed is not missed.

It is suspected KP after its last heartbeat, and not sooner. So a probe that waits for an answer in vain is no failure
if a heartbeat has come since it began. It is judged where the suspect sends its heartbeats to the member that probes
it, and both were well for the last period, and the way of the heartbeats too. In a ring with inferred heartbeats it is
two: there another message, which has come sooner, may stand for one.

Any word of its master is as good to a member as a heartbeat (rulings 5.3). That one has come is seen by what it began:
so nothing more is asked. The same holds while a member tells others of the silent master in vain, before it doubts it
itself."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import UNDER_WAY, targets_throughout, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.config import INFERRED
from shaketable.node.core.env import Micros
from shaketable.node.events import HeartbeatTargets, ProbeFailed, Suspected, SuspicionEnded
from shaketable.node.messages import Uuid
from shaketable.node.why import Why


class HeardMeanwhile:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._targets = told(history, HeartbeatTargets)
        self._links = OwnLinks(history)
        self._failed = told(history, ProbeFailed)
        self._trusted = told(history, SuspicionEnded)

    def judge(self) -> None:
        for suspected in self._history.of(Suspected):
            if suspected.event.silence is not None and suspected.time <= self._history.end:
                self._judge_doubt(suspected)
        for record in self._history.of(ProbeFailed):
            own = self._all.bounds_of(record.node)
            periods = 2 if own.settings.gms_detection == INFERRED else 1
            begin = record.time - periods * own.settings.gms_heartbeat_period - UNDER_WAY - own.allowance
            mine, peer = (self._history.by_uuid.get(uuid) for uuid in (record.incarnation, record.event.peer.uuid))
            if record.event.why is not Why.NO_ANSWER or own.settings.swims or record.time > self._history.end:
                continue
            self._judge_word(record, own.settings.gms_probe_timeout)
            if begin < record.time - own.settings.gms_probe_timeout or mine is None or peer is None:
                continue
            if self._sends(peer, mine, begin, record.time) and self._are_well(mine, peer, begin, record.time):
                late = any(self._all.late_between(each.uuid, begin, record.time) for each in (mine, peer))
                said = (
                    f"{self._history.name(mine)} misses {self._history.name(peer)}, whose heartbeats have come again "
                )
                self._all.accuse(f"{said}for {rounded(record.time - begin)}.", [record], late=late)

    def _judge_word(self, record: Record[ProbeFailed], lasts: Micros) -> None:
        """Something that its master sent has begun a step of its own since the probe did."""
        peer, who = record.event.peer, record.incarnation
        if self._steady.master_of(who, record.time)[0] != peer.uuid:
            return
        begin, end = record.time - lasts + UNDER_WAY, record.time - UNDER_WAY
        if self._all.stopped(record.node, begin, end):
            return
        word = self._word(who, peer.uuid, begin, end)
        if word is not None:
            self._accuse(record, word, "misses", "while it was probed", begin)

    def _judge_doubt(self, record: Record[Suspected]) -> None:
        """A member that was trusted before is doubted after another question."""
        peer, who = record.event.peer, record.incarnation
        if self._steady.master_of(who, record.time)[0] != peer.uuid or self._all.settings_of(record.node).swims:
            return
        failed = [r for r in self._failed.get(who, ()) if r.event.peer == peer and r.time <= record.time]
        if not failed or any(r.event.peer == peer and r.time <= record.time for r in self._trusted.get(who, ())):
            return
        begin, end = failed[-1].time + 1, record.time - 1
        word = self._word(who, peer.uuid, begin, end)
        if word is not None and not self._all.stopped(record.node, begin, end):
            self._accuse(record, word, "suspects", "since its probe failed", begin)

    def _word(self, who: Uuid, of: Uuid, begin: Micros, end: Micros) -> Record | None:
        """A record of a step that began with something of that one's."""
        records = self._history.records
        for each in records[bisect_left(records, begin, key=_time) : bisect_right(records, end, key=_time)]:
            if each.incarnation == who and each.cause is not None and each.cause.sender == of:
                return each
        return None

    def _accuse(
        self, record: Record[ProbeFailed] | Record[Suspected], word: Record, what: str, when: str, begin: Micros
    ) -> None:
        late = self._all.late_between(record.incarnation, begin, record.time)
        said = f"{self._history.names.process(record.node, record.incarnation)} {what} its master "
        said += f"{self._history.names.member(record.event.peer)}, of which something has come {when}."
        self._all.accuse(said, [word, record], late=late)

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


def _time(record: Record) -> Micros:
    return record.time
