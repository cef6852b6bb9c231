"""The values of a system of another package: what is wrong with one is said before anything starts."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, NoReturn

import msgspec
import pytest
from tests.harness.systems.toy import TOY

from shaketable.harness.records import UnderTest
from shaketable.harness.systems import their_values
from shaketable.harness.systems.hazelcast.system import HAZELCAST
from shaketable.harness.systems.jgroups.system import JGROUPS
from shaketable.harness.systems.ours import SHAKETABLE
from shaketable.harness.systems.system import System
from shaketable.harness.systems.their_values import wrong_values


class Shy:
    def __repr__(self) -> NoReturn:
        raise RuntimeError("nobody foresaw it")


@pytest.mark.parametrize("system", [SHAKETABLE, HAZELCAST, JGROUPS, TOY], ids=lambda system: system.name)
def test_those_that_are_known_to_work_have_good_ones(system: System) -> None:
    assert list(wrong_values(system)) == []


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("versions", 5, "its `versions` is 5, and has to be a tuple of texts"),
        ("versions", "5.7.0", "its `versions` is '5.7.0', and has to be a tuple of texts"),
        ("versions", (5,), "its `versions` is (5,), and has to be a tuple of texts"),
        ("ports", -1, "its `ports` is -1, and has to be a whole number from 1 on"),
        ("ports", True, "its `ports` is True, and has to be a whole number from 1 on"),
        ("both_ways", "yes", "its `both_ways` is 'yes', and has to be True or False"),
        ("preset", None, "its `preset` is None, and has to be a text"),
        ("settings", {7: 1}, "its `settings` is {7: 1}, and has to be a mapping, with the names of settings as texts"),
        ("patience", 2.5, "its `patience` is 2.5, and has to be a whole number of microseconds, from 0 on"),
        ("last_words", -1, "its `last_words` is -1, and has to be a number of seconds, from 0 on"),
        ("last_words", float("nan"), "its `last_words` is nan, and has to be a number of seconds, from 0 on"),
        ("members", None, "its `members` is None, and has to be a function"),
        ("ready", Shy(), "its `ready` is of the type Shy, and has to be a function"),
    ],
)
def test_a_value_of_the_system(name: str, value: Any, sentence: str) -> None:
    assert list(wrong_values(replace(TOY, **{name: value}))) == [sentence]


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("tells", 5, "its `tells` is 5, and has to be a tuple of texts, or None"),
        ("tells", ["Started"], "its `tells` is ['Started'], and has to be a tuple of texts, or None"),
        ("infers", None, "its `infers` is None, and has to be a tuple of texts"),
        ("title", 7, "its `title` is 7, and has to be a text"),
        ("any_best", 1, "its `any_best` is 1, and has to be True or False"),
    ],
)
def test_a_value_of_what_is_under_test(name: str, value: Any, sentence: str) -> None:
    told = msgspec.structs.replace(TOY.under_test, **{name: value})
    assert list(wrong_values(replace(TOY, under_test=told))) == [sentence]


def test_several_ports_need_connections_that_carry_both_directions() -> None:
    assert list(wrong_values(replace(TOY, ports=2))) == []
    assert list(wrong_values(replace(TOY, ports=2, both_ways=False))) == [
        "its `ports` is 2, and more than one goes only with `both_ways`"
    ]


def test_every_value_is_looked_at() -> None:
    assert {"under_test", *their_values.OF_SYSTEM} == {field.name for field in fields(System)}
    assert {*their_values.OF_UNDER_TEST} == {*UnderTest.__struct_fields__}
