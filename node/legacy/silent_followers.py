"""Silent followers: who does not lead ignores a master that looks for other parts of its cluster.

Acts out text 4.1.2: followers assume that the asking master will find theirs by itself."""

from __future__ import annotations

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.messages import MergeValidation, Message


class SilentFollowers(ClusterMember):
    def receive(self, message: Message) -> None:
        ms = self.membership
        if not isinstance(message, MergeValidation) or ms.master == self.me:
            super().receive(message)
