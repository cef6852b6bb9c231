"""A stale table: a new master does not look for the most recent partition table, and publishes its own.

Acts out text 3.0.2: the old master crashed before all had its last table, and the new one publishes an older one,
though others have acted on that last table."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.legacy.any_table import AnyTable
from shaketable.node.messages import Member


class OwnTableOnly(AnyTable):
    def _leads(self, added: Sequence[Member], removed: Sequence[Member], heard_of_table: bool) -> None:
        if self._led:
            super()._leads(added, removed, heard_of_table)
            return
        self._led = True
        self.publishing.begins_to_lead()
        if self.has_table:
            self.search.go_on()


class StaleTable(ClusterMember):
    partition_service = OwnTableOnly
