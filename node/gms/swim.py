"""SWIM: in each period a member pings one other member, whichever comes next in an order that it draws itself.

So its load does not depend on the number of members. When all have had their turn, it draws a new order. A newcomer
comes somewhere into what is left of the present one. From the paper of Das, Gupta and Motivala (2002). The views stay
the master's affair: a member that cannot be reached is reported to the master, as under the other policies.

Under Lifeguard a slow member pings more slowly (local_health.py), a helper that gets no answer says so, and a ping
tells a suspect that it is one. From the paper of Dadgar, Phillips and Currey (2018)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shaketable.node.core.requests import Requests
from shaketable.node.events import ProbeFailed
from shaketable.node.gms.beats import Beats
from shaketable.node.gms.doubts import Doubts
from shaketable.node.gms.group import Group
from shaketable.node.gms.local_health import LocalHealth
from shaketable.node.gms.sender import Sender
from shaketable.node.gms.swim_probe import SwimProbe
from shaketable.node.messages import Message, Seat, SwimAck, SwimPing, SwimPingTried, SwimPingWanted, Uuid
from shaketable.node.why import Because


class Swim:
    def __init__(
        self,
        group: Group,
        *,
        requests: Requests,
        sender: Sender,
        beats: Beats,
        doubts: Doubts,
        local: LocalHealth,
        silent: Callable[[Seat, Because], None],
        heard: Callable[[Seat], None],
    ) -> None:
        """`silent`: neither I nor others could reach it; `heard`: somebody did."""
        self._group = group
        self._env = group.env
        self._requests = requests
        self._sender = sender
        self._beats = beats
        self._doubts = doubts
        self._local = local
        self._silent = silent
        self._heard = heard
        self._order: list[Uuid] = []
        """whose turn it is next, from the last one on"""
        self._others: dict[Uuid, Seat] = {}
        self._waited = 0
        """so many periods since my last ping"""

    def turn_to(self, others: Sequence[Seat]) -> None:
        before, self._others = self._others, {seat.member.uuid: seat for seat in others}
        if before.keys() != self._others.keys():
            self._beats.count_anew()
        self._order = [uuid for uuid in self._order if uuid in self._others]
        for uuid in self._others:
            if uuid not in before:
                self._order.insert(self._env.rng.randrange(len(self._order) + 1), uuid)

    def tick(self) -> None:
        self._waited += 1
        if self._waited < self._local.slower or not self._others:
            return
        self._waited = 0
        if not self._order:
            self._order = list(self._others)
            self._env.rng.shuffle(self._order)
        self._beats.pinged()
        self._probe(self._others[self._order.pop()])

    def _probe(self, seat: Seat) -> None:
        doubt = self._doubts.number_of(seat)

        def reached() -> None:
            present = self._group.seat_of(seat.member)
            if present is not None:
                self._heard(present)
                self._doubts.answered(present, doubt)

        def failed(why: Because) -> None:
            present = self._group.seat_of(seat.member)
            if present is not None:
                self._env.report(ProbeFailed(seat.member, *why))
                self._silent(present, why)

        SwimProbe(
            self._group,
            requests=self._requests,
            local=self._local,
            member=seat.member,
            doubt=doubt if self._group.settings.has_buddies else 0,
            reached=reached,
            failed=failed,
        )

    # Asked by others

    def on_ping(self, message: SwimPing) -> None:
        group = self._group
        self._sender.send(message.sender.address, SwimAck(group.me, group.stamp, message.request, group.reign))
        if message.doubt and group.master is not None:
            self._doubts.refute(group.master.address, message.doubt)

    def on_ping_wanted(self, message: SwimPingWanted) -> None:
        group, wanted = self._group, message.member
        to, request, limit = message.sender.address, message.request, group.settings.swim_ping_timeout
        if wanted.address == group.me.address:
            return

        def tell(reached: bool) -> None:
            self._sender.send(to, SwimPingTried(group.me, group.stamp, request, reached))

        def answered(answer: Message) -> bool:
            if timer is not None:
                timer.cancel()
            is_there = answer.sender.uuid == wanted.uuid
            if is_there or says_so:
                tell(reached=is_there)
            return True

        # So the member that asked me knows that it can hear me, and that it is not slow itself.
        says_so = group.settings.worst_health > 0
        self._requests.ask(
            lambda: wanted.address,
            lambda number: SwimPing(group.me, group.stamp_of_a_heartbeat, number, message.doubt),
            on_answer=answered,
            on_silence=lambda: None,
            retry=2 * limit,
            budget=2 * limit,
        )
        timer = self._env.call_later(limit, lambda: tell(reached=False)) if says_so else None
