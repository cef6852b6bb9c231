"""Late backups: an index that has lost its backup is refilled by anti-entropy alone.

Acts out of the text on avoiding data loss on migration, 3: "Current migration system relies on anti-entropy system to
re-populate backups if changes happen on backup ownerships. Since it breaks available data backup guarantee and may
cause data loss, we designed a more powerful migration system that can handle back up migrations just as partition owner
migrations." That "increases possibility of data loss when there are node crashes during migrations", and is reported in
Hazelcast's issue 5444."""

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
