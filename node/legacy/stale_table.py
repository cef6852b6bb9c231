"""A stale table: a new master does not look for the most recent partition table, and publishes its own.

Acts out of the text on avoiding data loss on migration: "This situation can lead to problems when a master makes an
update on partition table and crashes before notifying all members about the last update. If the new master has not
received the updated partition table and some of other members has acted upon the updated partition table they receive
from the crashed master, data loss may occur since they will apply the stale partition table sent from the new master."
"""

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
