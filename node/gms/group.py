"""What the parts of a group member share: who it is, whose view it has, and what it says of itself in each message.

Of the view this is the one place; it changes by the notifications of one master alone (notifications.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from shaketable.node.config import Settings
from shaketable.node.core.env import Env, Micros
from shaketable.node.events import MasterFollowed
from shaketable.node.gms.election import elected, rank_of
from shaketable.node.messages import Address, Beat, HealthState, Member, Reign, Seat, Stamp, Uuid
from shaketable.node.why import Because

LOOKS: Final = 3
"""who has not asked for a master for so many retries has found one, or is gone"""


class Group:
    def __init__(self, env: Env, settings: Settings, me: Member) -> None:
        self.env = env
        self.settings = settings
        self.me = me
        self.seat = Seat(me, settings.gms_member_type, env.now(), 0, 1)  # type: ignore[arg-type]
        self.stamp = Stamp(settings.gms_domain, settings.gms_group, self.seat.kind, self.seat.start, self.seat.stay)
        self.rank = rank_of(settings.gms_election)
        self.state: HealthState = "starting"
        """what its heartbeats say of it"""
        self.reign: Reign | None = None
        """its master's; None while it has none"""
        self.master_stay = 0
        """in which its master leads: what that one says in another is about something else"""
        self.view: tuple[Seat, ...] = ()
        """in the members' order"""
        self.by_address: Mapping[Address, Seat] = {}
        self.others: Sequence[Seat] = ()
        self.links: dict[Address, bool] = {}
        """my own, to others: up, or known to be down"""
        self.highest = 0
        """sequence id that I have ever published or heard of, of whomever: a reign of mine begins after it"""

    @property
    def leads(self) -> bool:
        return self.reign is not None and self.reign.master.uuid == self.me.uuid

    @property
    def stamp_of_a_heartbeat(self) -> Stamp:
        """Of a message that stands for one."""
        return msgspec.structs.replace(self.stamp, beat=Beat(self.state, self.reign))

    @property
    def joined(self) -> bool:
        return self.reign is not None

    @property
    def master(self) -> Member | None:
        return self.reign.master if self.reign is not None else None

    @property
    def master_seat(self) -> Seat | None:
        return self.seat_of(self.reign.master) if self.reign is not None else None

    def still_looks(self, asked: Micros) -> bool:
        """Whether a member that asked for a master at this time still looks for one."""
        return asked >= self.env.now() - LOOKS * self.settings.discovery_retry

    def seat_of(self, member: Member) -> Seat | None:
        """As this incarnation."""
        seat = self.by_address.get(member.address)
        return seat if seat is not None and seat.member.uuid == member.uuid else None

    def master_first(self) -> tuple[Member, ...]:
        """Of the view, as events have it."""
        master = self.master
        rest = [seat.member for seat in self.view if seat.member != master]
        return (master, *rest) if master is not None else tuple(rest)

    def set_view(self, view: tuple[Seat, ...]) -> None:
        """Its master has put it in order."""
        self.view = view
        self.by_address = {seat.member.address: seat for seat in view}
        self.others = [seat for seat in view if seat.member.uuid != self.me.uuid]

    def follow(self, reign: Reign, stay: int, reason: Because) -> None:
        """Another master, or another reign of mine."""
        before, self.reign, self.master_stay = self.master, reign, stay
        self.highest = max(self.highest, reign.last)
        if reign.master != before:
            self.env.report(MasterFollowed(reign.master, *reason))

    def follow_nobody(self) -> None:
        """My part in a view is over: another stay of mine will begin."""
        self.reign = None
        self.state = "starting"
        self.seat = msgspec.structs.replace(self.seat, stay=self.seat.stay + 1)
        self.stamp = msgspec.structs.replace(self.stamp, stay=self.seat.stay)
        self.set_view(())

    def heard_of(self, last: int) -> None:
        """My master has published up to this one."""
        assert self.reign is not None
        if last > self.reign.last:
            self.reign = msgspec.structs.replace(self.reign, last=last)
            self.highest = max(self.highest, last)

    def is_mine(self, reign: Reign) -> bool:
        """It is the reign that I am under."""
        mine = self.reign
        return mine is not None and (mine.master, mine.first) == (reign.master, reign.first)

    def candidate(self, without: Sequence[Uuid]) -> Seat | None:
        """The member of my view that would be master."""
        return elected(self.rank, self.view, without)
