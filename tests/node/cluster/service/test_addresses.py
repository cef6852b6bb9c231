"""Where a member looks for others: what was configured, what is remembered, and for how long."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.node.messages.messages_by_chance import member
from tests.reasons import reason_in

from shaketable.node.cluster.service.addresses import MOST_REMEMBERED, JoinAddresses, expanded
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import SECOND, Micros, Timer
from shaketable.node.events import AddressForgotten, AddressRemembered, Event
from shaketable.node.messages import Address, Message

RETENTION = 100 * SECOND
SETTINGS = DEFAULT.with_values({"address_retention_seconds": 100, "port_try_count": 2})


class Clock:
    """An `Env` of which only the time and the reports count."""

    def __init__(self) -> None:
        self.rng = random.Random(0)
        self.time: Micros = 0
        self.told: list[Event] = []

    def now(self) -> Micros:
        return self.time

    def send(self, to: Address, message: Message) -> None:
        raise AssertionError("nobody is asked here")

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Timer:
        raise AssertionError("nothing is put off here")

    def report(self, event: Event) -> None:
        self.told.append(event)

    def forget_timers(self) -> None:
        raise AssertionError("nobody merges here")

    def disconnect(self, to: Address) -> None:
        raise AssertionError("nobody hangs up here")


def place(number: int) -> Address:
    return member(number).address


def addresses(*configured: str) -> tuple[Clock, JoinAddresses]:
    clock = Clock()
    return clock, JoinAddresses(clock, place(1), configured, SETTINGS)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("10.0.0.1:5703", ["10.0.0.1:5703"]),
        ("10.0.0.1", ["10.0.0.1:5701", "10.0.0.1:5702"]),
        ("n2", ["n2:5701", "n2:5702"]),
    ],
)
def test_an_address_without_a_port_stands_for_several(written: str, meant: list[Address]) -> None:
    assert expanded(written, SETTINGS.port_try_count) == meant


def test_nobody_looks_for_itself_however_its_address_was_written() -> None:
    _, found = addresses("127.0.0.1", place(3), place(3))
    assert found.possible() == [place(2), place(3)]
    assert place(1) not in found
    found.suggest(place(1), reason_in("somebody says so"))
    assert found.possible() == [place(2), place(3)]


def test_new_configured_addresses_take_the_place_of_the_old_and_what_is_remembered_stays() -> None:
    _, found = addresses(place(2))
    found.suggest(place(4), reason_in("asked"))
    found.configure([place(3)])
    assert found.possible() == [place(3), place(4)]


def test_a_suggestion_is_told_once_and_counts_from_the_last_time() -> None:
    clock, found = addresses(place(2))
    for place_of_it in (place(2), place(4)):
        found.suggest(place_of_it, reason_in("asked"))
    clock.time = RETENTION - 1
    found.suggest(place(4), reason_in("asked again"))
    clock.time = RETENTION + 1
    assert place(4) in found.possible()
    clock.time = 2 * RETENTION
    assert found.possible() == [place(2)]
    assert [event.address for event in clock.told if isinstance(event, AddressRemembered)] == [place(4)]


def test_a_member_that_is_there_is_never_forgotten_and_no_suggestion_makes_it_so() -> None:
    clock, found = addresses()
    found.members_changed([member(2)], [])
    found.suggest(place(2), reason_in("an old word"))
    clock.time = 10 * RETENTION
    assert found.possible() == [place(2)]


def test_the_oldest_give_way_where_too_many_come_and_go() -> None:
    clock, found = addresses(place(2))
    for number in range(MOST_REMEMBERED + 50):
        clock.time += 1
        found.suggest(f"10.0.{number // 250}.{number % 250}:5701", reason_in("asked"))
    assert len(found.possible()) == MOST_REMEMBERED + 1
    assert "10.0.0.49:5701" not in found
    assert "10.0.0.50:5701" in found


CHANGES = st.lists(st.tuples(st.sampled_from(["comes", "goes", "is named", "time"]), st.integers(2, 6)), max_size=60)


@given(CHANGES, st.sets(st.integers(2, 6)))
def test_remembered_is_who_is_there_or_left_lately(changes: list[tuple[str, int]], configured: set[int]) -> None:
    """Beside a plain model of it, through the next identity as well."""
    clock, found = addresses(*map(place, sorted(configured)))
    there: set[int] = set()
    left: dict[int, Micros] = {}
    for change, number in changes:
        match change:
            case "comes":
                there.add(number)
                found.members_changed([member(number)], [])
            case "goes" if number in there:
                there.discard(number)
                left[number] = clock.time
                found.members_changed([], [member(number)])
            case "is named":
                found.suggest(place(number), reason_in("a word"))
                left |= {number: clock.time} if number not in there else {}
            case "time":
                clock.time += number * 10 * SECOND
        lately = {n for n, at in left.items() if clock.time - at < RETENTION}
        assert sorted(found.possible()) == [place(n) for n in sorted(configured | there | lately)]
        assert all(place(n) in found for n in configured | there | lately)
    after = JoinAddresses(clock, place(1), found.configured, SETTINGS)
    after.take_over(found)
    assert sorted(after.possible()) == sorted(found.possible())
    left |= dict.fromkeys(there, clock.time)
    clock.time += RETENTION // 2
    lately = {n for n, at in left.items() if clock.time - at < RETENTION}
    assert sorted(after.possible()) == [place(n) for n in sorted(configured | lately)], "who had left before, did then"
    clock.time += RETENTION
    assert after.possible() == [place(n) for n in sorted(configured)], "in the next identity all of them have left"
    forgotten = {event.address for event in clock.told if isinstance(event, AddressForgotten)}
    assert forgotten >= {place(n) for n in there - configured}
