"""Messages to oneself: what a member would send to its own address comes back to it as a step of its own.

The master is owner, destination or caller like anybody else; only the `Env` must not be asked to send to oneself."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.core.env import Env
from shaketable.node.messages import Address, Message


class Post:
    def __init__(self, env: Env, own: Address, handle: Callable[[Message], None]) -> None:
        self._env = env
        self._own = own
        self._handle = handle

    def send(self, to: Address, message: Message) -> None:
        if to == self._own:
            self._env.call_later(0, lambda: self._handle(message))
        else:
            self._env.send(to, message)
