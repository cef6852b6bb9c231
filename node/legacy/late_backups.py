"""Late backups: an index that has lost its backup is refilled by anti-entropy alone.

Acts out text 3.0.1 and 3.3: backups do not migrate, so for a while there are fewer copies, and a crash then loses data
(Hazelcast's issue 5444)."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.partitions import Partitions
from shaketable.node.legacy.unmoved_backups import UnmovedBackups, Wide
from shaketable.node.messages import Uuid


class FillsTheTable(UnmovedBackups):
    @staticmethod
    def directly(row: Sequence[Uuid | None], target: Sequence[Uuid | None]) -> Wide:
        """Hotter ones first; a colder backup that goes up leaves its index empty."""
        after = list(row)
        for index, new in enumerate(target):
            if index and after[index] is None and new is not None and new not in after[:index]:
                if new in after:
                    after[after.index(new)] = None
                after[index] = new
        return after


class RefilledLater(Partitions):
    control_loop = FillsTheTable


class LateBackups(ClusterMember):
    partition_service = RefilledLater
