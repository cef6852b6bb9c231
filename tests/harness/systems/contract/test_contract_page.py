"""The page of the contract: its transcript is what both sides say, and it names all orders, levels and keys."""

from __future__ import annotations

import re
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.harness.history.test_codec import arbitrary
from tests.where import ROOT

from shaketable.harness.systems.contract.described import CAN, Described
from shaketable.harness.systems.contract.dialogue import Dialogue
from shaketable.harness.systems.contract.levels import LEVELS, tells
from shaketable.harness.systems.contract.schema import schema
from shaketable.harness.systems.contract.times import Times
from shaketable.node.events import Event, Joined, Started, Stopped, ViewInstalled
from shaketable.node.process import contract, control

PAGE = (ROOT / "docs" / "contract.md").read_text()
TRANSCRIPT = re.findall(r"^    ([<>]) (\{.*\})$", PAGE, re.MULTILINE)


def test_what_the_node_says_is_understood() -> None:
    dialogue = Dialogue("n2", b"", Times(0, lambda: 1 << 40))
    heard = dialogue.heard("".join(f"{line}\n" for side, line in TRANSCRIPT if side == "<").encode())
    events = [control.event_decoder.decode(said.event) for said in heard if isinstance(said, control.Reported)]
    assert [said.sequence for said in heard if isinstance(said, control.Reported)] == list(range(1, len(events) + 1))
    assert {type(event) for event in events} >= {Started, Joined, ViewInstalled, Stopped}
    assert {type(said) for said in heard} == {control.Running, control.Reported, control.Snapshot, control.Done}


def test_what_the_harness_says_is_what_it_says() -> None:
    orders = [line for side, line in TRANSCRIPT if side == ">"]
    assert len(orders) >= 4
    for line in orders:
        form = contract.order_decoder.decode(line)
        assert _without_usual(form) == msgspec.json.decode(line), line


def _without_usual(form: contract.HarnessSays) -> object:
    """The page leaves out what a form has by default."""
    said = msgspec.json.decode(contract.line_of(form))
    usual = {field.name: field.default for field in msgspec.structs.fields(form)}
    return {name: value for name, value in said.items() if name not in usual or value != usual[name]}


def test_it_has_all_orders_levels_and_keys() -> None:
    orders = PAGE[PAGE.index("## Orders") :]
    tags = [form.__struct_config__.tag for form in contract.HarnessSays.__args__]
    assert [tag for tag in tags if f"`{tag}`" not in orders] == []
    assert re.findall(r"^\| (\d) \|", PAGE, re.MULTILINE) == [str(level) for level in LEVELS]
    keys = PAGE[PAGE.index("## system.toml") :]
    assert [name for name in Described.__struct_fields__ if not re.search(rf"`?{name}`? ?=|`{name}`", keys)] == []
    assert [word for word in CAN if f"`{word}`" not in keys] == []


@pytest.mark.parametrize("level", [0, 1, 2])
def test_it_names_what_each_of_the_lower_levels_tells(level: int) -> None:
    rows = [row for row in PAGE.splitlines() if re.match(rf"\| [{'0' if level == 0 else f'1-{level}'}] \|", row)]
    named = set(re.findall(r"`(\w+)`", "".join(rows)))
    assert named == set(tells(level) or ()) - {"Failed"}


def test_the_schema_has_every_form_and_event() -> None:
    found = schema()["$defs"]
    assert {"Ready", "Run", "Reported", "ViewInstalled", "Event", "NodeSays", "HarnessSays"} <= set(found)
    assert found["ViewInstalled"]["required"] == ["kind", "version", "author", "master", "members"]
    assert found["Reported"]["properties"]["event"] == {"$ref": "#/$defs/Event"}


def test_what_both_sides_say_is_of_the_schema() -> None:
    said_by = {"<": valid("NodeSays"), ">": valid("HarnessSays")}
    for side, line in TRANSCRIPT:
        said_by[side].validate(msgspec.json.decode(line))


@settings(max_examples=300, deadline=None)
@given(st.one_of(*map(arbitrary, get_args(control.AnyEvent))))
def test_whatever_our_own_node_tells_is_of_the_schema(event: Event) -> None:
    EVENT.validate(msgspec.json.decode(msgspec.json.encode(event)))


def valid(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$defs": schema()["$defs"], "$ref": f"#/$defs/{name}"})


EVENT = valid("Event")
