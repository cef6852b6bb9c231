"""My heartbeats leave each period, to those whom the detection policy names (text 5.2.2); they are counted.

Other messages to the same member stand for one if the policy is to infer them (text 5.2.2.3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.config import INFERRED, MASTER_AND_LIKELY
from shaketable.node.events import HeartbeatsCounted
from shaketable.node.gms.datagrams import datagram_kinds
from shaketable.node.gms.group import Group
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import HealthMessage, HealthState, ReignTold, Seat, Uuid

IS_WELL: tuple[HealthState, ...] = ("alive", "alive and ready")
"""Only a member that has last said so can be inferred to live on."""


class Beats:
    def __init__(self, group: Group, *, sender: Sender) -> None:
        self._group = group
        self._env = group.env
        self._sender = sender
        self._period = group.settings.gms_heartbeat_period
        self._infers = group.settings.gms_detection == INFERRED
        self._to: Sequence[Seat] = ()
        self._told: dict[Uuid, tuple[HealthState, int]] = {}
        """what my last heartbeat to each said of me, and how far my master had come: another message stands for one
        only while that is true, for a gap in the notifications is known by heartbeats"""
        self._may_be_lost = HealthMessage in datagram_kinds(group.settings)
        self._periods = self._sent = self._spared = 0
        self._until_told = 0
        """so many periods, and a member that gets no heartbeat of the master is told its last sequence id"""

    def message(self) -> HealthMessage:
        group = self._group
        return HealthMessage(group.me, group.stamp, group.state, group.reign)

    def begin(self) -> None:
        """My first one goes to all (rulings 5.5)."""
        for seat in self._group.others:
            self._say(seat, self.message())

    def go_to(self, to: Sequence[Seat]) -> None:
        if [seat.member for seat in self._to] != [seat.member for seat in to]:
            self._tell_count()
        uuids = {seat.member.uuid: True for seat in to}
        self._told = {uuid: told for uuid, told in self._told.items() if uuid in uuids}
        self._to = to

    def forget(self, seat: Seat) -> None:
        """It came anew, or is gone: it knows nothing of me."""
        self._told.pop(seat.member.uuid, None)

    def beat(self) -> None:
        message = self.message()
        for seat in self._to:
            if self._may_spare(seat):
                self._spared += 1
            else:
                self._say(seat, message)
                self._sent += 1
        self._periods += 1
        if self._periods == self._group.settings.gms_max_missed:
            self._tell_count()
            if self._may_be_lost:
                self._told.clear()  # once a window each is told again
        self._until_told -= 1
        if self._until_told <= 0:
            self._until_told = self._group.settings.gms_max_missed
            self._tell_reign()

    def _may_spare(self, seat: Seat) -> bool:
        if not self._infers or self._group.state not in IS_WELL:
            return False
        if self._told.get(seat.member.uuid) != said(self.message()):
            return False
        return self._sender.said_something_since(seat.member.address, self._env.now() - self._period)

    def _say(self, seat: Seat, message: HealthMessage) -> None:
        self._told[seat.member.uuid] = said(message)
        self._sender.beat(seat.member.address, message)

    def _tell_count(self) -> None:
        if self._periods:
            self._env.report(HeartbeatsCounted(self._periods, self._sent, self._spared))
        self._periods = self._sent = self._spared = 0

    def _tell_reign(self) -> None:
        """Where no heartbeat of the master comes, its sequence id alone, once a detection window (rulings 5.1)."""
        group = self._group
        if group.leads and group.reign is not None and group.settings.gms_detection == MASTER_AND_LIKELY:
            reached = {seat.member.uuid: True for seat in self._to}
            rest = [seat.member.address for seat in group.others if seat.member.uuid not in reached]
            self._sender.to_all(rest, ReignTold(group.me, group.stamp, group.reign))


def said(message: HealthMessage) -> tuple[HealthState, int]:
    return message.state, message.reign.last if message.reign is not None else 0
