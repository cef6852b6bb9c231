"""Cleared backups: an old backup clears its data, and nobody asks whether the new one has them.

Acts out text 3.0.2: when a backup changes the old one clears its data without asking whether the new one has them."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.partitions import Partitions
from shaketable.node.legacy.unmoved_backups import UnmovedBackups, Wide
from shaketable.node.messages import Uuid


class ReplacesBackups(UnmovedBackups):
    @staticmethod
    def directly(row: Sequence[Uuid | None], target: Sequence[Uuid | None]) -> Wide:
        """Where one backup is to follow another. The owner, if it is to be a backup, migrates."""
        replaced = [
            index > 0 and old is not None and new is not None and old != new
            for index, (old, new) in enumerate(zip(row, target, strict=True))
        ]
        placed = [new for new, here in zip(target, replaced, strict=True) if here and new != row[0]]
        return [
            (new if new in placed else None) if here else (old if old not in placed else None)
            for old, new, here in zip(row, target, replaced, strict=True)
        ]


class InTheTableAlone(Partitions):
    control_loop = ReplacesBackups


class ClearedBackups(ClusterMember):
    partition_service = InTheTableAlone
