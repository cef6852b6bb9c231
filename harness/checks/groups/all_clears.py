"""Of the check "suspected first": a member that is told that a suspect lives suspects it no longer.

A health message may be lost and is not repaired (rulings 5.9). So the check judges only where it must have come: to a
member that follows the teller since before it heard of the doubt. Nothing touched them or the link between, and the
teller knew of no trouble with it. No datagrams carry such messages."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import SUSPECTED, UNDER_WAY, told
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.config import NO_UDP
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    HealthAnnouncedToAll,
    Leaving,
    MasterFollowed,
    NotificationTaken,
    ReadmissionAsked,
    Signalled,
)
from shaketable.node.messages import Member


class AllClears:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._links = OwnLinks(history)
        kinds = Signalled, MasterFollowed, ReadmissionAsked, NotificationTaken, Leaving
        self._records = told(history, *kinds)

    def judge(self) -> None:
        for record in self._history.of(HealthAnnouncedToAll):
            teller = self._history.by_uuid.get(record.incarnation)
            view = installed(teller, record.time - UNDER_WAY) if teller is not None else None
            if record.event.state != "alive" or teller is None or view is None:
                continue
            for member in view.view.members:
                listener = self._history.by_uuid.get(member.uuid)
                if listener is not None and member.uuid not in (record.incarnation, record.event.peer.uuid):
                    self._judge_listener(record, record.event.peer, teller, listener)

    def _judge_listener(self, alive: Record, peer: Member, teller: Process, listener: Process) -> None:
        due = alive.time + UNDER_WAY + self._all.bounds_of(listener.node).allowance
        records = self._records.get(listener.uuid, ())
        doubt = self._doubt(records, peer, teller, alive.time)
        if doubt is None or due > self._history.end or (listener.ended is not None and listener.ended.time <= due):
            return
        if any(_ends(each, peer) for each in records if each.sequence > doubt.sequence and each.time <= due):
            return
        if any(self._all.settings_of(node).gms_udp != NO_UDP for node in (teller.node, listener.node)):
            return
        both, link = (teller.node, listener.node), f"{teller.node}->{listener.node}"
        if self._all.touched(alive.time - UNDER_WAY, due, nodes=both, links=(link,)):
            return
        assert listener.member is not None
        if not self._links.held(teller.uuid, listener.member.address, alive.time - UNDER_WAY, due):
            return
        names = self._history.names
        who, whom = self._history.name(listener), names.member(peer)
        said = f"{who} suspects {whom} still, though {self._history.name(teller)} has told all that it is alive."
        late = self._all.late_between(listener.uuid, alive.time, due)
        self._all.accuse(said, [doubt, alive], late=late)

    def _doubt(self, records: Sequence[Record], peer: Member, teller: Process, time: Micros) -> Record | None:
        """Its application was told of it while it followed the teller, which it has done all the time since."""
        follows, doubt = False, None
        for record in records:
            if record.time > time:
                break
            match record.event:
                case MasterFollowed(master):
                    follows, doubt = master.uuid == teller.uuid, None
                case Signalled(signal, whom) if whom == peer and signal == SUSPECTED:
                    doubt = record if follows else None
                case _ if _ends(record, peer):
                    doubt = None
        return doubt


def _ends(record: Record, peer: Member) -> bool:
    """The suspicion; or what a member knows of the suspect has become another matter."""
    match record.event:
        case Signalled(signal, whom):
            return whom == peer and signal != SUSPECTED
        case NotificationTaken(_, _, whom):
            return whom is not None and whom.address == peer.address
        case _:
            return True
