"""Unstored notifications: a notification that did not leave for everybody is not kept, and so is never sent again.

Acts out Shoal's `ReliableMulticast.broadcast`, which keeps a message only if the broadcast succeeded. So while one
member is unreachable, missed notifications cannot be repaired (rulings 5.8, B6)."""

from __future__ import annotations

from shaketable.node.core.env import Micros
from shaketable.node.gms import GroupMember
from shaketable.node.gms.publishing import Publishing
from shaketable.node.messages import Notification


class KeepsWhatLeft(Publishing):
    def _keep(self, now: Micros, notification: Notification) -> None:
        if all(self._group.links.get(seat.member.address, True) for seat in self._group.others):
            super()._keep(now, notification)


class UnstoredNotifications(GroupMember):
    PUBLISHING = KeepsWhatLeft
