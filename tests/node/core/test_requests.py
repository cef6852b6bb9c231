"""Requests: asked again within one budget, settled by an answer, given up once."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.node.messages.messages_by_chance import member
from tests.reasons import reason_in

from shaketable.node.core.env import Micros
from shaketable.node.core.requests import Requests
from shaketable.node.events import Event
from shaketable.node.messages import Address, ClaimAccepted, ClaimRefused, MastershipClaim, MemberList, Message

ME, OTHER = member(1), member(2)
VIEW = MemberList(2, ME.uuid, (ME, OTHER))


class Alarm:
    def __init__(self, at: Micros, callback: Callable[[], None]) -> None:
        self.at, self.callback, self.cancelled = at, callback, False

    def cancel(self) -> None:
        self.cancelled = True


class FakeEnv:
    def __init__(self, seed: int = 1) -> None:
        self.rng = random.Random(seed)
        self.time: Micros = 0
        self.sent: list[tuple[Micros, Address, Message]] = []
        self.alarms: list[Alarm] = []

    def now(self) -> Micros:
        return self.time

    def send(self, to: Address, message: Message) -> None:
        self.sent.append((self.time, to, message))

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Alarm:
        assert delay >= 0
        self.alarms.append(Alarm(self.time + delay, callback))
        return self.alarms[-1]

    def report(self, event: Event) -> None:
        raise AssertionError("requests report nothing")

    def forget_timers(self) -> None:
        raise AssertionError("nobody merges here")

    def disconnect(self, to: Address) -> None:
        raise AssertionError("requests disconnect nobody")

    def wait(self, time: Micros) -> None:
        end = self.time + time
        while due := sorted((a for a in self.alarms if a.at <= end and not a.cancelled), key=lambda a: a.at):
            self.alarms.remove(due[0])
            self.time = max(self.time, due[0].at)
            due[0].callback()
        self.time = end


class Case:
    """One request, and what became of it."""

    def __init__(self, settles: bool = True, **ask: Any) -> None:
        self.env = FakeEnv()
        self.requests = Requests(self.env)
        self.silences: list[Micros] = []
        self.answers: list[Message] = []
        self.settles = settles
        self.to: Address | None = OTHER.address
        arguments: dict[str, Any] = {"retry": 100, "budget": 1000, **ask}
        self.ask = self.requests.ask(
            lambda: self.to,
            lambda number: MastershipClaim(ME, number, OTHER.uuid),
            on_answer=self._answer,
            on_silence=lambda: self.silences.append(self.env.time),
            **arguments,
        )

    def _answer(self, message: Message) -> bool:
        self.answers.append(message)
        return self.settles

    def answer(self, number: int | None = None, sender: Any = OTHER) -> None:
        number = self.ask.number if number is None else number
        self.requests.answered(number, ClaimAccepted(sender, number, VIEW))

    @property
    def times(self) -> list[Micros]:
        return [at for at, _, _ in self.env.sent]


def test_it_is_repeated_until_the_budget_is_spent_and_given_up_once() -> None:
    case = Case(retry=400, budget=1000)
    case.env.wait(5000)
    assert case.times == [0, 400, 800]
    assert case.silences == [1000]
    assert {message.request for _, _, message in case.env.sent if isinstance(message, MastershipClaim)} == {
        case.ask.number
    }


def test_the_time_between_two_attempts_doubles_up_to_the_longest() -> None:
    case = Case(retry=100, longest_retry=350, budget=1500)
    case.env.wait(5000)
    assert case.times == [0, 100, 300, 650, 1000, 1350]


def test_an_answer_that_settles_ends_it() -> None:
    case = Case()
    case.env.wait(150)
    case.answer()
    case.env.wait(5000)
    assert len(case.answers) == 1
    assert case.times == [0, 100]
    assert not case.silences


def test_a_second_answer_is_not_heard() -> None:
    case = Case()
    case.answer()
    case.answer()
    assert len(case.answers) == 1


def test_an_answer_that_does_not_settle_lets_it_go_on() -> None:
    case = Case(settles=False)
    case.answer()
    case.env.wait(5000)
    assert len(case.times) == 10
    assert case.silences == [1000]


def test_only_who_was_asked_last_answers() -> None:
    case = Case()
    case.answer(sender=member(3))
    assert not case.answers
    case.to = member(3).address
    case.env.wait(100)
    case.answer()
    assert not case.answers
    case.answer(sender=member(3))
    assert case.answers


def test_nobody_to_ask_skips_the_attempt_and_not_the_budget() -> None:
    case = Case()
    case.to = None
    case.env.wait(950)
    assert case.times == [0]
    case.answer()
    assert not case.answers, "nobody is asked at the moment"
    case.env.wait(100)
    assert case.silences == [1000]


def test_a_cancelled_one_is_forgotten() -> None:
    case = Case()
    case.ask.cancel()
    case.answer()
    case.env.wait(5000)
    assert case.times == [0]
    assert not case.answers
    assert not case.silences


def test_who_has_no_budget_is_asked_once_and_its_silence_is_a_step_of_its_own() -> None:
    case = Case(budget=0)
    assert case.times == [0]
    assert not case.silences
    case.env.wait(0)
    assert case.silences == [0]


def test_two_incarnations_do_not_count_from_the_same_number() -> None:
    """Else an answer meant for the one before would be taken for one to me."""
    numbers = [Requests(FakeEnv(seed)).__dict__["_last"] for seed in range(50)]
    assert len(set(numbers)) == 50


def test_an_unknown_number_is_ignored() -> None:
    case = Case()
    case.requests.answered(case.ask.number + 1, ClaimRefused(OTHER, case.ask.number + 1, True, reason_in("")))
    assert not case.answers
