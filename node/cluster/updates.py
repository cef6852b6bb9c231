"""The membership update process: only the master changes the member list, and every change raises its version.

From the text on cluster service consistency, "Membership Update Process". A follower applies a list only if its
version is greater; an equal or smaller one is ignored and reported. A list that comes from who is not my master is
answered with explicit suspicion; one that lacks me is refused (M3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shaketable.node.cluster.views import Membership
from shaketable.node.events import MemberRemoved, ViewIgnored, ViewPublished
from shaketable.node.messages import FinalizeJoin, Identity, Member, MemberList, MembersUpdate


class Updates:
    def __init__(
        self,
        membership: Membership,
        explicitly_suspect: Callable[[Identity, str], None],
        heard_from_master: Callable[[Member], None],
    ) -> None:
        self._membership = membership
        self._explicitly_suspect = explicitly_suspect
        self._heard_from_master = heard_from_master

    # The master's side

    def add(self, joiners: Sequence[Member], cluster_time: int) -> None:
        """One list with the joiners at its end, a version up for each; they get it as the end of their join."""
        ms = self._membership
        before = ms.others()
        version = ms.view.version + len(joiners)
        self._install(version, (*ms.view.members, *joiners), f"{', '.join(m.address for m in joiners)} joined")
        for joiner in joiners:
            self.finalize(joiner, cluster_time)
        self._send(before, change=True)

    def finalize(self, joiner: Member, cluster_time: int) -> None:
        ms = self._membership
        ms.env.send(joiner.address, FinalizeJoin(ms.me, joiner.uuid, ms.view, cluster_time))

    def remove(self, members: Sequence[Member], reason: str) -> None:
        """One new list without them; its version rises by their number."""
        ms = self._membership
        gone = [m for m in members if ms.is_member(m)]
        if not gone:
            return
        version = ms.view.version + len(gone)
        for member in gone:
            ms.env.report(MemberRemoved(member, version, reason))
        leaving = {m.uuid: True for m in gone}
        staying = tuple(m for m in ms.view.members if m.uuid not in leaving)
        self._install(version, staying, f"{', '.join(m.address for m in gone)} removed: {reason}")
        self.publish(change=True)

    def raise_version(self, version: int, reason: str) -> None:
        """The same members, by a version that no list of those who are to merge into mine has reached."""
        self._install(version, self._membership.view.members, f"version raised {reason}")
        self.publish(change=True)

    def publish(self, *, change: bool) -> None:
        """To all members: after each change, and periodically so that who missed a list catches up."""
        if self._membership.leads:
            self._send(self._membership.others(), change=change)

    def send_to(self, members: Sequence[Member]) -> None:
        """The present list once more, to some who seem to lack it."""
        self._send(members, change=False)

    def _install(self, version: int, members: tuple[Member, ...], reason: str) -> None:
        ms = self._membership
        ms.install(MemberList(version, ms.me.uuid, members), reason)

    def _send(self, to: Sequence[Member], *, change: bool) -> None:
        ms = self._membership
        if not to:
            return
        ms.env.report(ViewPublished(ms.view.version, ms.view.author, ms.view.members, len(to), change))
        for member in to:
            ms.env.send(member.address, MembersUpdate(ms.me, member.uuid, ms.view))

    # The follower's side

    def on_members_update(self, message: MembersUpdate) -> None:
        ms = self._membership
        sender, view = message.sender, message.view
        if not ms.joined:
            return
        if sender != ms.master:
            self._ignore(view, sender, "not from my master")
            if not ms.claiming:
                self._explicitly_suspect(
                    Identity(sender, sender.address, view.version), "a list from who is not my master"
                )
            return
        if message.target != ms.me.uuid or ms.me not in view.members:
            self._ignore(view, sender, "without me")
            return
        if view.version > ms.view.version:
            ms.install(view, "members update")
        else:
            self._ignore(view, sender, "not newer")
        self._heard_from_master(sender)

    def _ignore(self, view: MemberList, sender: Member, reason: str) -> None:
        self._membership.env.report(ViewIgnored(view.version, view.author, sender, reason))
