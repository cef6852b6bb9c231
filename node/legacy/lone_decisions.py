"""Lone decisions: each participant of a migration commits or rolls back by itself.

Acts out text 3.0.2: each applies the result without the other side, when it gets the published table. If the master
crashes just then, one may commit while the other rolls back. Then data are lost, or on a member that should have
none."""

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
