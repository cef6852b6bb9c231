"""Unordered updates: a follower applies whatever list its master sends, newer or not.

Acts out text 1.1.1: the periodic list has no order with joins and removals, so members come to have different lists."""

from __future__ import annotations

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.messages import MembersUpdate, Message
from shaketable.node.why import Why, because


class UnorderedUpdates(ClusterMember):
    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and self._is_late(message):
            self.membership.install(message.view, because(Why.UPDATE_NEWER_OR_NOT))
            self.following.heard_from_master(message.sender)
        else:
            super().receive(message)

    def _is_late(self, update: MembersUpdate) -> bool:
        """The real member would ignore it for its version alone. The very list that it has changes nothing."""
        ms = self.membership
        for_me = update.sender == ms.master and update.target == self.me.uuid and self.me in update.view.members
        return ms.joined and for_me and update.view.version <= ms.view.version and update.view != ms.view
