"""Member suspicion and removal, explicit suspicion, and how a suspicion ends.

From text 1.6 to 1.8. When the failure detector of a member finds that another one may have failed: the master removes
it at once and publishes; a follower only marks it as suspected and keeps that to itself. A suspicion of a follower ends
by a heartbeat of it, that of the master also by a list from it; nothing from a member that stands before the present
master ends one, and while my own link to a member is lost its heartbeat does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shaketable.node.cluster.service.detector import FailureDetector
from shaketable.node.cluster.service.links import Links
from shaketable.node.cluster.service.mastership import Mastership
from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.env import Micros
from shaketable.node.events import ExplicitSuspicionReceived, ExplicitSuspicionSent, Suspected, SuspicionEnded
from shaketable.node.messages import ExplicitSuspicion, Identity, Member, Uuid
from shaketable.node.why import Because, Why, because


class Suspicion:
    def __init__(
        self,
        membership: Membership,
        *,
        links: Links,
        detector: FailureDetector,
        updates: Updates,
        mastership: Mastership,
    ) -> None:
        self._membership = membership
        self._links = links
        self._detector = detector
        self._updates = updates
        self._mastership = mastership

    def suspect(
        self, members: Sequence[Member], reason: Because, silences: Mapping[Uuid, Micros] | None = None
    ) -> None:
        """Others, for what they did or did not do: nobody asks this of itself."""
        ms = self._membership
        if not ms.joined:
            return
        found = [m for m in members if ms.is_member(m) and m.uuid not in ms.suspected]
        if not found:
            return
        for member in found:
            ms.env.report(Suspected(member, *reason, silences[member.uuid] if silences else None))
        if ms.leads:
            self._updates.remove(found, reason)
            return
        for member in found:
            ms.suspected[member.uuid] = reason.why
        ms.update_peers()
        # The follower's way goes on: is it time to claim the mastership, and does a claim wait for them in vain?
        self._mastership.newly_suspected(found)

    def heard_from(self, member: Member, what: Because) -> None:
        """A heartbeat, or the master's list: the suspicion of this member ends, unless something stands against it."""
        ms = self._membership
        if member.uuid not in ms.suspected or ms.stands_before_master(member) or self._links.is_lost(member.address):
            return
        self.end(member, what)

    def end(self, member: Member, reason: Because) -> None:
        ms = self._membership
        if ms.suspected.pop(member.uuid, None) is not None:
            ms.update_peers()
            ms.env.report(SuspicionEnded(member, *reason))
            # Perhaps by a list or a claim: its heartbeats then have the full time to arrive.
            self._detector.expect(member.uuid, ms.env.now())

    def explicitly_suspect(self, target: Identity, reason: Because) -> None:
        """ "Assume that I am dead and go your own way": `target` is the other as it described itself."""
        ms = self._membership
        if target.member.address != ms.me.address:
            ms.env.report(ExplicitSuspicionSent(target.member, *reason))
            ms.env.send(target.member.address, ExplicitSuspicion(ms.me, target))

    def on_explicit_suspicion(self, message: ExplicitSuspicion) -> None:
        ms = self._membership
        obeyed = False
        # As in the real system the address counts: a new identity there says that the one in my list is gone. There may
        # be no other way to know, since a node that was restarted asks the configured addresses alone to admit it.
        meant = [m for m in ms.view.members if m.address == message.sender.address]
        if not ms.joined:
            reason = because(Why.NO_MEMBER)
        elif not meant:
            reason = because(Why.NOBODY_OF_MY_LIST)
        elif message.target != ms.identity():
            reason = because(Why.AS_I_WAS)
        else:
            obeyed, reason = True, because(Why.AS_I_AM)
        ms.env.report(ExplicitSuspicionReceived(message.sender, obeyed, *reason))
        if obeyed:
            self.suspect(meant, because(Why.EXPLICIT))
