"""Silent followers: who does not lead ignores a master that looks for other parts of its cluster.

Acts out of the text on split-brain recovery: "these non-master members simply ignore the split brain merge requests
since they assume that these merging cluster's master member also knows the master member of the cluster but it is not
true all the time." """

from __future__ import annotations

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.messages import MergeValidation, Message


class SilentFollowers(ClusterMember):
    def receive(self, message: Message) -> None:
        ms = self.membership
        if not isinstance(message, MergeValidation) or ms.master == self.me:
            super().receive(message)
