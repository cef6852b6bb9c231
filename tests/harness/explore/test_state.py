"""Names of states: equal ones for what is equal, whatever it is made of, and other ones for all else."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import msgspec
import pytest

from shaketable.harness.explore.state import name_of_all
from shaketable.node.messages import Member, MemberList


class Slots:
    __slots__ = ("one",)

    def __init__(self, one: object) -> None:
        self.one = one


class Plain:
    def __init__(self, one: object) -> None:
        self.one = one

    def call(self) -> None: ...


class Mutable(msgspec.Struct):
    one: Any


class Pair(NamedTuple):
    one: Any
    two: Any


def closing_over(thing: object) -> Callable[[], object]:
    return lambda: thing


def circle(thing: object) -> Plain:
    here = Plain(None)
    here.one = [here, thing]
    return here


MADE: list[Callable[[Any], object]] = [
    lambda thing: [thing],
    lambda thing: {thing: 1},
    lambda thing: {1: thing},
    lambda thing: {thing, "other"},
    lambda thing: (thing, thing),
    Slots,
    Plain,
    Mutable,
    lambda thing: Pair(1, thing),
    lambda thing: Plain(thing).call,
    lambda thing: partial(max, thing),
    lambda thing: partial(max, key=thing),
    closing_over,
    circle,
    lambda thing: random.Random(thing),
    lambda thing: random.Random(thing).random,
    lambda thing: Member("a", str(thing)),
    lambda thing: MemberList(1, "a", (Member("a", str(thing)),)),
]


@pytest.mark.parametrize("make", MADE)
def test_equal_things_have_one_name_and_others_have_others(make: Callable[[Any], object]) -> None:
    names = [name_of_all(make(thing), known={}) for thing in (1, 1, 2)]
    assert names[0] == names[1] != names[2]


def test_it_does_not_matter_whether_two_equal_values_are_one() -> None:
    one, other = Member("a", "b"), Member("a", "b")
    assert name_of_all([one, one], known={}) == name_of_all([one, other], known={})


def test_it_matters_whether_two_things_that_change_are_one() -> None:
    one, other = [1], [1]
    assert name_of_all([one, one], known={}) != name_of_all([one, other], known={})


def test_what_is_known_is_not_looked_into() -> None:
    one, other = Plain(1), Plain(2)
    assert name_of_all([one], known={id(one): "it"}) == name_of_all([other], known={id(other): "it"})


def test_what_cannot_be_read_is_another_thing_each_time() -> None:
    def numbers() -> Iterator[int]:
        yield 1

    one = numbers()
    assert name_of_all(one, known={}) != name_of_all(one, known={})
