"""Leaving with data: a member stays until the master has moved its replicas.

From rulings 3.7: a member that leaves is given nothing any more, and what it holds is migrated away; then it is let go.
When all data members leave there is nobody to take over, and they are let go at once."""

from __future__ import annotations

from collections.abc import Iterable

from shaketable.node.cluster.partition.control import Control
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.under_way import MigrationsUnderWay
from shaketable.node.messages import Member
from shaketable.node.why import Why, because


class Leaving:
    def __init__(self, state: PartitionState, *, control: Control, under_way: MigrationsUnderWay) -> None:
        self._state = state
        self._control = control
        self._under_way = under_way

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
        if member.uuid not in state.leaving:
            state.leaving[member.uuid] = True
            if held or self._control.gives_to(member.uuid):
                self._control.begin(because(Why.IS_LEAVING, member.address))
        if state.searching:
            return False
        if all(m.uuid in state.leaving for m in ms.data_members()):
            return True
        # A destination may have committed what my table does not have yet, and own it.
        takes_part = self._under_way.takes_part(member.uuid) or (member.uuid == state.me and bool(state.active))
        return not held and not takes_part

    def members_changed(self, removed: Iterable[Member]) -> None:
        for member in removed:
            self._state.leaving.pop(member.uuid, None)
