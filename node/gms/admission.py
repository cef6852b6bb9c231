"""What a member answers if it is asked for the master, and how the master lets another member in (text 5.2.4).

A process at the address of a member that started later is that member's next incarnation. It is a rejoin, unless the
incarnation before has said that it shuts down."""

from __future__ import annotations

from shaketable.node.config import WATCHDOG
from shaketable.node.gms.collisions import Collisions
from shaketable.node.gms.discovery import Discovery
from shaketable.node.gms.group import Group
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.sender import Sender
from shaketable.node.gms.shutdown import Shutdown
from shaketable.node.gms.stay import Stay
from shaketable.node.gms.succession import Succession
from shaketable.node.messages import MasterAnswer, MasterQuery, Seat
from shaketable.node.why import Why, because


class Admission:
    def __init__(
        self,
        group: Group,
        *,
        sender: Sender,
        publishing: Publishing,
        succession: Succession,
        collisions: Collisions,
        discovery: Discovery,
        shutdown: Shutdown,
        stay: Stay,
    ) -> None:
        self._group = group
        self._sender = sender
        self._publishing = publishing
        self._succession = succession
        self._collisions = collisions
        self._discovery = discovery
        self._shutdown = shutdown
        self._stay = stay

    def on_master_query(self, message: MasterQuery) -> None:
        group = self._group
        if group.leads:
            if message.wants_in:
                self._add(message)
            else:
                self._collisions.on_master_query(message)
            return
        if message.wants_in:
            self._succession.looks_for_a_master(message.sender, message.stamp.stay)
            self._look_at_my_master(message)
        if group.reign is None:
            self._discovery.on_master_query(message)
        else:
            self._sender.send(message.sender.address, MasterAnswer(group.me, group.stamp, group.reign))

    def _look_at_my_master(self, message: MasterQuery) -> None:
        """It looks for a master itself, or its next incarnation does: it leads no more."""
        seat = self._group.master_seat
        if seat is None or seat.member.address != message.sender.address:
            return
        if seat.member != message.sender:
            if message.stamp.start > seat.start:
                self._succession.master_is_silent(because(Why.RESTARTED))
        elif message.stamp.stay > seat.stay:
            self._stay.look_for(None, because(Why.MASTER_LOOKS))

    def _add(self, message: MasterQuery) -> None:
        newcomer = Seat(message.sender, message.stamp.kind, message.stamp.start, 0, message.stamp.stay)
        if self._shutdown.wanted or newcomer.kind == WATCHDOG:
            return
        before = self._group.by_address.get(message.sender.address)
        if before is not None and before.member == newcomer.member and before.stay >= newcomer.stay:
            self._publishing.send_again(message.sender, 0)  # what it was told of it has not come
        elif before is None or before.member == newcomer.member:
            self._publishing.add(newcomer)
        elif before.start < newcomer.start:
            self._succession.takes_its_place(before)
            self._publishing.add(newcomer)
