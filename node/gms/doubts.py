"""A suspect is announced to be in doubt, verified, and only then declared dead (text 5.2.2.1).

Only the master does so. If the master itself is silent, its successor does so. A member in doubt that is heard again,
by the master or by a probe, is no longer in doubt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from shaketable.node.core.env import Micros, Timer
from shaketable.node.events import HealthAnnouncedToAll, Signalled, Suspected, SuspicionEnded
from shaketable.node.gms.group import Group
from shaketable.node.gms.probes import Probes
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import (
    Address,
    DoubtRefuted,
    HealthAnnounced,
    HealthMessage,
    HealthState,
    Seat,
    Uuid,
)
from shaketable.node.why import Because, Why, because

NO_LONGER_SUSPECTED: Final = "NO_LONGER_SUSPECTED"


class Doubts:
    def __init__(
        self,
        group: Group,
        *,
        sender: Sender,
        probes: Probes,
        dead: Callable[[Seat], None],
        answer: Callable[[], HealthMessage],
    ) -> None:
        """`dead`: it was verified. `answer`: how I say that I live."""
        self._group = group
        self._env = group.env
        self._sender = sender
        self._probes = probes
        self._dead = dead
        self._answer = answer
        self._mine: dict[Uuid, Timer] = {}
        """whom I verify, by the timer of this doubt: if a probe fails that is of an earlier one, that says nothing"""
        self._said: dict[Uuid, bool] = {}
        """of whom I have told all that they are in doubt, and nothing since"""
        self._all: dict[Uuid, bool] = {}
        """who is in doubt, by my own word or another's; whether my master has said so"""
        self._of_another: dict[Uuid, bool] = {}
        """of these, whom the master before doubted; its follower has yet to say so"""
        self._wrong: dict[Uuid, bool] = {}
        """whom I doubted, and who lived"""

    def doubt(self, seat: Seat, reason: Because, silence: Micros | None = None) -> None:
        uuid = seat.member.uuid
        if uuid in self._mine:
            return
        self._suspect(seat, reason, silence)
        self._said[uuid] = True
        self.announce(seat, "in doubt")
        self._give_time(seat)

    def _give_time(self, seat: Seat) -> None:
        wait = self._group.settings.gms_verify_timeout
        self._mine[seat.member.uuid] = self._env.call_later(wait, lambda: self._verify(seat))

    def verify_again(self, seat: Seat) -> None:
        """By another probe: it is in doubt, and has been verified before."""
        self._mine[seat.member.uuid] = self._env.call_later(0, lambda: self._verify(seat))

    def confirm(self, seat: Seat, by: Uuid) -> None:
        """Another member suspects it too: where it is verified by a probe, that makes no difference."""

    def was_wrong(self, seat: Seat) -> bool:
        return seat.member.uuid in self._wrong

    def is_mine(self, seat: Seat) -> bool:
        return seat.member.uuid in self._mine

    def suspects(self, seat: Seat) -> bool:
        """By my own word or another's."""
        return seat.member.uuid in self._all

    def heard_from(self, seat: Seat) -> None:
        uuid = seat.member.uuid
        self._no_longer_verify(uuid)
        if self._said.pop(uuid, False):
            self._wrong[uuid] = True
            self._trust(seat, because(Why.HEARD))
            self.announce(seat, "alive")
        elif seat.member == self._group.master:
            self._trust(seat, because(Why.HEARD))  # the others decide about it each for themselves

    def reprieve(self, seat: Seat, reason: Because) -> None:
        """I do not reach it, but somebody else does."""
        self._said.pop(seat.member.uuid, None)
        if seat.member.uuid in self._all:
            self._trust(seat, reason)
            self.announce(seat, "alive")

    def on_health_announced(self, message: HealthAnnounced) -> None:
        group, about = self._group, message.about
        if about.member == group.me:
            if message.state in ("in doubt", "dead"):
                self._sender.send(message.sender.address, self._answer())
            return
        seat = group.seat_of(about.member)
        if seat is None:
            return
        word = because(Why.BY_WORD_OF, message.sender.address)
        by_my_master = message.sender == group.master
        if message.state == "in doubt":
            self._suspect(seat, word, None)
            self._all[about.member.uuid] |= by_my_master
        elif message.state == "alive" and (by_my_master or not self._is_of_the_master(seat)):
            self._trust(seat, word)

    def _is_of_the_master(self, seat: Seat) -> bool:
        """This doubt: so nobody else ends it. A master that verifies goes by what it hears itself, and its followers go
        by its word, even if another one that leads hears the suspect."""
        return (self._group.leads and self.is_mine(seat)) or self._all.get(seat.member.uuid, False)

    def added(self, seat: Seat) -> None:
        """My master has heard it. If it was in doubt, and begins another stay, it is in doubt no longer."""
        self._trust(seat, because(Why.ADD))

    def forget(self, seat: Seat) -> None:
        """It is in the view no more, or came anew."""
        uuid = seat.member.uuid
        self._said.pop(uuid, None)
        self._wrong.pop(uuid, None)
        self._of_another.pop(uuid, None)
        self._all.pop(uuid, None)
        self._no_longer_verify(uuid)

    def master_changed(self, former: Seat | None) -> None:
        """I verify the members that the master before me doubted. Without that they would stay in the view for ever.
        All members will be told next of the former master itself. For anybody else that a follower doubts, its new
        master decides anew."""
        group = self._group
        self._verify_none()
        self._all = dict.fromkeys(self._all, False)
        doubted = [seat for seat in group.others if seat.member.uuid in self._all]
        for seat in doubted:
            if former is not None and seat.member == former.member:
                continue
            if group.leads:
                self.doubt(seat, because(Why.IN_DOUBT_BEFORE))
            else:
                self._of_another[seat.member.uuid] = True
        if self._of_another:
            self._env.call_later(group.settings.detection_window, self._forget_another)

    def _forget_another(self) -> None:
        for uuid in list(self._of_another):
            seat = next((seat for seat in self._group.others if seat.member.uuid == uuid), None)
            if seat is not None:
                self._trust(seat, because(Why.NOT_DOUBTED_NOW))

    def forget_all(self) -> None:
        self._verify_none()
        self._all.clear()
        self._of_another.clear()
        self._wrong.clear()

    def announce(self, seat: Seat, state: HealthState) -> None:
        group = self._group
        self._env.report(HealthAnnouncedToAll(seat.member, state))
        self._sender.broadcast(HealthAnnounced(group.me, group.stamp, seat, state, self._number(seat, state)))

    def _number(self, seat: Seat, state: HealthState) -> int:
        """0: any sign of life ends the doubt."""
        return 0

    def number_of(self, seat: Seat) -> int:
        """Of my master's doubt of it. 0: of none."""
        return 0

    def answered(self, seat: Seat, doubt: int) -> None:
        """It has answered a ping that I sent when I knew of its doubt with this number."""

    def refute(self, to: Address, doubt: int) -> None:
        """I am in doubt, by this number."""

    def on_refuted(self, message: DoubtRefuted) -> None:
        """Nobody refutes a doubt that has no number."""

    def _verify_none(self) -> None:
        for uuid in list(self._mine):
            self._no_longer_verify(uuid)
        self._said.clear()

    def _no_longer_verify(self, uuid: Uuid) -> None:
        timer = self._mine.pop(uuid, None)
        if timer is not None:
            timer.cancel()

    def _verify(self, seat: Seat) -> None:
        uuid = seat.member.uuid
        doubt = self._mine[uuid]

        def reached() -> None:
            if uuid in self._mine:
                self.heard_from(seat)

        def failed(why: Because) -> None:
            if self._mine.get(uuid) is doubt:
                del self._mine[uuid]
                self._dead(seat)

        self._probes.probe(seat.member, reached, failed)

    def _suspect(self, seat: Seat, reason: Because, silence: Micros | None) -> None:
        self._of_another.pop(seat.member.uuid, None)
        if seat.member.uuid not in self._all:
            self._all[seat.member.uuid] = False
            self._env.report(Suspected(seat.member, *reason, silence))
            self._signal("FAILURE_SUSPECTED", seat)

    def _trust(self, seat: Seat, reason: Because) -> None:
        self._of_another.pop(seat.member.uuid, None)
        if self._all.pop(seat.member.uuid, None) is not None:
            self._env.report(SuspicionEnded(seat.member, *reason))
            self._signal(NO_LONGER_SUSPECTED, seat)

    def _signal(self, signal: str, seat: Seat) -> None:
        master = self._group.master
        self._env.report(Signalled(signal, seat.member, 0, master.uuid if master is not None else ""))
