"""A missed removal: each removal is told once, and a list that comes later only adds members.

Acts out text 1.1.2: the removal goes unnoticed until a heartbeat timeout, and later updates may be rejected."""

from __future__ import annotations

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.events import ViewIgnored
from shaketable.node.messages import MembersUpdate, Message
from shaketable.node.why import Why, because


class MissedRemoval(ClusterMember):
    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and self._lacks_whom_nobody_removed(message):
            view, reason = message.view, because(Why.NOT_TOLD_OF_REMOVAL)
            self.env.report(ViewIgnored(view.version, view.author, message.sender, *reason))
            self.following.heard_from_master(message.sender)
        else:
            super().receive(message)

    def _lacks_whom_nobody_removed(self, update: MembersUpdate) -> bool:
        """Between my list and this newer one there was more than the removal of those whom it lacks."""
        ms, view = self.membership, update.view
        for_me = update.sender == ms.master and update.target == self.me.uuid and self.me in view.members
        lacking = [m for m in ms.view.members if m not in view.members]
        return ms.joined and for_me and bool(lacking) and view.version > ms.view.version + len(lacking)
