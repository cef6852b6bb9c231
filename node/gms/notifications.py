"""A member takes its master's notifications: each once, in their order, all from the one with which its stay begins.

From the text, 2.2.1: heartbeats carry the master's last sequence id, and who lacks some asks for them again. What has
outlived the master's history is lost, and said to be. Nothing else changes a member's view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from shaketable.node.env import MILLISECOND, Micros, Timer
from shaketable.node.events import (
    NotificationIgnored,
    NotificationsAsked,
    NotificationsLost,
    NotificationTaken,
    Signalled,
    ViewInstalled,
)
from shaketable.node.gms.group import Group
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

SETTLES: Final[Micros] = 30 * MILLISECOND
"""Word of a notification may overtake it, on another link: a gap that closes within this was none."""
SIGNALS: Final[dict[Change, str]] = {
    "add": "JOIN",
    "joined and ready": "JOINED_AND_READY",
    "failure": "FAILURE",
    "planned shutdown": "PLANNED_SHUTDOWN",
    "master change": "GROUP_LEADERSHIP",
}
Changed = Callable[[Notification, Sequence[Seat], Sequence[Seat]], None]
"""by which notification, who came, and who went"""


class Notifications:
    def __init__(self, group: Group, sender: Sender, changed: Changed, removed: Callable[[Notification], None]) -> None:
        """`removed`: my master's view has come to lack me."""
        self._group = group
        self._env = group.env
        self._sender = sender
        self._changed = changed
        self._removed = removed
        self._taken = 0
        """the last of my master's"""
        self._waiting: dict[int, tuple[Notification, bool]] = {}
        """they came before their turn"""
        self._over: dict[Uuid, bool] = {}
        """incarnations whose end the application has been told"""
        self._settling: Timer | None = None
        self._asked_at: Micros | None = None

    def on_notified(self, message: Notified) -> None:
        group, reign, notification = self._group, message.reign, message.notification
        if message.sender != reign.master:
            return self._ignore(message, "only a master publishes, and for itself")
        if reign.master != group.master and not self._begins_with(reign, notification):
            return self._ignore(message, "it is of a master that I do not follow")
        if not any(seat.member == group.me for seat in notification.view):
            self._removed(notification)
            return None
        group.heard_of(max(reign.last, notification.sequence))
        if notification.sequence <= self._taken:
            return self._ignore(message, "it has come already")
        self._waiting[notification.sequence] = notification, message.again
        self._take_what_is_due()
        return None

    def on_notifications_gone(self, message: NotificationsGone) -> None:
        if message.sender == self._group.master and message.before > self._taken + 1:
            report = NotificationsLost(message.before, message.reign.master.uuid, self._taken)
            self._env.report(report)
            self._taken = message.before - 1
            self._take_what_is_due()

    def heard_of(self, reign: Reign | None) -> None:
        """Somebody's heartbeat, or the master itself, says how far that is."""
        group = self._group
        if reign is None or group.reign is None:
            return
        if reign.master == group.master:
            group.heard_of(reign.last)
            if reign.last > self._taken:
                self._settle()
        elif self._succeeds(reign):  # its own word that it is master has not come
            self._sender.send(reign.master.address, NotificationsWanted(group.me, group.stamp, 0))

    def look(self) -> None:
        """Each period: what has not come yet is asked for again."""
        if self._group.reign is not None and not self._group.leads and self._lacks():
            self._ask()

    def publish(self, notification: Notification) -> None:
        """My own, as the master."""
        self._waiting.clear()
        self._take(notification, again=False)

    def start_afresh(self) -> None:
        """I follow nobody any more."""
        self._waiting.clear()
        self._taken = 0

    def _begins_with(self, reign: Reign, notification: Notification) -> bool:
        """I follow this master from now on: it has added me, or it succeeds mine."""
        seat = next((seat for seat in notification.view if seat.member == self._group.me), None)
        if seat is None or seat.since > notification.sequence:
            return False
        joined = self._group.joined
        if joined and not (self._succeeds(reign) and self._replaces_my_master(notification)):
            return False
        self._group.follow(msgspec.structs.replace(reign, last=notification.sequence), notification.change)
        self.start_afresh()
        self._taken = seat.since - 1
        return True

    def _succeeds(self, reign: Reign) -> bool:
        """It was a member of mine, and its reign begins after my master's."""
        group = self._group
        assert group.reign is not None
        return reign.first > group.reign.first and group.seat_of(reign.master) is not None

    def _replaces_my_master(self, notification: Notification) -> bool:
        about, master = notification.about, self._group.master
        if notification.change == "master change" and about is not None and about.member == master:
            return True
        return all(seat.member != master for seat in notification.view)

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
        self._env.report(
            NotificationTaken(
                notification.sequence, author, about.member if about else None, notification.change, again
            )
        )
        before = group.view
        group.set_view(notification.view)
        group.heard_of(notification.sequence)
        was, now = ({seat.member.uuid: seat for seat in view} for view in (before, group.view))
        came = [seat for uuid, seat in now.items() if uuid not in was]
        went = [seat for uuid, seat in was.items() if uuid not in now]
        if came or went or notification.change == "master change":
            self._env.report(
                ViewInstalled(
                    notification.sequence, author, group.reign.master, group.master_first(), notification.change
                )
            )
        self._signal(notification, author)
        self._changed(notification, came, went)

    def _signal(self, notification: Notification, author: Uuid) -> None:
        """The application hears of core members that come; of whose end only once, whoever tells it again."""
        change, about = notification.change, notification.about
        group = self._group
        peer: Member | None = about.member if about is not None else None
        if change == "master change":
            peer = group.master
        elif change in ("add", "joined and ready"):
            if about is None or about.kind != "core":
                return
        elif peer is not None:
            if peer.uuid in self._over:
                return
            self._over[peer.uuid] = True
        if peer is not None:
            signal = SIGNALS[change]
            whole, rejoin = notification.whole_group, notification.rejoin
            self._env.report(Signalled(signal, peer, notification.sequence, author, whole, rejoin))

    def _ignore(self, message: Notified, reason: str) -> None:
        sequence, author = message.notification.sequence, message.reign.master.uuid
        self._env.report(NotificationIgnored(sequence, author, message.sender, reason))
