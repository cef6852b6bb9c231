"""Members that claim the mastership, or agree to a claim, otherwise than they should: small worlds must show it."""

from __future__ import annotations

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.service.mastership import Mastership


class _LooksOnce(Mastership):
    def _ask_the_unasked(self) -> None:
        if not self._asked:
            super()._ask_the_unasked()


class LooksOnce(ClusterMember):
    """The candidate asks all that its own list names. It does not look again for those that only an answer names."""

    claims = _LooksOnce


class _LearnsNothing(Mastership):
    def _learn(self, view: object) -> None:
        pass


class LearnsNothing(ClusterMember):
    """The candidate publishes its own list, whatever newer one it has been told."""

    claims = _LearnsNothing
