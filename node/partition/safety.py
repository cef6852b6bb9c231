"""Whether everything is in place, as far as this member knows: what a rolling restart waits for.

Safe is: the table is there and no search for it is on, each partition has an owner and as many backups as members
allow, nothing migrates here, the master has nothing on its queue, and each backup of mine holds what I hold."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.events import SafetyChanged
from shaketable.node.messages import MOST_REPLICAS
from shaketable.node.partition.state import PartitionState
from shaketable.node.partition.table import Table


class Safety:
    def __init__(
        self,
        state: PartitionState,
        master_idle: Callable[[], bool],
        doubts: Callable[[], int],
        to_bring: Callable[[], int],
    ) -> None:
        self._state = state
        self._master_idle = master_idle
        self._doubts = doubts
        self._to_bring = to_bring
        self._groups = state.settings.groups
        self._told: tuple[bool, str] | None = None
        self._complete: tuple[Table, int] | None = None
        """the last table that was found to have all replicas, and how many members it was for"""

    def look(self) -> None:
        """Tells of a change. Who has never had a table has nothing to tell."""
        if self._told is None and self._state.table.version == 0:
            return
        why_not = self.why_not()
        told = not why_not, why_not
        if told != self._told:
            self._told = told
            self._state.env.report(SafetyChanged(*told))

    def why_not(self) -> str:
        state, ms = self._state, self._state.membership
        if not ms.joined:
            return "I am no member"
        if state.searching:
            return "I look for the most recent partition table"
        if state.table.version == 0:
            return "there is no partition table"
        if not self._has_all_replicas():
            return "not all replicas are in place"
        if state.promoting:
            return "I ask backups for what I may lack"
        if state.active:
            return "a migration is under way here"
        if ms.leads and not self._master_idle():
            return "migrations are to be done"
        if self._doubts():
            return "not all backups are known to be as they should be"
        if self._to_bring():
            return "entries of a merge are on their way"
        return ""

    def _has_all_replicas(self) -> bool:
        """Each partition as many as there are data members, or groups of them, at most seven; all of them members."""
        state, ms = self._state, self._state.membership
        table = state.table
        data = ms.data_members()
        many = len({self._groups.get(m.address, m.uuid) for m in data}) if self._groups else len(data)
        if self._complete is not None and self._complete[0] is table and self._complete[1] == many:
            return True
        wanted = min(many, MOST_REPLICAS)
        if not wanted:
            return False  # lite members alone own nothing
        if sum(table.held().values()) < wanted * len(table.rows):
            return False
        full = all(len(row) == wanted and None not in row for row in table.rows)
        if not full or not all(uuid in ms.known for uuid in table.held()):
            return False
        self._complete = table, many
        return True
