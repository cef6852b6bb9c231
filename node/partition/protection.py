"""Split-brain protection: a map that too few members share takes no reads, no writes, or neither.

From the rulings on split-brain recovery (4.10): on the smaller side of a split a write that a merge might lose is
refused before anything is applied, so that nobody takes it for done. Data members count, by this member's list."""

from __future__ import annotations

from shaketable.node.messages import Does
from shaketable.node.partition.state import PartitionState


class Protection:
    def __init__(self, state: PartitionState) -> None:
        self._membership = state.membership
        self._protected = state.settings.protected

    def refuses(self, name: str, does: Does) -> str:
        """Why; "" if it does not."""
        protected = self._protected.get(name)
        if protected is None or not (protected.reads if does == "get" else protected.writes):
            return ""
        members = sum(not member.lite for member in self._membership.view.members)
        if members >= protected.least:
            return ""
        what = "reads" if does == "get" else "writes"
        return f"{what} of {name} take {protected.least} data members, and my list has {members}"
