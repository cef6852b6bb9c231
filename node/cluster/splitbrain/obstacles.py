"""What stands against a merge at this member, whatever another part has answered: the gates of rulings 4.1."""

from __future__ import annotations

from shaketable.node.cluster.service.batches import JoinBatches
from shaketable.node.cluster.service.leave import Leave
from shaketable.node.cluster.service.views import Membership
from shaketable.node.cluster.splitbrain.expecting import Expecting
from shaketable.node.why import Because, Why, because


class Obstacles:
    def __init__(self, membership: Membership, *, batches: JoinBatches, leave: Leave, expecting: Expecting) -> None:
        self._membership = membership
        self._batches = batches
        self._leave = leave
        self._expecting = expecting

    def why_not(self) -> Because | None:
        """None: nothing does."""
        if not self._membership.leads:
            return because(Why.DOES_NOT_LEAD_OR_CLAIMS)
        if self._leave.wanted:
            return because(Why.ABOUT_TO_LEAVE)
        if self._batches.somebody_waits:
            return because(Why.SOMEBODY_JOINS)
        if self._expecting.somebody:
            return because(Why.THEY_COME)
        return None
