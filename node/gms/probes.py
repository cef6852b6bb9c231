"""A probe: PING over my link, PONG over the other one's, and a deadline (rulings 5.4).

A link that is known to be down makes it fail at once. Another incarnation at the same address is somebody else."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.core.requests import Ask, Requests
from shaketable.node.gms.group import Group
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import Address, Member, Message, Ping, Pong
from shaketable.node.why import Because, Why, because


class Probes:
    def __init__(self, group: Group, *, requests: Requests, sender: Sender) -> None:
        self._group = group
        self._env = group.env
        self._requests = requests
        self._sender = sender
        self._open: dict[Address, list[Callable[[], None]]] = {}
        """what to do when my link to it goes down"""

    def probe(self, member: Member, reached: Callable[[], None], failed: Callable[[Because], None]) -> None:
        """One of the two is called, in a later step."""
        address = member.address
        over = False

        def end(why: Because | None = None) -> None:
            nonlocal over
            if over:
                return
            over = True
            ask.cancel()
            self._open[address].remove(link_down)
            if why:
                failed(why)
            else:
                reached()

        def link_down() -> None:
            end(because(Why.LINK_DOWN))

        def answered(message: Message) -> bool:
            end(None if message.sender.uuid == member.uuid else because(Why.ANOTHER_INCARNATION))
            return True

        limit = self._group.settings.gms_probe_timeout
        self._open.setdefault(address, []).append(link_down)
        ask: Ask = self._requests.ask(
            lambda: address,
            lambda number: Ping(self._group.me, self._group.stamp, number),
            on_answer=answered,
            on_silence=lambda: end(because(Why.NO_ANSWER)),
            retry=limit,
            budget=limit,
        )
        if self._group.links.get(address) is False:
            self._env.call_later(0, link_down)

    def link_down(self, address: Address) -> None:
        for failed in list(self._open.get(address, ())):
            failed()

    def on_ping(self, message: Ping) -> None:
        group = self._group
        self._sender.send(message.sender.address, Pong(group.me, group.stamp, message.request, group.reign))
