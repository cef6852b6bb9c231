"""Cleared backups: an old backup clears its data, and nobody asks whether the new one has them.

Acts out of the text on avoiding data loss on migration: "When backup of a partition changes, old backup owner just
clears its data without checking if the new backup owner has received the backup data or not which means that available
data copy count is being decreased during migrations." """

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.legacy.unmoved_backups import UnmovedBackups, Wide
from shaketable.node.member import ClusterMember
from shaketable.node.messages import Uuid
from shaketable.node.partitions import Partitions


class ReplacesBackups(UnmovedBackups):
    def _directly(self, row: Sequence[Uuid | None], target: Sequence[Uuid | None]) -> Wide:
        """Where one backup is to follow another. The owner, if it is to be a backup, migrates."""
        after = list(row)
        for index, (old, new) in enumerate(zip(row, target, strict=True)):
            if index and old is not None and new is not None and old != new:
                after[index] = new if new != row[0] else None
        return after


class InTheTableAlone(Partitions):
    control_loop = ReplacesBackups


class ClearedBackups(ClusterMember):
    partition_service = InTheTableAlone
