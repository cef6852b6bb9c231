"""The few things a protocol may ask of its world (docs/architecture.md, "A member and its Env").

The protocol does no I/O: it is handed the time, messages and commands, and answers through one `Env`. A world calls
a member only through `start()`, `receive(message)`, `link_down(to)`, `link_up(to)` and `command(c)`; each call is one
step, and what a step reports leaves before what it sends."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shaketable.node.events import Event
    from shaketable.node.messages import Address, Message

Micros = int
"""Whole microseconds. Integers, because a sum of float seconds misses its own deadline one time in four."""

SECOND: Micros = 1_000_000
MILLISECOND: Micros = 1_000


class Timer(Protocol):
    def cancel(self) -> None: ...


class Env(Protocol):
    rng: random.Random
    """Seeded; identities are drawn from it."""

    def now(self) -> Micros:
        """This node's own monotonic clock: it may drift and jump, and runs on while the node is paused."""

    def send(self, to: Address, message: Message) -> None:
        """Never to oneself, never raises. May be lost, delayed, or reordered between different links."""

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Timer:
        """Calls back at or after `now() + delay`, never before; each call back is a step of its own."""

    def report(self, event: Event) -> None:
        """To the history."""

    def forget_timers(self) -> None:
        """Cancels all later calls: the member is at its end, and the next one of this node begins."""

    def disconnect(self, to: Address) -> None:
        """Drops my outgoing link until the next send to it; the other side is not told by it."""


class Every:
    """The one periodic helper: calls back each `period`. A late tick is not caught up, the next is a period later."""

    __slots__ = ("_callback", "_env", "_period", "_timer")

    def __init__(self, env: Env, period: Micros, callback: Callable[[], None], first: Micros | None = None) -> None:
        self._env = env
        self._period = period
        self._callback = callback
        self._timer = env.call_later(period if first is None else first, self._tick)

    def _tick(self) -> None:
        self._timer = self._env.call_later(self._period, self._tick)
        self._callback()

    def cancel(self) -> None:
        self._timer.cancel()
