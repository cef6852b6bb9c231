"""An error of another package's code, or an answer of a wrong kind, is told as the fault of that package."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from tests.harness.systems.faulty import BOOM, boom, faulty, gives, late_boom
from tests.harness.systems.toy import TOY

from shaketable.harness.errors import UserError
from shaketable.harness.faults.actions import Kill
from shaketable.harness.records import Record
from shaketable.harness.systems.dialogue import BrokenAfter, Dialogue
from shaketable.harness.systems.system import Members, Place, Process, System
from shaketable.harness.systems.their_code import guarded
from shaketable.node.config import FAST
from shaketable.node.events import Leaving
from shaketable.node.process import control
from shaketable.node.process.main import Birth

PLACE: Final = Place("n1", 1, 7001, Path(), Path("n1.hosts"))
BIRTH: Final = Birth("n1", b"", "", "n1.log", 1)
RUNNING: Final = b'{"kind": "running", "t": 1}\n'


def none_too_late() -> Generator[control.Said, object, None]:
    yield control.Running()
    raise KeyError("boom")


def fault(call: Callable[[], object]) -> str:
    with pytest.raises(UserError) as told:
        call()
    whole = str(told.value)
    assert whole.startswith("--system toy: its `")
    assert whole.endswith("; this is a fault of the package wrong")
    return whole.removeprefix("--system toy: ").removesuffix("; this is a fault of the package wrong")


def theirs(**does: Any) -> System:
    return guarded(replace(TOY, **does), "the package wrong")


def dialogue(**does: Any) -> Dialogue:
    return faulty(of_dialogue=does).members(TOY.under_test).dialogue(PLACE)


@pytest.mark.parametrize(
    ("name", "asked", "has_to"),
    [
        ("unfit", lambda system: system.unfit(FAST), "a text"),
        ("cannot", lambda system: system.cannot(Kill("n1")), "a text"),
        ("missing", lambda system: system.missing(TOY.under_test), "a text"),
        ("ready", lambda system: system.ready(TOY.under_test), "True or False"),
        ("retold", lambda system: system.retold(), "a function"),
    ],
)
def test_a_wrong_answer_of_the_system(name: str, asked: Callable[[System], object], has_to: str) -> None:
    assert fault(lambda: asked(theirs(**{name: gives(7)}))) == f"its `{name}` has given 7, and has to give {has_to}"


@pytest.mark.parametrize(
    ("tells", "said"),
    [(boom, BOOM), (gives(7), "given 7, and has to give a `Record`, or None")],
)
def test_what_is_retold_is_looked_at_as_well(tells: Callable[[Record], Any], said: str) -> None:
    retold = theirs(retold=gives(tells)).retold()
    assert fault(lambda: retold(Record(0, "n1", "", 1, Leaving()))) == f"its `retold` has {said}"


def test_members_that_are_none() -> None:
    assert fault(lambda: theirs(members=gives(None)).members(TOY.under_test)) == (
        "its `members` has given None, which has no `address` and no `process` and no `dialogue`"
    )


ASKED: Final[dict[str, Callable[[Members], object]]] = {
    "address": lambda members: members.address(PLACE),
    "process": lambda members: members.process(PLACE, BIRTH),
    "dialogue": lambda members: members.dialogue(PLACE),
}


@pytest.mark.parametrize(
    ("name", "does", "said"),
    [
        *((name, boom, BOOM) for name in ASKED),
        ("address", gives(7), "given 7, and has to give a text"),
        ("process", gives(None), "given None, and has to give a `Process` of a function and bytes"),
        ("process", gives(Process(boom, "")), "given Process("),  # type: ignore[arg-type]
        ("process", gives(Process(none_too_late().send, b"")), "raised TypeError: cannot pickle "),  # type: ignore[arg-type]
        ("dialogue", gives(None), "given None, which has no `order` and no `heard` and no `ended` and no "),
    ],
)
def test_what_members_are_asked_for(name: str, does: Callable[..., Any], said: str) -> None:
    members = faulty({name: does}).members(TOY.under_test)
    assert fault(lambda: ASKED[name](members)).startswith(f"its `{name}` has {said}")


def test_what_is_right_comes_through() -> None:
    members = faulty().members(TOY.under_test)
    assert members.address(PLACE) == "n1:7001"
    assert members.process(PLACE, BIRTH).with_ == TOY.members(TOY.under_test).process(PLACE, BIRTH).with_
    talk = members.dialogue(PLACE)
    assert talk.order(control.AddLinks(7, {})) == (b"", (control.Done(7),))
    assert [type(said) for said in talk.heard(RUNNING)] == [control.Running, control.Reported]
    assert (*talk.take_troubles(), *talk.ended()) == ()


TALKED: Final[dict[str, Callable[[Dialogue], object]]] = {
    "order": lambda talk: talk.order(control.Stop()),
    "heard": lambda talk: talk.heard(RUNNING),
    "ended": lambda talk: talk.ended(),
    "take_troubles": lambda talk: talk.take_troubles(),
}


@pytest.mark.parametrize(
    ("name", "does", "said"),
    [
        *((name, boom, BOOM) for name in TALKED),
        ("order", gives(b""), "given b'', and has to give bytes and what is answered at once"),
        ("order", gives((b"", None)), "given None, and has to give a sequence"),
        ("heard", gives(None), "given None, and has to give a sequence"),
        ("heard", lambda data: none_too_late(), "raised KeyError: 'boom'"),
        ("heard", gives([7]), "given 7, which no member can say: it is no form of node/process/control.py"),
        (
            "heard",
            gives([control.Done("1")]),  # type: ignore[arg-type]
            "given Done(order='1', refusal=''), which no member can say: Expected `int`, got `str` - at `$.order`",
        ),
        (
            "ended",
            gives([control.Reported(1, "", 1, msgspec.Raw(b"\xc0"))]),
            "given Reported(time=1, incarnation='', sequence=1, ",
        ),
        ("take_troubles", gives("odd"), "given 'odd', and has to give a sequence of texts"),
    ],
)
def test_a_dialogue_that_fails_is_asked_nothing_more(name: str, does: Callable[..., Any], said: str) -> None:
    talk = dialogue(**{name: does})
    assert fault(lambda: TALKED[name](talk)).startswith(f"its `{name}` has {said}")
    assert [list(filter(None, asked(talk))) for asked in TALKED.values()] == [[], [], [], []]  # type: ignore[call-overload]


def test_lines_that_are_not_understood_are_the_member_s_fault() -> None:
    with pytest.raises(BrokenAfter, match="a line that is none of a toy's") as broken:
        dialogue().heard(RUNNING + b"garbage\n")
    assert len(broken.value.said) == 2
    assert fault(lambda: dialogue(hear=late_boom).heard(RUNNING)) == f"its `heard` has {BOOM}"
