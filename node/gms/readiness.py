"""A member's application says once that it is ready; the member tells its master until the master has told all.

A stay that begins anew is told of anew."""

from __future__ import annotations

from shaketable.node.gms.group import Group
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import Notification, Ready


class Readiness:
    def __init__(self, group: Group, *, sender: Sender, publishing: Publishing) -> None:
        self._group = group
        self._env = group.env
        self._sender = sender
        self._publishing = publishing
        self._is_ready = False
        """my application has said so"""

    def stay_begins(self) -> None:
        wait = 0 if self._is_ready else self._group.settings.gms_ready_after
        self._env.call_later(wait, self._application_is_ready)

    def tell(self) -> None:
        """Each period, until the master has told all."""
        group = self._group
        seat = group.seat_of(group.me)
        if not self._is_ready or seat is None or group.state not in ("alive", "ready"):
            return
        group.state = "ready"
        if group.leads:
            self._publishing.ready(seat)
        elif group.master is not None:
            self._sender.send(group.master.address, Ready(group.me, group.stamp))

    def on_ready(self, message: Ready) -> None:
        seat = self._group.seat_of(message.sender)
        if self._group.leads and seat is not None and not self._publishing.has_told_ready(seat):
            self._publishing.ready(seat)

    def changed(self, notification: Notification) -> None:
        group, about = self._group, notification.about
        if about is None or about.member != group.me:
            return
        if notification.change == "joined and ready" and group.state in ("alive", "ready"):
            group.state = "alive and ready"
        elif notification.change == "add" and group.state == "alive and ready":
            group.state = "ready"  # another master, which has added me as well, has yet to tell all

    def _application_is_ready(self) -> None:
        self._is_ready = True
        self.tell()
