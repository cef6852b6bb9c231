"""Matches replies to requests, repeats a request within a total budget of time, and gives up.

Whatever wants an answer goes through this one helper: the start-up vote, a mastership claim, a leave."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.env import Env, Micros, Timer
from shaketable.node.messages import Address, Message


class Ask:
    """One open request. It stays open until an answer settles it, the budget is spent, or it is cancelled."""

    __slots__ = ("_attempt", "_give_up_at", "_requests", "_retry", "_timer", "address", "number", "on_answer")

    def __init__(
        self,
        requests: Requests,
        number: int,
        attempt: Callable[[Ask], None],
        on_answer: Callable[[Message], bool],
        retry: Micros,
        give_up_at: Micros,
    ) -> None:
        self._requests = requests
        self.number = number
        self._attempt = attempt
        self.on_answer = on_answer
        self._retry = retry
        self._give_up_at = give_up_at
        self._timer: Timer | None = None
        self.address: Address | None = None
        """who was asked last: an answer of anybody else does not count"""

    def cancel(self) -> None:
        self._requests.forget(self)
        if self._timer is not None:
            self._timer.cancel()


class Requests:
    def __init__(self, env: Env) -> None:
        self._env = env
        self._open: dict[int, Ask] = {}
        self._last = 0

    def ask(
        self,
        to: Callable[[], Address | None],
        message: Callable[[int], Message],
        *,
        on_answer: Callable[[Message], bool],
        on_silence: Callable[[], None],
        retry: Micros,
        longest_retry: Micros | None = None,
        budget: Micros,
    ) -> Ask:
        """Sends `message(number)` now and each `retry`, until `on_answer` says that an answer settles it.

        With a `longest_retry` the time between two attempts doubles up to that.

        `to` is asked anew for each attempt (the master may have changed); None skips the attempt. `on_silence` is
        called once, when the budget is spent without a settling answer."""
        self._last += 1

        def attempt(ask: Ask) -> None:
            left = ask._give_up_at - self._env.now()
            if left <= 0:
                self.forget(ask)
                on_silence()
                return
            ask.address = to()
            if ask.address is not None:
                self._env.send(ask.address, message(ask.number))
            ask._timer = self._env.call_later(min(left, ask._retry), lambda: attempt(ask))
            if longest_retry is not None:
                ask._retry = min(2 * ask._retry, longest_retry)

        ask = Ask(self, self._last, attempt, on_answer, retry, self._env.now() + budget)
        self._open[ask.number] = ask
        attempt(ask)
        return ask

    def answered(self, number: int, answer: Message) -> None:
        ask = self._open.get(number)
        if ask is not None and answer.sender.address == ask.address and ask.on_answer(answer):
            ask.cancel()

    def forget(self, ask: Ask) -> None:
        self._open.pop(ask.number, None)
