"""Stale notifications: one that comes again, or too late for its view, is told to the application all the same.

Acts out what Shoal does in `processChangeEvent`: with an older sequence id than the present one the view is not
applied, but the application is told all the same (rulings 5.8, B4)."""

from __future__ import annotations

from shaketable.node.gms import GroupMember
from shaketable.node.gms.notifications import Notifications
from shaketable.node.messages import Notified


class TellsTheApplication(Notifications):
    def on_notified(self, message: Notified) -> None:
        told, about = message.notification, message.notification.about
        is_stale = self._group.is_mine(message.reign) and told.sequence <= self._taken
        super().on_notified(message)
        if is_stale and message.sender == self._group.master and about is not None and told.change != "master change":
            self._signals._signal(told, about.member, message.reign.master.uuid)


class StaleNotifications(GroupMember):
    NOTIFICATIONS = TellsTheApplication
