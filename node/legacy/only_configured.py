"""Only configured: a master looks for other parts of its cluster where its configuration says, and nowhere else.

Acts out of the text on split-brain recovery: "the master member performs its search by only using the member addresses
listed in its join config", so if the master of the bigger part "is not listed in this join configuration of the smaller
cluster master member, then member never discovers the master of the bigger cluster and the split-brain merge never
begins." """

from __future__ import annotations

from collections.abc import Iterable

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.service.addresses import JoinAddresses
from shaketable.node.messages import Member


class RemembersNoMembers(JoinAddresses):
    def members_changed(self, added: Iterable[Member], removed: Iterable[Member]) -> None:
        """Nobody's address is kept, neither of who is a member nor of who was one."""


class OnlyConfigured(ClusterMember):
    join_addresses = RemembersNoMembers
