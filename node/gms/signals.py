"""What a member tells its application: the notifications of the text, each once.

The application hears of core members that come; of whose end, and that one is ready, only once a stay, whichever master
says it again (rulings 5.9, S5 and S6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from shaketable.node.events import Signalled
from shaketable.node.gms.group import Group
from shaketable.node.messages import Address, Change, Member, Notification, Seat, Uuid

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
        """of whom the application has been told that it is ready, and that it has gone: by a rejoin as well"""
        self._seen: dict[Uuid, bool] = {}
        """who has rejoined by word of a master that did not know of the end before, and the application does"""
        self._missed: dict[Address, Seat] = {}
        """who has come, as the application knows; my master has an earlier incarnation there, and missed it"""
        self._vanished: dict[Address, Seat] = {}
        """whom a new master does not have in its view; no word of their end has come to me"""

    def of_another_stay(self) -> None:
        """Of mine: all may be told again."""
        self._ready.clear()
        self._over.clear()
        self._seen.clear()
        self._missed.clear()
        self._vanished.clear()

    def follow_from(
        self, notification: Notification, author: Uuid, before: Mapping[Address, Seat], came: Sequence[Seat]
    ) -> None:
        """`before`: my view until now; `came`: who is new in it."""
        change, about = notification.change, notification.about
        if change == "master change":
            master = self._group.master
            assert master is not None
            self._signal(notification, master, author)
            self._remember_the_vanished(before)
        self._tell_of_ends_missed(author, before, came)
        self._tell_of_rejoins_unseen(notification, author, before, came)
        if about is None or change == "master change":
            return
        self._tell_of_the_one_before(about, author)
        if self._is_news(notification, about, before.get(about.member.address)):
            self._signal(notification, about.member, author)

    def _tell_of_ends_missed(self, author: Uuid, before: Mapping[Address, Seat], came: Sequence[Seat]) -> None:
        """My master's word on an earlier incarnation is no news: nobody will tell of the later one's end."""
        for seat in came:
            was = before.get(seat.member.address)
            if was is not None and was.start > seat.start and was.member.uuid not in self._over:
                self._missed[seat.member.address] = was
        for address, missed in list(self._missed.items()):
            now = self._group.by_address.get(address)
            if now is not None and now.start < missed.start:
                continue
            del self._missed[address]
            if (now is None or now.member != missed.member) and missed.member.uuid not in self._over:
                self._tell_it_failed(missed, author)

    def _remember_the_vanished(self, before: Mapping[Address, Seat]) -> None:
        """With the master that I followed. The new one tells again of late ends. But of a member that has rejoined and
        gone since, that is the end of its later incarnation alone. If no word comes in the time that a member takes to
        ask to be added again, it has failed: the new master has never heard of it."""
        gone = {
            address: seat
            for address, seat in before.items()
            if address not in self._group.by_address and seat.member.uuid not in self._over
        }
        self._vanished.update(gone)
        if gone:
            wait = self._group.settings.longest_interregnum(len(before))
            self._group.env.call_later(wait, lambda: self._tell_of_the_vanished(gone))

    def _tell_of_the_vanished(self, gone: Mapping[Address, Seat]) -> None:
        for address, seat in gone.items():
            if self._vanished.get(address) is seat and self._group.master is not None:
                del self._vanished[address]
                self._tell_it_failed(seat, self._group.master.uuid)

    def _tell_of_the_one_before(self, about: Seat, author: Uuid) -> None:
        """The word that comes is of its address. If it is of a later incarnation, no other one follows."""
        vanished = self._vanished.get(about.member.address)
        if vanished is None or about.start < vanished.start:
            return
        del self._vanished[about.member.address]
        if vanished.member != about.member:
            self._tell_it_failed(vanished, author)

    def _tell_it_failed(self, seat: Seat, author: Uuid) -> None:
        self._over[seat.member.uuid] = True
        self._group.env.report(Signalled("FAILURE", seat.member, 0, author))

    def _tell_of_rejoins_unseen(
        self, notification: Notification, author: Uuid, before: Mapping[Address, Seat], came: Sequence[Seat]
    ) -> None:
        """In the place of an incarnation that I knew there is a later one, and no word of its coming has come to me:
        the master that told it is no more, or keeps it no longer. Of the end of the one before I hear nothing else."""
        for seat in came:
            was = before.get(seat.member.address)
            if was is None or was.start >= seat.start or (notification.change == "add" and seat == notification.about):
                continue
            if self._comes(seat, was, rejoins=True) and seat.kind == "core":
                rejoin = was.start if seat.member.uuid not in self._seen else None
                self._group.env.report(Signalled("JOIN", seat.member, 0, author, rejoin=rejoin))

    def _is_news(self, notification: Notification, about: Seat, before: Seat | None) -> bool:
        change = notification.change
        if change == "add":
            return self._comes(about, before, notification.rejoin is not None) and about.kind == "core"
        if change == "joined and ready" and about.kind != "core":
            return False
        uuid, told = about.member.uuid, self._ready if change == "joined and ready" else self._over
        if uuid in told:
            return False
        told[uuid] = True
        return True

    def _comes(self, about: Seat, before: Seat | None, rejoins: bool) -> bool:
        """Or it was there: that a member is added means another stay of its own then, no more. But a master that had
        not heard of its end, or of its rejoin, may have had it in its view all the time."""
        uuid, told = about.member.uuid, before is not None and before.member.uuid in self._over
        if before is not None and before.member == about.member:
            if not told:
                return False
        elif told:
            self._seen[uuid] = True
        elif before is not None and rejoins:
            self._over[before.member.uuid] = True
        self._ready.pop(uuid, None)
        self._over.pop(uuid, None)
        return True

    def _signal(self, notification: Notification, peer: Member, author: Uuid) -> None:
        signal, whole = SIGNALS[notification.change], notification.whole_group
        rejoin = notification.rejoin if peer.uuid not in self._seen else None
        self._group.env.report(Signalled(signal, peer, notification.sequence, author, whole, rejoin))
