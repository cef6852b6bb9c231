"""The application's own messages to the other members: the group service only carries them.

Sending them matters where heartbeats are inferred from other messages (text 5.2.2.3.3)."""

from __future__ import annotations

from shaketable.node.core.env import Every, Micros
from shaketable.node.gms.group import Group
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import Application


class Talking:
    def __init__(self, group: Group, *, sender: Sender) -> None:
        self._group = group
        self._sender = sender
        self._talk: Every | None = None

    def begin(self, every: Micros) -> None:
        """0: no more."""
        if self._talk is not None:
            self._talk.cancel()
        self._talk = Every(self._group.env, every, self._say_something) if every else None

    def _say_something(self) -> None:
        if self._group.joined:
            self._sender.broadcast(Application(self._group.me, self._group.stamp, "hello"))
