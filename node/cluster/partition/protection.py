"""Split-brain protection: a map that too few members share takes no reads, no writes, or neither.

From rulings 4.10: on the smaller side of a split a write that a merge might lose is refused before anything is applied,
so that nobody takes it for done. Data members count, by this member's list."""

from __future__ import annotations

from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.messages import Does
from shaketable.node.why import Because, Why, because


class Protection:
    def __init__(self, state: PartitionState) -> None:
        self._membership = state.membership
        self._protected = state.settings.protected

    def refuses(self, name: str, does: Does) -> Because | None:
        """Why; None if it does not."""
        protected = self._protected.get(name)
        if protected is None or not (protected.reads if does == "get" else protected.writes):
            return None
        members = sum(not member.lite for member in self._membership.view.members)
        if members >= protected.least:
            return None
        what = "reads" if does == "get" else "writes"
        return because(Why.TOO_FEW_MEMBERS, what, name, protected.least, members)
