"""A member takes its master's notifications: each once, in their order, all from the one with which its stay begins.

From text 5.2.2.1: heartbeats carry the master's last sequence id, and a member that lacks some asks for them again. A
notification that has outlived the master's history is lost, and the member says so. Nothing else changes its view."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from shaketable.node.core.env import MILLISECOND, Micros, Timer
from shaketable.node.events import (
    NotificationIgnored,
    NotificationsAsked,
    NotificationsLost,
    NotificationTaken,
    ViewInstalled,
)
from shaketable.node.gms.group import Group
from shaketable.node.gms.sender import Sender
from shaketable.node.gms.signals import Signals
from shaketable.node.messages import (
    Change,
    LastNotifications,
    Member,
    Notification,
    NotificationsGone,
    NotificationsWanted,
    Notified,
    Reign,
    Seat,
    Uuid,
)
from shaketable.node.why import Because, Why, because

SETTLES: Final[Micros] = 30 * MILLISECOND
"""Word of a notification may overtake it, on another link: a gap that closes within this was none."""
ENDS: Final[tuple[Change, ...]] = ("failure", "planned shutdown")
MOST: Final = 100
"""ends that are remembered, and notifications of late"""
Changed = Callable[[Notification, Sequence[Seat], Sequence[Seat]], None]
"""by which notification, who came, and who went"""


class Notifications:
    def __init__(self, group: Group, *, sender: Sender, changed: Changed, removed: Callable[[Member], None]) -> None:
        """`removed`: this master's view has come to lack me."""
        self._group = group
        self._env = group.env
        self._sender = sender
        self._changed = changed
        self._removed = removed
        self._since = 0
        """the first of my stay"""
        self._taken = 0
        """the last of my master's"""
        self._waiting: dict[int, tuple[Notification, bool]] = {}
        """they came before their turn"""
        self._installed: tuple[Uuid, int] | None = None
        """the author of the view that I have, and its sequence id"""
        self._signals = Signals(group)
        self._ends: dict[Uuid, tuple[Micros, Notification]] = {}
        """how each that has failed or shut down of late has ended, and when I took that"""
        self._late: deque[tuple[Micros, Notification]] = deque(maxlen=MOST)
        """what my master has told of late, and when I took it"""
        self._settling: Timer | None = None
        self._asked_at: Micros | None = None

    def on_notified(self, message: Notified) -> None:
        group, reign, notification = self._group, message.reign, message.notification
        if message.sender != reign.master:
            return self._ignore(message, because(Why.NO_MASTER_SENT_IT))
        is_mine = group.is_mine(reign)
        if is_mine and self._installed == (reign.master.uuid, notification.view_since):
            seat = group.seat_of(group.me)  # it is the view that I have
        else:
            seat = next((seat for seat in notification.view if seat.member.uuid == group.me.uuid), None)
        if seat is not None and seat.since > notification.sequence:
            return self._ignore(message, because(Why.BEGINS_LATER))
        if seat is not None and seat.stay < group.seat.stay:
            return self._ignore(message, because(Why.EARLIER_STAY))
        if is_mine:
            if notification.sequence <= self._taken:
                return self._ignore(message, because(Why.HAS_COME))
            if seat is None:
                return self._removed(reign.master)
            if seat.since > self._since:
                self._begin(seat)  # I was away, and did not know it
        elif self._is_of_a_former_stay(message):
            return self._ignore(message, because(Why.ITS_MASTER_LEADS_NO_MORE))
        elif not self._replaces_my_master(reign, notification):
            return self._ignore(message, because(Why.MASTER_NOT_FOLLOWED))
        elif seat is None:
            return self._removed(reign.master) if group.joined else None
        else:
            self._tell_the_next(reign)
            followed = msgspec.structs.replace(reign, last=notification.sequence)
            group.follow(followed, message.stamp.stay, because(Why(notification.change)))
            self._begin(seat)
        group.heard_of(max(reign.last, notification.sequence))
        self._waiting[notification.sequence] = notification, message.again
        self._take_what_is_due()
        return None

    def on_notifications_gone(self, message: NotificationsGone) -> None:
        if message.sender == self._group.master and message.before > self._taken + 1:
            self._env.report(NotificationsLost(message.before, message.reign.master.uuid, self._taken))
            self._taken = message.before - 1
            self._take_what_is_due()

    def heard_of(self, reign: Reign) -> None:
        """Somebody says how far my master has come."""
        self._group.heard_of(reign.last)
        if self._lacks():
            self._settle()

    def ask_if_it_succeeds(self, reign: Reign) -> None:
        """My master; but its own word of that has not come."""
        if self._succeeds(reign):
            group = self._group
            self._sender.send(reign.master.address, NotificationsWanted(group.me, group.stamp, 0))

    def look(self) -> None:
        """Each period: what has not come yet is asked for again."""
        if self._group.reign is not None and not self._group.leads and self._lacks():
            self._ask()

    def publish(self, notification: Notification) -> None:
        """My own, as the master."""
        if notification.change == "master change":
            self._begin(self._group.seat)
        self._take(notification, again=False)

    @property
    def taken(self) -> int:
        return self._taken

    def ends_of_late(self) -> list[Notification]:
        """Those that the master could have sent again, had it not died just after them, before anybody knew that."""
        return [notification for taken, notification in self._ends.values() if taken >= self._oldest]

    @property
    def _oldest(self) -> Micros:
        settings = self._group.settings
        return self._env.now() - settings.gms_resend_history - settings.longest_interregnum(len(self._group.view))

    def _tell_the_next(self, reign: Reign) -> None:
        """A member that follows my master may have missed what the former master told last."""
        group, oldest = self._group, self._oldest
        late = tuple(notification for taken, notification in self._late if taken >= oldest)
        if late and not group.leads and group.master is not None and group.master.uuid == reign.former:
            message = LastNotifications(group.me, group.stamp, reign.former, late)
            self._sender.send(reign.master.address, message)

    def follow_nobody(self) -> None:
        self._waiting.clear()
        self._late.clear()
        self._ends.clear()
        self._signals.of_another_stay()

    def _begin(self, seat: Seat) -> None:
        """My stay with this master begins with this one of its notifications."""
        self._waiting.clear()
        self._late.clear()
        self._since = seat.since
        self._taken = seat.since - 1
        self._installed = None

    def _succeeds(self, reign: Reign) -> bool:
        """It was a member of my view, has followed a master, and its reign begins after mine; or it is my own master,
        which has lost its group, and has founded one anew."""
        group, mine = self._group, self._group.reign
        if mine is None or reign.first <= mine.first or group.seat_of(reign.master) is None:
            return False
        return reign.former == group.me.uuid if group.leads else bool(reign.former) or reign.master == mine.master

    def _is_of_a_former_stay(self, message: Notified) -> bool:
        """Of the master's: I know it in a later one."""
        seat = self._group.seat_of(message.sender)
        return seat is not None and message.stamp.stay < seat.stay

    def _replaces_my_master(self, reign: Reign, notification: Notification) -> bool:
        """I follow nobody, or the one that I follow leads no more."""
        master = self._group.master
        if master is None:
            return True
        if not self._succeeds(reign):
            return False
        return master.uuid in (reign.former, reign.master.uuid) or all(
            seat.member != master for seat in notification.view
        )

    def _take_what_is_due(self) -> None:
        while self._taken + 1 in self._waiting:
            self._take(*self._waiting.pop(self._taken + 1))
        if self._lacks():
            self._settle()

    def _lacks(self) -> bool:
        return self._group.reign is not None and self._group.reign.last > self._taken

    def _settle(self) -> None:
        if self._settling is None:
            self._settling = self._env.call_later(SETTLES, self._settled)

    def _settled(self) -> None:
        self._settling = None
        if self._group.reign is not None and not self._group.leads and self._lacks():
            self._ask()

    def _ask(self) -> None:
        group, now = self._group, self._env.now()
        assert group.reign is not None
        if self._asked_at is not None and now - self._asked_at < SETTLES:
            return
        self._asked_at = now
        master = group.reign.master
        self._env.report(NotificationsAsked(self._taken, master.uuid, master, group.reign.last))
        self._sender.send(master.address, NotificationsWanted(group.me, group.stamp, self._taken))

    def _take(self, notification: Notification, again: bool) -> None:
        group = self._group
        assert group.reign is not None
        self._taken = notification.sequence
        author, about = group.reign.master.uuid, notification.about
        peer = about.member if about is not None else None
        self._env.report(NotificationTaken(notification.sequence, author, peer, notification.change, again))
        group.heard_of(notification.sequence)
        before = group.by_address
        came, went = self._install(notification, author)
        self._late.append((self._env.now(), msgspec.structs.replace(notification, view=())))
        self._remember_the_end(notification)
        self._signals.follow_from(notification, author, before, came)
        self._changed(notification, came, went)

    def _remember_the_end(self, notification: Notification) -> None:
        change, about = notification.change, notification.about
        if about is None or change not in ("add", *ENDS):
            return
        self._ends.pop(about.member.uuid, None)
        if change in ENDS:
            self._ends[about.member.uuid] = self._env.now(), notification
            if len(self._ends) > MOST:
                del self._ends[next(iter(self._ends))]

    def _install(self, notification: Notification, author: Uuid) -> tuple[Sequence[Seat], Sequence[Seat]]:
        """The members that came, and the members that went."""
        group, version = self._group, notification.view_since
        if (author, version) == self._installed:
            return (), ()
        was = {(seat.member.uuid, seat.stay): seat for seat in group.view}
        group.set_view(notification.view)
        self._installed = author, version
        assert group.reign is not None
        self._env.report(
            ViewInstalled(version, author, group.reign.master, group.master_first(), *because(Why(notification.change)))
        )
        came = [seat for seat in group.view if (seat.member.uuid, seat.stay) not in was]
        return came, [seat for seat in was.values() if group.seat_of(seat.member) is None]

    def _ignore(self, message: Notified, reason: Because) -> None:
        sequence, author = message.notification.sequence, message.reign.master.uuid
        self._env.report(NotificationIgnored(sequence, author, message.sender, *reason))
