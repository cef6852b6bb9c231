"""Doubts under SWIM: a suspect is declared dead if it has not refuted the doubt in time; nobody probes it once more.
Only where another incarnation has been heard there, it is verified by a probe at once, and gets no more time for that.

Each doubt has a number, and only an answer with this number refutes it: what a suspect sent before says nothing. A
member that gets an answer from the suspect passes that on, because the suspect's own may not come through. The time
that it has is the settings' affair (`suspicion_wait`): under Lifeguard it shrinks with each member that comes to
suspect it too."""

from __future__ import annotations

from typing import Any, Final

from shaketable.node.core.env import Micros, Timer
from shaketable.node.gms.doubts import Doubts
from shaketable.node.gms.local_health import LocalHealth
from shaketable.node.messages import Address, DoubtRefuted, HealthAnnounced, HealthState, Seat, Uuid
from shaketable.node.why import Because, Why

ITS_LIFE_IS_OVER: Final = (Why.RESTARTED, Why.ANOTHER_INCARNATION)


class Suspicions(Doubts):
    def __init__(self, *given: Any, local: LocalHealth, **named: Any) -> None:
        super().__init__(*given, **named)
        self._local = local
        self._last = 0
        self._numbers: dict[Uuid, int] = {}
        """of my own doubts"""
        self._told: dict[Uuid, int] = {}
        """of my master's"""
        self._begun: dict[Uuid, int] = {}
        self._by: dict[Uuid, dict[Uuid, bool]] = {}
        """who suspects it, of those whom I doubt"""
        self._refuted: dict[Address, int] = {}
        """by whom I was doubted, and the last such doubt: a ping may tell it as well"""

    # As the one who decides

    def announce(self, seat: Seat, state: HealthState) -> None:
        if state == "in doubt":
            self._last += 1
            self._numbers[seat.member.uuid] = self._last
        super().announce(seat, state)

    def _number(self, seat: Seat, state: HealthState) -> int:
        return self._numbers.get(seat.member.uuid, 0) if state == "in doubt" else 0

    def doubt(self, seat: Seat, reason: Because, silence: Micros | None = None) -> None:
        super().doubt(seat, reason, silence)
        if reason.why in ITS_LIFE_IS_OVER and seat.member.uuid in self._by:
            self._verify_now(seat)

    def _give_time(self, seat: Seat) -> None:
        uuid = seat.member.uuid
        self._begun[uuid], self._by[uuid] = self._env.now(), {}
        self._wait(seat)

    def _verify_now(self, seat: Seat) -> None:
        uuid, wait, left = seat.member.uuid, self._group.settings.gms_verify_timeout, self._left(seat)
        timer = self._mine.get(uuid)
        if timer is not None and wait < left:
            timer.cancel()
            del self._by[uuid]
            self._mine[uuid] = self._env.call_later(wait, lambda: self._verify_within(left - wait, seat))

    def _verify_within(self, left: Micros, seat: Seat) -> None:
        doubt = self._mine[seat.member.uuid]
        self._verify(seat)
        self._env.call_later(left, lambda: self._has_not_answered(seat, doubt))

    def verify_again(self, seat: Seat) -> None:
        self._by.pop(seat.member.uuid, None)  # nobody's word makes the probe sooner
        super().verify_again(seat)

    def confirm(self, seat: Seat, by: Uuid) -> None:
        uuid = seat.member.uuid
        timer = self._mine.get(uuid)
        if timer is not None and uuid in self._by and by not in self._by[uuid]:
            self._by[uuid][by] = True
            timer.cancel()
            self._wait(seat)

    def _wait(self, seat: Seat) -> None:
        doubt = self._env.call_later(self._left(seat), lambda: self._has_not_answered(seat, doubt))
        self._mine[seat.member.uuid] = doubt

    def _left(self, seat: Seat) -> Micros:
        """The time that it still has. The first one that suspects it began the doubt; the others confirm it."""
        uuid, settings = seat.member.uuid, self._group.settings
        wait = settings.suspicion_wait(len(self._group.view), max(0, len(self._by[uuid]) - 1))
        return max(0, self._begun[uuid] + wait - self._env.now())

    def _has_not_answered(self, seat: Seat, doubt: Timer) -> None:
        """A probe of it may have ended this doubt before."""
        if self._mine.get(seat.member.uuid) is doubt:
            del self._mine[seat.member.uuid]
            self._dead(seat)

    def on_refuted(self, message: DoubtRefuted) -> None:
        seat = self._group.seat_of(message.member)
        if seat is not None and self._numbers.get(seat.member.uuid) == message.doubt:
            self.heard_from(seat)

    # As a suspect, and as one who is told

    def on_health_announced(self, message: HealthAnnounced) -> None:
        uuid, sender = message.about.member.uuid, message.sender
        if message.about.member == self._group.me and message.doubt:
            self.refute(sender.address, message.doubt)
            return
        super().on_health_announced(message)
        if sender == self._group.master and uuid in self._all:
            self._told[uuid] = message.doubt

    def refute(self, to: Address, doubt: int) -> None:
        group = self._group
        if self._refuted.get(to, 0) < doubt:
            self._refuted[to] = doubt
            self._local.refuted()
        self._sender.send(to, DoubtRefuted(group.me, group.stamp, group.me, doubt))

    def number_of(self, seat: Seat) -> int:
        uuid = seat.member.uuid
        if uuid not in self._all:
            return 0
        return (self._numbers if self._group.leads else self._told).get(uuid, 0)

    def answered(self, seat: Seat, doubt: int) -> None:
        group = self._group
        if doubt and group.master is not None and self._told.get(seat.member.uuid) == doubt:
            self._sender.send(group.master.address, DoubtRefuted(group.me, group.stamp, seat.member, doubt))

    # The end of a doubt

    def heard_from(self, seat: Seat) -> None:
        self._end(seat)
        super().heard_from(seat)

    def forget(self, seat: Seat) -> None:
        self._end(seat)
        self._told.pop(seat.member.uuid, None)
        super().forget(seat)

    def _end(self, seat: Seat) -> None:
        for known in (self._numbers, self._begun, self._by):
            known.pop(seat.member.uuid, None)

    def master_changed(self, former: Seat | None) -> None:
        self._told.clear()
        super().master_changed(former)

    def _verify_none(self) -> None:
        super()._verify_none()
        self._numbers.clear()
        self._begun.clear()
        self._by.clear()
        self._refuted.clear()
