"""The membership update process: only the master changes the member list, and every change raises its version.

From text 1.5. following.py has what a follower makes of a list."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.cluster.service.views import Membership
from shaketable.node.events import MemberRemoved, ViewPublished
from shaketable.node.messages import FinalizeJoin, Member, MemberList, MembersUpdate
from shaketable.node.why import Because, Why, because


class Updates:
    """The master's side."""

    def __init__(self, membership: Membership) -> None:
        self._membership = membership

    def add(self, joiners: Sequence[Member]) -> None:
        """One list with the joiners at its end, a version up for each; they get it as the end of their join."""
        ms = self._membership
        before = ms.others()
        version = ms.view.version + len(joiners)
        why = Why.SEVERAL_JOINED if len(joiners) > 1 else Why.JOINED
        self._install(version, (*ms.view.members, *joiners), because(why, _named(joiners)))
        for joiner in joiners:
            self.finalize(joiner)
        self._send(before, change=True)

    def finalize(self, joiner: Member) -> None:
        ms = self._membership
        ms.env.send(joiner.address, FinalizeJoin(ms.me, joiner.uuid, ms.view, ms.cluster_time()))

    def remove(self, members: Sequence[Member], reason: Because) -> None:
        """One new list without them; its version rises by their number."""
        ms = self._membership
        gone = [m for m in members if ms.is_member(m)]
        if not gone:
            return
        version = ms.view.version + len(gone)
        for member in gone:
            ms.env.report(MemberRemoved(member, version, *reason))
        leaving = {m.uuid: True for m in gone}
        staying = tuple(m for m in ms.view.members if m.uuid not in leaving)
        why = Why.SEVERAL_REMOVED if len(gone) > 1 else Why.REMOVED
        self._install(version, staying, because(why, _named(gone), reason))
        self.publish(change=True)

    def raise_version(self, version: int, reason: Because) -> None:
        """The same members, by a version that no list of those who are to merge into mine has reached."""
        self._install(version, self._membership.view.members, reason)
        self.publish(change=True)

    def publish(self, *, change: bool) -> None:
        """To all members: after each change, and periodically so that a member that missed a list catches up."""
        if self._membership.leads:
            self._send(self._membership.others(), change=change)

    def send_to(self, members: Sequence[Member]) -> None:
        """The present list once more, to some who seem to lack it."""
        self._send(members, change=False)

    def _install(self, version: int, members: tuple[Member, ...], reason: Because) -> None:
        ms = self._membership
        ms.install(MemberList(version, ms.me.uuid, members), reason)

    def _send(self, to: Sequence[Member], *, change: bool) -> None:
        ms = self._membership
        if not to:
            return
        ms.env.report(ViewPublished(ms.view.version, ms.view.author, ms.view.members, len(to), change))
        for member in to:
            ms.env.send(member.address, MembersUpdate(ms.me, member.uuid, ms.view))


def _named(members: Sequence[Member]) -> str:
    return ", ".join(member.address for member in members)
