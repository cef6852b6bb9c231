"""Of the check "group detection": a master that shuts down says how long it has heard nothing of each member.

So its successor knows how long a member has been silent (text 5.2.2.2). That silence cannot have begun while the
member's heartbeats came to the former master. It is judged where the former master watched the member until something
befell one of the two, or the link between them."""

from __future__ import annotations

from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import UNDER_WAY, targets_throughout, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import HeartbeatTargets, LeadershipTaken, ProbeFailed
from shaketable.node.messages import Address
from shaketable.node.why import Why


class HandedSilences:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._targets = told(history, HeartbeatTargets)
        self._missed = told(history, ProbeFailed)
        self._links = OwnLinks(history)

    def judge(self) -> None:
        for record in self._history.of(LeadershipTaken):
            former = self._history.by_uuid.get(self._steady.master_of(record.incarnation, record.time - 1)[0])
            if record.event.why is not Why.MASTER_SHUTS_DOWN or former is None:
                continue
            own = self._all.bounds_of(record.node)
            until = record.time + own.settings.gms_heartbeat_period + own.settings.gms_probe_timeout + own.allowance
            for missed in self._missed.get(record.incarnation, ()):
                peer, silence = self._history.by_uuid.get(missed.event.peer.uuid), missed.event.silence
                if record.time < missed.time <= until and peer is not None and silence is not None:
                    self._judge(record, missed, former, peer, missed.time - silence)

    def _judge(
        self, record: Record, missed: Record[ProbeFailed], former: Process, peer: Process, begin: Micros
    ) -> None:
        own = self._all.bounds_of(peer.node)
        until = self._undisturbed_until(record, former, peer, begin)
        heard = until - 2 * own.settings.gms_heartbeat_period - UNDER_WAY - own.allowance
        if begin >= heard or not self._came_to(former, peer, heard, until):
            return
        three = former.uuid, peer.uuid, missed.incarnation
        late = any(self._all.late_between(uuid, heard, missed.time) for uuid in three)
        who, whom = self._history.names.process(missed.node, missed.incarnation), self._history.name(peer)
        said = f"{who} says that {whom} has been silent for {rounded(missed.time - begin)}, and heartbeats of that one "
        said += f"came to {self._history.name(former)}, which led before it, until {rounded(missed.time - heard)} ago."
        self._all.accuse(said, [record, missed], late=late)

    def _undisturbed_until(self, record: Record, former: Process, peer: Process, begin: Micros) -> Micros:
        nodes, links = (former.node, peer.node), (f"{peer.node}->{former.node}",)
        times = [span.begin for span in self._all.spans if span.end >= begin and span.touches(nodes, links)]
        ended = peer.ended.time if peer.ended is not None else record.time
        return min(record.time, ended, *times)

    def _came_to(self, former: Process, peer: Process, begin: Micros, end: Micros) -> bool:
        """Its heartbeats: each of the two says so, all this time."""
        assert former.member is not None
        assert peer.member is not None
        if not self._steady.goes_on(former, begin, end - 1) or not self._steady.goes_on(peer, begin, end - 1):
            return False
        if not self._links.held(peer.uuid, former.member.address, begin, end - 1):
            return False
        sent, watched = (self._lists(each, begin, end - 1) for each in (peer, former))
        return former.member.address in sent[0] and peer.member.address in watched[1]

    def _lists(self, who: Process, begin: Micros, end: Micros) -> tuple[tuple[Address, ...], tuple[Address, ...]]:
        targets = targets_throughout(self._targets.get(who.uuid, ()), begin, end)
        return (tuple(targets.to), tuple(targets.watched)) if targets is not None else ((), ())
