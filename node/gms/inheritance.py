"""What the master before me told last, and I had not taken when I followed it: its members tell me (rulings 5.9, S5).

So a member that was added then is not forgotten, whether it lives or has died meanwhile. If only some members were told
of an end, the others learn of it. I verify a failure myself, because only the master before me may have lost its way to
that member."""

from __future__ import annotations

from shaketable.node.gms.doubts import Doubts
from shaketable.node.gms.group import Group
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.succession import Succession
from shaketable.node.messages import LastNotifications, Notification, Seat
from shaketable.node.why import Why, because


class Inheritance:
    def __init__(self, group: Group, *, publishing: Publishing, doubts: Doubts, succession: Succession) -> None:
        self._group = group
        self._publishing = publishing
        self._doubts = doubts
        self._succession = succession

    def on_last_notifications(self, message: LastNotifications) -> None:
        group = self._group
        for notification in message.notifications:
            reign, publishing = group.reign, self._publishing
            if not group.leads or reign is None or reign.former != message.former:
                return
            if group.seat_of(message.sender) is None:
                return
            about, is_new = notification.about, notification.sequence > publishing.taken_of_former
            if is_new and about is not None and about.member.address != group.me.address:
                publishing.taken_of_former = notification.sequence
                self._take(notification, about)

    def _take(self, notification: Notification, about: Seat) -> None:
        present = self._group.by_address.get(about.member.address)
        is_present = present is not None and present.member == about.member
        match notification.change:
            case "add" if present is None or present.start < about.start or (is_present and present.stay < about.stay):
                self._publishing.add(about)
            case "joined and ready" if is_present and present is not None:
                if not self._publishing.has_told_ready(present):
                    self._publishing.ready(present)
            case "failure" | "planned shutdown" if present is None:
                self._publishing.repeat([notification])
            case "failure" if is_present and present is not None and present.stay == about.stay:
                self._doubts.doubt(present, because(Why.DECLARED_DEAD))
            case "planned shutdown" if is_present and present is not None and present.stay == about.stay:
                self._succession.stops(about.member, "stopped")
            case _:
                pass
