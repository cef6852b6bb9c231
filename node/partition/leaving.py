"""Leaving with data: a member stays until the master has moved its replicas.

From the rulings on leaving: who leaves is given nothing any more, and what it holds is migrated away; then it is let
go. When all data members leave there is nobody to take over, and they are let go at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from shaketable.node.messages import Member, Uuid
from shaketable.node.partition.state import PartitionState


class Leaving:
    def __init__(self, state: PartitionState, takes_part: Callable[[Uuid], bool]) -> None:
        """`takes_part`: a migration is under way in which this member sends the data, or gets them."""
        self._state = state
        self._takes_part = takes_part
        self.plan_afresh: Callable[[str], None] = lambda reason: None
        self._leaving: dict[Uuid, bool] = {}

    def is_leaving(self, uuid: Uuid) -> bool:
        return uuid in self._leaving

    def may_go(self, member: Member) -> bool:
        """Asked on the master, again and again, as long as that one wants to leave."""
        state, ms = self._state, self._state.membership
        if state.table.version == 0 and not state.searching:
            return True
        if not ms.leads:  # it is me, and I claim the mastership
            return False
        if not ms.is_member(member):
            return True  # it was let go, and did not hear of it
        held = state.table.held()[member.uuid]
        if member.uuid not in self._leaving:
            self._leaving[member.uuid] = True
            if held:
                self.plan_afresh(f"{member.address} is leaving")
        if state.searching:
            return False
        if all(m.uuid in self._leaving for m in ms.data_members()):
            return True
        # A destination may have committed what my table does not have yet, and own it.
        takes_part = self._takes_part(member.uuid) or (member.uuid == state.me and bool(state.active))
        return not held and not takes_part

    def members_changed(self, removed: Iterable[Member]) -> None:
        for member in removed:
            self._leaving.pop(member.uuid, None)
