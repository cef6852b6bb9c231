"""A stale overwrite: who claims the mastership makes its final list of the members that it knew before.

Acts out text 1.1.3: whom the new master's older list lacks has to split off and merge back later."""

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
