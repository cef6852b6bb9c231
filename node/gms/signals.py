"""What a member tells its application: the notifications of the text, each once.

The application hears of core members that come; of whose end, and that one is ready, only once a stay, whichever master
says it again (rulings 5.9, S5 and S6)."""

from __future__ import annotations

from typing import Final

from shaketable.node.events import Signalled
from shaketable.node.gms.group import Group
from shaketable.node.messages import Change, Member, Notification, Uuid

SIGNALS: Final[dict[Change, str]] = {
    "add": "JOIN",
    "joined and ready": "JOINED_AND_READY",
    "failure": "FAILURE",
    "planned shutdown": "PLANNED_SHUTDOWN",
    "master change": "GROUP_LEADERSHIP",
}


class Signals:
    def __init__(self, group: Group) -> None:
        self._group = group
        self._ready: dict[Uuid, bool] = {}
        self._over: dict[Uuid, bool] = {}
        """of whom the application has been told that it is ready, and that it has gone"""

    def of_another_stay(self) -> None:
        """Of mine: all may be told again."""
        self._ready.clear()
        self._over.clear()

    def follow_from(self, notification: Notification, author: Uuid, known: bool) -> None:
        """`known`: whom it is about was a member already; that it is added means another stay of its own, no more."""
        change, about = notification.change, notification.about
        if change == "master change":
            master = self._group.master
            assert master is not None
            self._signal(notification, master, author)
            return
        heard_of = about is not None and (about.kind == "core" or change in ("failure", "planned shutdown"))
        if heard_of and about is not None and self._is_news(change, about.member.uuid, known):
            self._signal(notification, about.member, author)

    def _is_news(self, change: Change, uuid: Uuid, known: bool) -> bool:
        if change == "add" and known:
            return False
        if change == "add":
            self._ready.pop(uuid, None)
            self._over.pop(uuid, None)
            return True
        told = self._ready if change == "joined and ready" else self._over
        if uuid in told:
            return False
        told[uuid] = True
        return True

    def _signal(self, notification: Notification, peer: Member, author: Uuid) -> None:
        signal, whole, rejoin = SIGNALS[notification.change], notification.whole_group, notification.rejoin
        self._group.env.report(Signalled(signal, peer, notification.sequence, author, whole, rejoin))
