"""Backups that are not migrated: the master writes them into its partition table, where they are to be.

Two of the old behaviours that text 3.0.1 names have this in common: only owners migrate, and a change of a backup is
written to the table directly. The new backup gets the data when its owner compares with it, which is anti-entropy."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.cluster.partition.control import Control
from shaketable.node.messages import Row, Uuid
from shaketable.node.why import Why, because

Wide = list[Uuid | None]


class UnmovedBackups(Control):
    def _plan(self, targets: list[Row]) -> None:
        for partition, (row, target) in enumerate(zip(self._state.table.rows, targets, strict=True)):
            width = max(len(row), len(target))
            wide: Wide = [*row, *[None] * (width - len(row))]
            aim: Wide = [*target, *[None] * (width - len(target))]
            table = self._state.table.with_rows({partition: tuple(self.directly(wide, aim))})
            after = table.rows[partition]
            if after != row:
                reason = because(Why.BACKUPS_BY_THE_TABLE)
                self._publishing.change(table, "committed", {partition: after}, (), reason)
        super()._plan(targets)

    @staticmethod
    def directly(row: Sequence[Uuid | None], target: Sequence[Uuid | None]) -> Wide:
        """The row with the backups that need no migration; both are of one length."""
        raise NotImplementedError
