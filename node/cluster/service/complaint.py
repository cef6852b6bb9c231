"""The complaint about a heartbeat from an unknown endpoint, and the trigger for third parties.

From text 1.7. A follower that gets a heartbeat of somebody whom it does not know complains to its master; the master,
who knows better, sends explicit suspicion to the complainer, to the one complained of, or to both. Where only one of
the two is in the wrong the other one is told to send it too (the text does not say so, the real system does it): it may
reach whom the master cannot. Where neither is, they lack its list."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.events import ComplaintReceived, ComplaintSent, TriggerReceived, TriggerSent
from shaketable.node.messages import HeartbeatComplaint, Identity, Member, TriggerExplicitSuspicion
from shaketable.node.why import Because, Why, because


class Complaints:
    def __init__(self, membership: Membership, *, suspicion: Suspicion, updates: Updates) -> None:
        self._membership = membership
        self._suspicion = suspicion
        self._updates = updates

    def complain(self, unknown: Identity) -> None:
        """The follower's side. A master that I suspect, or that I am to become myself, is not asked."""
        ms = self._membership
        master = ms.master
        if master is None or master is ms.me or master.uuid in ms.suspected:
            return
        ms.env.report(ComplaintSent(unknown.member))
        ms.env.send(master.address, HeartbeatComplaint(ms.me, ms.identity(), unknown))

    def on_heartbeat_complaint(self, message: HeartbeatComplaint) -> None:
        ms = self._membership
        complainer, complained_of = message.complainer, message.complained_of
        told_by, other = complainer.member, complained_of.member
        if not ms.leads:
            self._decide(message, because(Why.COMPLAINT_TO_NO_MASTER))
        elif message.sender != told_by or told_by == other or ms.me in (told_by, other):
            self._decide(message, because(Why.COMPLAINT_SENSELESS))
        elif self._follows_me(complainer) and self._follows_me(complained_of):
            self._decide(message, because(Why.BOTH_FOLLOW))
            self._updates.send_to([told_by, other])
        elif self._follows_me(complainer):
            self._decide(message, because(Why.COMPLAINED_OF_FOLLOWS_NOT))
            self._part_from(complained_of, [told_by])
        elif self._follows_me(complained_of):
            self._decide(message, because(Why.COMPLAINER_FOLLOWS_NOT))
            self._part_from(complainer, [other])
        else:
            self._decide(message, because(Why.NEITHER_FOLLOWS))
            for stranger in (complainer, complained_of):
                self._suspicion.explicitly_suspect(stranger, because(Why.COMPLAINT))

    def _follows_me(self, somebody: Identity) -> bool:
        ms = self._membership
        return ms.is_member(somebody.member) and somebody.master == ms.me.address

    def _decide(self, message: HeartbeatComplaint, decision: Because) -> None:
        report = self._membership.env.report
        report(ComplaintReceived(message.complainer.member, message.complained_of.member, *decision))

    def _part_from(self, stranger: Identity, also: Sequence[Member]) -> None:
        self._suspicion.explicitly_suspect(stranger, because(Why.COMPLAINT))
        self._trigger(stranger, also)

    # The trigger

    def trigger_all(self, stranger: Identity) -> None:
        """All other members are to tell this stranger what I tell it; nobody can who has its address now."""
        address = stranger.member.address
        self._trigger(stranger, [m for m in self._membership.others() if m.address != address])

    def _trigger(self, stranger: Identity, members: Sequence[Member]) -> None:
        ms = self._membership
        for member in members:
            ms.env.report(TriggerSent(member, stranger.member))
            ms.env.send(member.address, TriggerExplicitSuspicion(ms.me, ms.view.version, stranger))

    def on_trigger(self, message: TriggerExplicitSuspicion) -> None:
        """Obeyed only if it comes from my master, and my list is the one from which it was decided."""
        ms = self._membership
        obeyed = False
        if message.sender != ms.master:
            reason = because(Why.TRIGGER_OF_ANOTHER)
        elif message.version != ms.view.version:
            reason = because(Why.TRIGGER_OF_ANOTHER_VERSION)
        else:
            obeyed, reason = True, because(Why.TRIGGER_OF_MY_MASTER)
        ms.env.report(TriggerReceived(message.sender, message.third_party.member, obeyed, *reason))
        if obeyed:
            self._suspicion.explicitly_suspect(message.third_party, because(Why.MY_MASTER_ASKS))
