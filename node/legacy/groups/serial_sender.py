"""Serial sender: a message to all leaves for one after the other, and who does not take it holds up the rest.

Acts out `VirtualMulticastSender.doBroadcast` before the text's section 2.3: "one blackholed peer (write timeout 10 s)
delays heartbeats to all peers after it in the list beyond the 9 s window: cascading false suspicion" (reference, 2.10).
That a write to a member blocks is known by what else is known of it: my link to it is down, or I watch it, and have
heard nothing of it since before the last heartbeats."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from shaketable.node.env import SECOND, Micros
from shaketable.node.gms import GroupMember
from shaketable.node.gms.group import Group
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import Address, Message

WRITE_TIMEOUT: Final[Micros] = 10 * SECOND
"""Shoal's default"""


class OneAfterTheOther(Sender):
    def __init__(self, group: Group) -> None:
        super().__init__(group)
        self.heard: dict[Address, Micros] = {}
        """when each was last heard, of those that are heard each period"""
        self.regular: dict[Address, bool] = {}
        self._queue: deque[tuple[Address, Message]] = deque()
        self._is_busy = False

    def send(self, to: Address, message: Message) -> None:
        if to != self._group.me.address:
            self._last_sent[to] = self._env.now()
            self._enqueue(to, message)

    def beat(self, to: Address, message: Message) -> None:
        self._enqueue(to, message)

    def _enqueue(self, to: Address, message: Message) -> None:
        self._queue.append((to, message))
        if not self._is_busy:
            self._go_on()

    def _go_on(self) -> None:
        self._is_busy = False
        while self._queue and not self._is_busy:
            to, message = self._queue.popleft()
            self._env.send(to, message)
            if self._blocks(to):
                self._is_busy = True
                self._env.call_later(WRITE_TIMEOUT, self._go_on)

    def _blocks(self, to: Address) -> bool:
        if self._group.links.get(to) is False:
            return True
        patience = 2 * self._group.settings.gms_heartbeat_period
        return to in self.regular and self._env.now() - self.heard.get(to, 0) > patience


class SerialSender(GroupMember):
    SENDER = OneAfterTheOther

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        assert isinstance(self.sender, OneAfterTheOther)
        self._serial = self.sender

    def receive(self, message: Message) -> None:
        self._serial.heard[message.sender.address] = self.env.now()
        super().receive(message)
        watched = self.health.watched
        self._serial.regular = {seat.member.address: True for seat in self.group.others if seat.member.uuid in watched}
