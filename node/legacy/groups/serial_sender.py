"""Serial sender: a member's messages leave one after the other, and a receiver that does not take one holds up the
rest.

Acts out `VirtualMulticastSender.doBroadcast` before text 5.2.3: a silent member (write timeout 10 s) delays heartbeats
to all after it in the list beyond the window of 9 s, so that these are suspected too (rulings 5.7). One thread sends
all, probes too. A core cannot see whether a member takes what is written. So it asks a member that has long been silent
by a PING. The PONG, which waits for nothing, stands for the receipt. Where a connection is known to be down, a write
fails at once and costs nothing."""

from __future__ import annotations

from collections import deque
from typing import Any

from shaketable.node.core.env import Micros, Timer
from shaketable.node.gms import GroupMember
from shaketable.node.gms.group import Group
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import Address, Message, Ping, Pong


class OneAfterTheOther(Sender):
    def __init__(self, group: Group) -> None:
        super().__init__(group)
        self._queue: deque[tuple[Address, Message]] = deque()
        self._heard: dict[Address, Micros] = {}
        self._slow: Address | None = None
        """it has yet to take what was written"""
        self._gives_up: Timer | None = None

    def send(self, to: Address, message: Message) -> None:
        if isinstance(message, Pong):
            super().send(to, message)
        elif to != self._group.me.address:
            self._enqueue(to, self.carrying.onto(to, message))

    def beat(self, to: Address, message: Message) -> None:
        self._enqueue(to, message)

    def heard_from(self, address: Address) -> None:
        self._heard[address] = self._env.now()
        if address == self._slow:
            self._go_on()

    def _enqueue(self, to: Address, message: Message) -> None:
        self._queue.append((to, message))
        if self._slow is None:
            self._go_on()

    def _go_on(self) -> None:
        self._slow = None
        if self._gives_up is not None:
            self._gives_up.cancel()
        while self._queue and self._slow is None:
            to, message = self._queue.popleft()
            self._env.send(to, message)
            if self._is_silent(to):
                self._slow = to
                self._env.send(to, Ping(self._group.me, self._group.stamp, 0))
                # Shoal's write timeout is 10 s, as its probe's is.
                self._gives_up = self._env.call_later(self._group.settings.gms_probe_timeout, self._go_on)

    def _is_silent(self, to: Address) -> bool:
        if to not in self._group.by_address or self._group.links.get(to) is False:
            return False
        return self._env.now() - self._heard.get(to, 0) > 2 * self._group.settings.gms_heartbeat_period


class SerialSender(GroupMember):
    SENDER = OneAfterTheOther

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        assert isinstance(self.sender, OneAfterTheOther)
        self._serial = self.sender

    def receive(self, message: Message) -> None:
        self._serial.heard_from(message.sender.address)
        super().receive(message)
