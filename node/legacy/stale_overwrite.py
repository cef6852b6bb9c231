"""A stale overwrite: who claims the mastership makes its final list of the members that it knew before.

Acts out of the text on cluster service consistency: "When master changes, if new master doesn't know the latest member
list at that point, then it will overwrite the most recent member list with its stale version and members which are not
present in new master's member list have to split completely and merge back later." """

from __future__ import annotations

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.service.mastership import Mastership
from shaketable.node.messages import MemberList


class OwnListOnly(Mastership):
    """Asks those whom it knows, and heeds of their lists no more than the version, which it has to surpass."""

    def _finish_if_all_answered(self) -> None:
        own = self._membership.view
        self._working = MemberList(self._working.version, own.author, own.members)
        super()._finish_if_all_answered()


class StaleOverwrite(ClusterMember):
    claims = OwnListOnly
