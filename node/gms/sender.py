"""The virtual multicast sender: how a message gets to all active members by unicast (text 5.2.1.1 and 5.2.3).

A message is one object for all its receivers: the transport serialises it once. Where it carries a heartbeat to one
of them, that one gets another (carrying.py). Each link has its own queue, so one
dead peer delays nobody. Connections to members that are gone are closed at once."""

from __future__ import annotations

from collections.abc import Iterable

from shaketable.node.events import LinkClosed
from shaketable.node.gms.carrying import Carrying
from shaketable.node.gms.group import Group
from shaketable.node.messages import Address, Message, Seat


class Sender:
    def __init__(self, group: Group) -> None:
        self._group = group
        self._env = group.env
        self.carrying = Carrying(group)

    def send(self, to: Address, message: Message) -> None:
        if to != self._group.me.address:
            self._env.send(to, self.carrying.onto(to, message))

    def beat(self, to: Address, message: Message) -> None:
        """A heartbeat says nothing but that its sender lives."""
        self._env.send(to, message)

    def to_all(self, addresses: Iterable[Address], message: Message) -> int:
        """To how many."""
        sent = 0
        for address in addresses:
            if address != self._group.me.address:
                self.send(address, message)
                sent += 1
        return sent

    def broadcast(self, message: Message) -> int:
        """To all active members."""
        return self.to_all([seat.member.address for seat in self._group.others], message)

    def hang_up(self, gone: Iterable[Seat]) -> None:
        for seat in gone:
            address = seat.member.address
            if address in self._group.by_address:
                continue  # its next incarnation is a member
            self._env.disconnect(address)
            if self._group.links.pop(address, False):
                self._env.report(LinkClosed(address))
