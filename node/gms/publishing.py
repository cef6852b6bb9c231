"""The master's part: it alone changes the view, and tells all of each change, one sequence id after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import msgspec

from shaketable.node.core.env import Micros
from shaketable.node.events import LeadershipTaken, NotificationPublished, NotificationsResent
from shaketable.node.gms.election import in_order
from shaketable.node.gms.group import Group
from shaketable.node.gms.notifications import Notifications
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import (
    Change,
    Member,
    Notification,
    NotificationsGone,
    NotificationsWanted,
    Notified,
    Reign,
    Seat,
    Uuid,
)
from shaketable.node.why import Because


class Publishing:
    def __init__(self, group: Group, *, sender: Sender, notifications: Notifications) -> None:
        self._group = group
        self._env = group.env
        self._sender = sender
        self._notifications = notifications
        self._history: deque[tuple[Micros, Notification]] = deque()
        self.whole_group_starts = False
        self.taken_of_former = 0
        """the last notification of the master before me that I had taken"""
        self.is_handed_over = False
        """to a member that follows me and would not know of what I publish now: those that want something will ask
        it"""
        self._told_ready: dict[Uuid, bool] = {}
        """in this stay of theirs"""
        self._rejoins: dict[Uuid, Micros] = {}
        """whose incarnation before vanished unseen, and when that one had started"""
        self._view_since = 0

    def take_the_lead(self, reason: Because, former: Seat | None = None) -> None:
        """A reign begins: my own group, or the one that `former` led. Everybody's stay begins anew with it."""
        group = self._group
        first = group.highest + 1
        self.is_handed_over = False
        self.taken_of_former = self._notifications.taken
        self._history.clear()
        self._told_ready.clear()
        self._rejoins.clear()
        self._env.report(LeadershipTaken(first, *reason))
        former_master = former.member.uuid if former is not None else ""
        group.follow(Reign(group.me, group.seat.start, first, first - 1, former_master), group.seat.stay, reason)
        group.seat = msgspec.structs.replace(group.seat, since=first)
        seats = [seat for seat in group.view if seat.member.address != group.me.address]
        view = [group.seat, *[msgspec.structs.replace(seat, since=first) for seat in seats]]
        self._publish("master change", former, view)

    def add(self, newcomer: Seat) -> None:
        """Another incarnation that has this address in the view has vanished unseen: a rejoin."""
        if self.is_handed_over:
            return
        group, uuid = self._group, newcomer.member.uuid
        before = group.by_address.get(newcomer.member.address)
        self._told_ready.pop(uuid, None)
        if before is not None and before.member.uuid != uuid:
            self._rejoins[uuid] = before.start
        seat = msgspec.structs.replace(newcomer, since=self._next())
        others = [seat for seat in group.view if seat.member.address != newcomer.member.address]
        whole_group = self.whole_group_starts
        self._publish("add", seat, [*others, seat], rejoin=self._rejoins.get(uuid), whole_group=whole_group)

    def has_told_ready(self, seat: Seat) -> bool:
        return seat.member.uuid in self._told_ready

    def ready(self, seat: Seat) -> None:
        if self.is_handed_over:
            return
        self._told_ready[seat.member.uuid] = True
        rejoin, whole_group = self._rejoins.pop(seat.member.uuid, None), self.whole_group_starts
        self._publish("joined and ready", seat, self._group.view, rejoin=rejoin, whole_group=whole_group)

    def end(self, seat: Seat, change: Change, whole_group: bool = False) -> None:
        """It has failed, or shuts down. It is told as well, if it is still there to hear it."""
        if self.is_handed_over:
            return
        self._rejoins.pop(seat.member.uuid, None)
        others = [each for each in self._group.view if each.member.uuid != seat.member.uuid]
        self._publish(change, seat, others, whole_group=whole_group)

    def ends_of_late(self) -> list[Notification]:
        return self._notifications.ends_of_late()

    def repeat(self, ends: Iterable[Notification]) -> None:
        """Tells again of members that failed or shut down under the master before me: it may have told only some
        members. A member that knows drops it."""
        for told in ends:
            if told.about is not None and told.about.member.address not in self._group.by_address:
                self._publish(told.change, told.about, self._group.view, whole_group=told.whole_group)

    def on_notifications_wanted(self, message: NotificationsWanted) -> None:
        self.send_again(message.sender, message.after)

    def send_again(self, to: Member, after: int) -> None:
        """All after this one of its stay. A member that is not in my view any more gets the newest, which says so."""
        group = self._group
        if not group.leads or group.reign is None:
            return
        self._forget_old()
        seat = group.seat_of(to)
        after = group.reign.last - 1 if seat is None else max(after, seat.since - 1)
        kept = [n for _, n in self._history if n.sequence > after]
        if not kept:
            return
        if kept[0].sequence > after + 1:
            self._sender.send(to.address, NotificationsGone(group.me, group.stamp, group.reign, kept[0].sequence))
        self._env.report(NotificationsResent(to, tuple(n.sequence for n in kept)))
        for notification in kept:
            self._sender.send(to.address, Notified(group.me, group.stamp, group.reign, notification, True))

    @property
    def kept(self) -> tuple[Notification, ...]:
        self._forget_old()
        return tuple(notification for _, notification in self._history)

    def _next(self) -> int:
        assert self._group.reign is not None
        return self._group.reign.last + 1

    def _forget_old(self) -> None:
        """The newest stays for ever: whoever lacks it lacks the view."""
        oldest = self._env.now() - self._group.settings.gms_resend_history
        while len(self._history) > 1 and self._history[0][0] < oldest:
            self._history.popleft()

    def _keep(self, now: Micros, notification: Notification) -> None:
        self._history.append((now, notification))

    def _publish(
        self,
        change: Change,
        about: Seat | None,
        view: Iterable[Seat],
        *,
        rejoin: Micros | None = None,
        whole_group: bool = False,
    ) -> None:
        group = self._group
        sequence, seats = self._next(), in_order(view)
        if change in ("add", "master change") or len(seats) != len(group.view):
            self._view_since = sequence
        notification = Notification(sequence, change, about, seats, self._view_since, whole_group, rejoin)
        before = [seat.member.address for seat in group.others]
        self._forget_old()
        self._keep(self._env.now(), notification)
        group.heard_of(sequence)
        assert group.reign is not None
        message = Notified(group.me, group.stamp, group.reign, notification, False)
        addresses = dict.fromkeys([*before, *(seat.member.address for seat in notification.view)])
        told = self._sender.to_all(addresses, message)
        members = (group.me, *(seat.member for seat in seats if seat.member != group.me))
        peer = about.member if about is not None else None
        self._env.report(NotificationPublished(sequence, group.me.uuid, peer, change, members, told, rejoin))
        self._notifications.publish(notification)
