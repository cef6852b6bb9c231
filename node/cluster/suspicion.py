"""Member suspicion and removal, explicit suspicion, and how a suspicion ends.

From the text on cluster service consistency. When the failure detector of a member finds that another one may have
failed: the master removes it at once and publishes; a follower only marks it as suspected and keeps that to itself.
A suspicion of a follower ends by a heartbeat of it, that of the master also by a list from it; nothing from a member
that stands before the present master ends one, and while my own link to a member is lost its heartbeat does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from shaketable.node.cluster.views import EXPLICIT, Membership
from shaketable.node.env import Micros
from shaketable.node.events import ExplicitSuspicionReceived, ExplicitSuspicionSent, Suspected, SuspicionEnded
from shaketable.node.messages import Address, ExplicitSuspicion, Identity, Member, Uuid


class Suspicion:
    def __init__(self, membership: Membership, link_lost: Callable[[Address], bool]) -> None:
        self._membership = membership
        self._link_lost = link_lost
        self.remove: Callable[[Sequence[Member], str], None] = lambda members, reason: None
        """the master's way: take them off the list"""
        self.newly_suspected: Callable[[Sequence[Member]], None] = lambda members: None
        """the follower's way goes on: is it time to claim mastership, and does a claim wait for them in vain?"""
        self.ended: Callable[[Member], None] = lambda member: None

    def suspect(self, members: Sequence[Member], reason: str, silences: Mapping[Uuid, Micros] | None = None) -> None:
        ms = self._membership
        if not ms.joined:
            return
        found = [m for m in members if ms.is_member(m) and m.uuid != ms.me.uuid and m.uuid not in ms.suspected]
        if not found:
            return
        for member in found:
            ms.env.report(Suspected(member, reason, silences[member.uuid] if silences else None))
        if ms.leads:
            self.remove(found, reason)
            return
        for member in found:
            ms.suspected[member.uuid] = reason
        ms.update_peers()
        self.newly_suspected(found)

    def heard_from(self, member: Member, what: str) -> None:
        """A heartbeat, or the master's list: the suspicion of this member ends, unless something stands against it."""
        ms = self._membership
        if member.uuid not in ms.suspected or ms.stands_before_master(member) or self._link_lost(member.address):
            return
        self.end(member, what)

    def end(self, member: Member, reason: str) -> None:
        ms = self._membership
        if ms.suspected.pop(member.uuid, None) is not None:
            ms.update_peers()
            ms.env.report(SuspicionEnded(member, reason))
            self.ended(member)

    def explicitly_suspect(self, target: Identity, reason: str) -> None:
        """ "Assume that I am dead and go your own way": `target` is the other as it described itself."""
        ms = self._membership
        if target.member.address != ms.me.address:
            ms.env.report(ExplicitSuspicionSent(target.member, reason))
            ms.env.send(target.member.address, ExplicitSuspicion(ms.me, target))

    def on_explicit_suspicion(self, message: ExplicitSuspicion) -> None:
        ms = self._membership
        obeyed = False
        # As in the real system the address counts: a new identity there says that the one in my list is gone. There may
        # be no other way to know, since a node that was restarted asks the configured addresses alone to admit it.
        meant = [m for m in ms.view.members if m.address == message.sender.address]
        if not ms.joined:
            reason = "I am no member"
        elif not meant:
            reason = "it comes from nobody in my list"
        elif message.target != ms.identity():
            reason = "it names me as I was"
        else:
            obeyed, reason = True, "it names me as I am"
        ms.env.report(ExplicitSuspicionReceived(message.sender, obeyed, reason))
        if obeyed:
            self.suspect(meant, EXPLICIT)
