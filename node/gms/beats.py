"""My heartbeats leave each period, to those whom the detection policy names (text 5.2.2); they are counted.

Other messages to the same member stand for one if the policy is to infer them (text 5.2.2.3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.config import MASTER_AND_LIKELY
from shaketable.node.events import HeartbeatsCounted
from shaketable.node.gms.group import Group
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import HealthMessage, ReignTold, Seat


class Beats:
    def __init__(self, group: Group, *, sender: Sender) -> None:
        self._group = group
        self._env = group.env
        self._sender = sender
        self._carrying = sender.carrying
        self._to: Sequence[Seat] = ()
        self._periods = self._sent = self._spared = 0
        self._until_told = 0
        """so many periods, and a member that gets no heartbeat of the master is told its last sequence id"""

    def message(self) -> HealthMessage:
        group = self._group
        return HealthMessage(group.me, group.stamp, group.state, group.reign)

    def begin(self) -> None:
        """My first one goes to all (rulings 5.5)."""
        for seat in self._group.others:
            self._sender.beat(seat.member.address, self.message())

    def go_to(self, to: Sequence[Seat]) -> None:
        if [seat.member for seat in self._to] != [seat.member for seat in to]:
            self.count_anew()
        self._to = to
        self._carrying.go_to(to)

    def forget(self, seat: Seat) -> None:
        self._carrying.forget(seat)

    def beat(self) -> None:
        message = self.message()
        for seat in self._to:
            if self._carrying.stands_for_one(seat.member.address):
                self._spared += 1
            else:
                self._sender.beat(seat.member.address, message)
                self._sent += 1
        self._carrying.begin_round()
        self._periods += 1
        if self._periods == self._group.settings.gms_max_missed:
            self._tell_count()
        self._until_told -= 1
        if self._until_told <= 0:
            self._until_told = self._group.settings.gms_max_missed
            self._tell_reign()

    def count_anew(self) -> None:
        """Others get them from now on."""
        self._tell_count()

    def pinged(self) -> None:
        """Under SWIM a ping is my heartbeat."""
        self._sent += 1

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
