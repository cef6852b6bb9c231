"""Any table: a follower applies whatever partition table its master sends, newer or not.

Several of the old behaviours that text 3.0.2 names rest on this: members apply an older table of a new master."""

from __future__ import annotations

from shaketable.node.cluster.partition.table import Table
from shaketable.node.cluster.partitions import Partitions
from shaketable.node.messages import Message, PublishTable, TableAcknowledged
from shaketable.node.why import Why, because


class AnyTable(Partitions):
    def receive(self, message: Message) -> None:
        if isinstance(message, PublishTable):
            self._on_publish(message)
            self.safety.look()
        else:
            super().receive(message)

    def _on_publish(self, message: PublishTable) -> None:
        state, ms = self.state, self._membership
        sender, theirs = message.sender, message.table
        mine = ms.joined and not ms.leads and sender == ms.master and message.target == ms.me.uuid
        if mine and theirs.version <= state.table.version and not self.publishing.strangers_in(theirs):
            table = Table.of(theirs, state.table)
            if table.stamp != state.table.stamp:
                self.publishing.install(sender, table, message.completed, because(Why.TABLE_NEWER_OR_NOT))
                state.send(sender.address, TableAcknowledged(ms.me, sender.uuid, table.version))
                return
        self.publishing.on_publish(message)
