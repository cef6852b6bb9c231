"""Planted bugs: members that break one rule each, to show that the check of that rule catches them.

A check that no planted bug turns red proves nothing when it is green."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.sim.node import SimNode
from shaketable.node.config import Settings
from shaketable.node.events import ViewPublished
from shaketable.node.member import ClusterMember
from shaketable.node.messages import Address, Member, MemberList, MembersUpdate, Message


class AppliesAnyVersion(ClusterMember):
    """View order: a follower applies a list whether it is newer or not."""

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and message.sender == self.membership.master:
            if message.view != self.membership.view and self.me in message.view.members:
                self.membership.install(message.view, "any list of the master")
            return
        super().receive(message)


class ForgetsOneFollower(ClusterMember):
    """View agreement: the master never sends a list to its third member again, neither changed nor periodic."""

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and self.me.address.endswith(":5703"):
            return
        super().receive(message)


class AppliesListWithoutMe(ClusterMember):
    """View integrity: the master tells the removed one too, and that one installs the list that lacks it."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        remove = self.updates.remove

        def remove_and_tell(members: Sequence[Member], reason: str) -> None:
            remove(members, reason)
            for member in members:
                env.send(member.address, MembersUpdate(self.me, member.uuid, self.membership.view))

        self.suspicion.remove = remove_and_tell

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and self.me not in message.view.members:
            self.membership.install(message.view, "a list without me")
            return
        super().receive(message)


class ReusesVersion(ClusterMember):
    """One list a key: the master changes its list and keeps the version."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.suspicion.remove = self._remove

    def _remove(self, members: Sequence[Member], reason: str) -> None:
        ms = self.membership
        staying = tuple(m for m in ms.view.members if m not in members)
        ms.install(MemberList(ms.view.version, self.me.uuid, staying), reason)
        self.updates.publish(change=True)


class FollowerPublishes(ClusterMember):
    """Single authority: a follower that suspects another one publishes a list without it by itself."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        claim = self.suspicion.newly_suspected

        def publish_first(members: Sequence[Member]) -> None:
            ms = self.membership
            staying = tuple(m for m in ms.view.members if m not in members)
            env.report(ViewPublished(ms.view.version + 1, self.me.uuid, staying, len(staying) - 1, True))
            for member in staying:
                if member != self.me:
                    view = MemberList(ms.view.version + 1, self.me.uuid, staying)
                    env.send(member.address, MembersUpdate(self.me, member.uuid, view))
            claim(members)

        self.suspicion.newly_suspected = publish_first


class IgnoresNewMaster(ClusterMember):
    """Settled: who accepted a claim never takes the list that comes of it."""

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and message.view.author != self.membership.view.author:
            return
        super().receive(message)
