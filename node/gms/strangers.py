"""Messages of another group, or of a group of the same name in another domain, are dropped (rulings 5.6)."""

from __future__ import annotations

from shaketable.node.events import ForeignMessage
from shaketable.node.gms.group import Group
from shaketable.node.messages import GroupMessage, Uuid
from shaketable.node.why import Why, because


class Strangers:
    def __init__(self, group: Group) -> None:
        self._group = group
        self.dropped: dict[Uuid, int] = {}
        """how many messages, by their senders"""

    def drops(self, message: GroupMessage) -> bool:
        stamp, mine = message.stamp, self._group.stamp
        if (stamp.domain, stamp.group) == (mine.domain, mine.group):
            return False
        uuid = message.sender.uuid
        if uuid not in self.dropped:
            reason = because(Why.FOREIGN, stamp.group, stamp.domain)
            self._group.env.report(ForeignMessage(message.sender, *reason))
        self.dropped[uuid] = self.dropped.get(uuid, 0) + 1
        return True
