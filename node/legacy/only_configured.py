"""Only configured: a master looks for other parts of its cluster where its configuration says, and nowhere else.

Acts out text 4.1.1: if the master of the larger part is not among the configured addresses of the smaller part's
master, the merge never begins."""

from __future__ import annotations

from collections.abc import Iterable

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.service.addresses import JoinAddresses
from shaketable.node.messages import Member


class RemembersNoMembers(JoinAddresses):
    def members_changed(self, added: Iterable[Member], removed: Iterable[Member]) -> None:
        """Nobody's address is kept, neither of a member nor of a former one."""


class OnlyConfigured(ClusterMember):
    join_addresses = RemembersNoMembers
