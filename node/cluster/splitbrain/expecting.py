"""The members of another part that a part has told to come, and that may be on their way.

From rulings 4.7: meanwhile the part goes over to nobody itself."""

from __future__ import annotations

from shaketable.node.cluster.service.views import Membership
from shaketable.node.cluster.splitbrain.keeping import kept
from shaketable.node.core.env import Micros
from shaketable.node.messages import MemberList, Uuid


class Expecting:
    def __init__(self, membership: Membership) -> None:
        self._membership = membership
        self.until: Micros = 0
        """so long I keep myself for those that I have told to come"""
        self._coming: dict[Uuid, tuple[Uuid, Micros]] = {}
        """of the parts that I have told to come each member, with its master, and until when it may be on its way"""

    @property
    def somebody(self) -> bool:
        """Members of another part may be on their way to me."""
        return self._membership.env.now() < self.until

    def may_come(self, part: MemberList) -> bool:
        """It is what is left of a part that I have told to come: others of that one may still be on their way to me. As
        long as the same master leads it, that has sent nobody."""
        now, leads = self._membership.env.now(), part.members[0].uuid
        told = [self._coming[member.uuid] for member in part.members if member.uuid in self._coming]
        return any(master != leads and now < until for master, until in told)

    def expect(self, part: MemberList) -> None:
        ms = self._membership
        now = ms.env.now()
        self.until = now + kept(ms.settings)
        # Their master sends them within that time; then each asks me to be admitted.
        until = self.until + ms.settings.max_join_merge_target
        self._coming = {uuid: told for uuid, told in self._coming.items() if now < told[1]}
        self._coming |= {member.uuid: (part.members[0].uuid, until) for member in part.members}
