"""Whether everything is in place, as far as this member knows: what a rolling restart waits for.

Safe is: the table is there and no search for it is on, each partition has an owner and as many backups as members
allow, nothing migrates here, the master has nothing on its queue, and each backup of mine holds what I hold."""

from __future__ import annotations

from shaketable.node.cluster.partition.antientropy import AntiEntropy
from shaketable.node.cluster.partition.control import Control
from shaketable.node.cluster.partition.merging import Bringing
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.table import Table
from shaketable.node.events import SafetyChanged
from shaketable.node.messages import MOST_REPLICAS, Member
from shaketable.node.why import Because, Why, because, or_nothing


class Safety:
    def __init__(
        self, state: PartitionState, *, control: Control, antientropy: AntiEntropy, bringing: Bringing
    ) -> None:
        self._state = state
        self._control = control
        self._antientropy = antientropy
        self._bringing = bringing
        self._groups = state.settings.groups
        self._told: tuple[bool, Because | None] | None = None
        self._complete: tuple[Table, tuple[Member, ...]] | None = None
        """the last table that was found to have all replicas, and the members whom it was for"""

    def look(self) -> None:
        """Tells of a change. A member that has never had a table has nothing to tell."""
        if self._told is None and self._state.table.version == 0:
            return
        why_not = self.why_not()
        told = why_not is None, why_not
        if told != self._told:
            self._told = told
            self._state.env.report(SafetyChanged(why_not is None, *or_nothing(why_not)))

    def why_not(self) -> Because | None:
        state, ms = self._state, self._state.membership
        if not ms.joined:
            return because(Why.NO_MEMBER)
        if state.searching:
            return because(Why.SEARCHING)
        if state.table.version == 0:
            return because(Why.NO_TABLE)
        if not self._has_all_replicas():
            return because(Why.REPLICAS_MISSING)
        if state.promoting:
            return because(Why.ASKS_BACKUPS)
        if state.active:
            return because(Why.MIGRATES_HERE)
        if ms.leads and not self._control.idle:
            return because(Why.MIGRATIONS_WAIT)
        if self._antientropy.doubts:
            return because(Why.BACKUPS_IN_DOUBT)
        if self._bringing.to_bring:
            return because(Why.MERGE_ON_ITS_WAY)
        return None

    def _has_all_replicas(self) -> bool:
        """Each partition as many as there are data members, or groups of them, at most seven; all of them members."""
        state, ms = self._state, self._state.membership
        table = state.table
        if self._complete is not None and self._complete[0] is table and self._complete[1] == ms.view.members:
            return True
        data = ms.data_members()
        many = len({self._groups.get(m.address, m.uuid) for m in data}) if self._groups else len(data)
        wanted = min(many, MOST_REPLICAS)
        if not wanted:
            return False  # lite members alone own nothing
        if sum(table.held().values()) < wanted * len(table.rows):
            return False
        full = all(len(row) == wanted and None not in row for row in table.rows)
        if not full or not all(uuid in ms.known for uuid in table.held()):
            return False
        self._complete = table, ms.view.members
        return True
