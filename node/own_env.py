"""What a member of a user's own gets as its Env: it refuses what is no event and no message, where it is handed over.

Ours need no such check: mypy sees theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from shaketable.node import events, messages
from shaketable.node.core.env import Env, Micros, Timer
from shaketable.node.events import Event
from shaketable.node.messages import Address, Message

_EVENTS: Final = frozenset(
    each for each in vars(events).values() if isinstance(each, type) and issubclass(each, Event) and each is not Event
)
_MESSAGES: Final = frozenset(
    each for each in vars(messages).values() if isinstance(each, type) and issubclass(each, Message)
)


class OwnEnv:
    def __init__(self, env: Env) -> None:
        self._env = env
        self.rng = env.rng

    def now(self) -> Micros:
        return self._env.now()

    def send(self, to: Address, message: Message) -> None:
        if type(message) not in _MESSAGES:
            raise TypeError(f"send() takes a message of shaketable.messages, and not {message!r:.60}")
        self._env.send(to, message)

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Timer:
        return self._env.call_later(delay, callback)

    def report(self, event: Event) -> None:
        kind = type(event)
        if kind not in _EVENTS:
            raise TypeError(f"report() takes an event of shaketable.events, and not {event!r:.60}")
        try:
            msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=kind)
        except (TypeError, ValueError) as error:
            raise TypeError(f"report() got a {kind.__name__} that cannot be recorded: {error}") from None
        self._env.report(event)

    def forget_timers(self) -> None:
        self._env.forget_timers()

    def disconnect(self, to: Address) -> None:
        self._env.disconnect(to)
