"""Matches replies to requests, repeats a request within a total budget of time, and gives up.

All that want an answer go through this one helper: the start-up vote, a mastership claim, a leave, a migration and its
commit, an operation on the data."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.core.env import Env, Micros, Timer
from shaketable.node.messages import Address, Message

Send = Callable[[Address, int, Callable[[int], Message]], None]
"""to whom, the number of the request, and what makes the message of it"""


class Ask:
    """One open request. It stays open until an answer settles it, the budget is spent, or it is cancelled."""

    __slots__ = ("_requests", "address", "number", "on_answer", "timer")

    def __init__(self, requests: Requests, number: int, on_answer: Callable[[Message], bool]) -> None:
        self._requests = requests
        self.number = number
        self.on_answer = on_answer
        self.timer: Timer | None = None
        self.address: Address | None = None
        """who was asked last: an answer of anybody else does not count"""

    def cancel(self) -> None:
        self._requests.forget(self)
        if self.timer is not None:
            self.timer.cancel()


class Requests:
    def __init__(self, env: Env, send: Callable[[Address, Message], None] | None = None) -> None:
        """`send` takes the place of the Env's, where one may ask oneself too."""
        self._env = env
        self._send = send or env.send
        self._open: dict[int, Ask] = {}
        # Two incarnations of one address do not count from the same number: an answer meant for the one before, say
        # to its wish to leave, must not be taken for an answer to mine.
        self._last = env.rng.getrandbits(40)

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
        send: Send | None = None,
    ) -> Ask:
        """Sends `message(number)` now and each `retry`, until `on_answer` says that an answer settles it.

        With a `longest_retry` the time between two attempts doubles up to that. `send` takes the place of the usual
        way, and may leave out an attempt.

        `to` is asked anew for each attempt (the master may have changed); None skips the attempt. `on_silence` is
        called once, when the budget is spent without a settling answer, and never while `ask` runs: even who has no
        budget is asked once, and its silence is a step of its own."""
        env = self._env
        give_up_at = env.now() + budget
        pause = retry

        def attempt() -> None:
            nonlocal pause
            ask.address = to()
            if ask.number not in self._open:
                return  # cancelled by the very question whom to ask
            if ask.address is not None and send is not None:
                send(ask.address, ask.number, message)
            elif ask.address is not None:
                self._send(ask.address, message(ask.number))
            ask.timer = env.call_later(max(0, min(give_up_at - env.now(), pause)), next_attempt)
            if longest_retry is not None:
                pause = min(2 * pause, longest_retry)

        def next_attempt() -> None:
            if env.now() < give_up_at:
                attempt()
            else:
                self.forget(ask)
                on_silence()

        self._last += 1
        ask = Ask(self, self._last, on_answer)
        self._open[ask.number] = ask
        attempt()
        return ask

    def answered(self, number: int, answer: Message) -> None:
        ask = self._open.get(number)
        if ask is not None and answer.sender.address == ask.address and ask.on_answer(answer):
            ask.cancel()

    def is_open(self, number: int) -> bool:
        return number in self._open

    def forget(self, ask: Ask) -> None:
        self._open.pop(ask.number, None)
