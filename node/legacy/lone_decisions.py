"""Lone decisions: each participant of a migration commits or rolls back by itself.

Acts out of the text on avoiding data loss on migration: "Currently, migration participants apply migration result
(commit / rollback) on their own, independently from other side of the migration", and its 2.1: "In the current
migration implementation, master updates the partition table after it learns that new partition owner has received the
partition data from the old owner. After this point, it publishes it to notify the other cluster members. Migration
participants perform their own finalisation steps when they receive the updated partition table. [...] migration
participants can take conflicting actions, which can lead to data leak or data loss, if the master crashes during
migration finalisation." """

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.cluster.partition.migrating import Migrating
from shaketable.node.cluster.partition.under_way import UnderWay
from shaketable.node.legacy.noticing import Noticing, NoticingMember
from shaketable.node.messages import CompletedMigration, Member


class WithoutCommit(Migrating):
    """The destination learns of it by the published table, as all others do."""

    def _commit(self, each: UnderWay) -> None:
        self._committed(each)


class DecidesAlone(Noticing):
    migrations = WithoutCommit

    def noticed(self, gone: Sequence[Member]) -> None:
        """The master is gone, and has not told how it ended: then it has not succeeded."""
        without = {member.uuid: True for member in gone}
        for active in list(self.state.active.values()):
            if active.info.master in without:
                self.finishing.finish(CompletedMigration(active.info, False, self.state.table.version))


class LoneDecisions(NoticingMember):
    partition_service = DecidesAlone
