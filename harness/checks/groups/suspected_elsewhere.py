"""Of the check "suspected first" (S3): a member that its master told FAILURE was told FAILURE_SUSPECTED before.

A doubt is told by a health message, which may be lost and is not repaired (rulings 5.9). So the check judges only where
it must have come. The teller had announced the doubt to a member that followed it from then until the failure came.
Each had the other in its view, and that member had the suspect in its view. Nothing touched them or the link between,
and the teller knew of no trouble with it. No datagrams carry such messages."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import FAILED, NO_LONGER_SUSPECTED, SUSPECTED, UNDER_WAY, told
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.config import NO_UDP
from shaketable.node.core.env import Micros
from shaketable.node.events import HealthAnnouncedToAll, MasterFollowed, ReadmissionAsked, Signalled
from shaketable.node.messages import Member, Uuid


class Elsewhere:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self.judged = 0
        self.all = Circumstances(history, bounds)
        self._history = history
        self._links = OwnLinks(history)
        self._announced = told(history, HealthAnnouncedToAll)

    def judge(self) -> None:
        for uuid, records in told(self._history, Signalled, MasterFollowed, ReadmissionAsked).items():
            followed: Record | None = None
            doubts: dict[Uuid, Record] = {}
            for record in records:
                match record.event:
                    case MasterFollowed() | ReadmissionAsked():
                        followed = record
                    case Signalled(signal, peer) if signal in (SUSPECTED, NO_LONGER_SUSPECTED):
                        doubts[peer.uuid] = record
                    case Signalled(signal, peer, _, author) if signal == FAILED and author != uuid:
                        self._judge_failure(record, peer, author, followed, doubts.get(peer.uuid))

    def _judge_failure(
        self, failed: Record, peer: Member, author: Uuid, followed: Record | None, before: Record | None
    ) -> None:
        doubt = _last(self._announced.get(author, ()), peer, failed.time)
        if doubt is None or followed is None or not self._must_have_come(doubt, failed, peer, author, followed):
            return
        self.judged += 1
        last = before.event if before is not None else None
        if isinstance(last, Signalled) and last.signal == SUSPECTED:
            return
        names = self._history.names
        who, whom = names.process(failed.node, failed.incarnation), names.member(peer)
        said = f"{who} tells its application the failure of {whom}, and not before that it is suspected, which "
        late = self.all.late_between(failed.incarnation, doubt.time, failed.time)
        self.all.accuse(f"{said}{names.author(author)} had told it.", [doubt, failed], late=late)

    def _must_have_come(self, doubt: Record, failed: Record, peer: Member, author: Uuid, followed: Record) -> bool:
        history = self._history
        teller, listener = history.by_uuid.get(author), history.by_uuid.get(failed.incarnation)
        event = followed.event
        if teller is None or listener is None or not isinstance(event, MasterFollowed) or event.master.uuid != author:
            return False
        begin, end = doubt.time - UNDER_WAY, doubt.time + UNDER_WAY + self.all.bounds_of(failed.node).allowance
        if followed.time >= begin or failed.time <= end:
            return False
        mine, its = installed(listener, begin), installed(teller, begin)
        views = [[member.uuid for member in view.view.members] for view in (mine, its) if view is not None]
        if len(views) < 2 or not {author, peer.uuid} <= set(views[0]) or listener.uuid not in views[1]:
            return False
        assert listener.member is not None
        if not self._links.held(author, listener.member.address, begin, end):
            return False
        if any(self.all.settings_of(node).gms_udp != NO_UDP for node in (doubt.node, failed.node)):
            return False
        both, link = (doubt.node, failed.node), f"{doubt.node}->{failed.node}"
        return not self.all.touched(begin, failed.time, nodes=both, links=(link,))


def _last(announced: Sequence[Record], peer: Member, until: Micros) -> Record | None:
    """Where it told all for the last time that this one is in doubt, and nothing else of it since."""
    of_it = [
        record
        for record in announced
        if record.time <= until
        and isinstance(record.event, HealthAnnouncedToAll)
        and record.event.peer == peer
        and record.event.state in ("in doubt", "alive")
    ]
    last = of_it[-1] if of_it else None
    return last if last is not None and getattr(last.event, "state", "") == "in doubt" else None
