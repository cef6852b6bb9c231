"""Messages on the wire: each kind goes there and back, and whatever else is refused, always in the same way."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.node.messages.messages_by_chance import KINDS, member, members, messages

from shaketable.node import messages as m
from shaketable.node.messages import Heartbeat, MalformedMessage, Member, MemberList, Message, decode, encode, kind_of

KIND = "type"
ANY = messages(members(5, 3))
BYTES = ("data", "value")
SEVERAL = (
    "suspected", "completed", "active", "under_way", "holders", "versions", "same", "different", "addresses",
    "heard", "notifications", "expected", "results",
)  # fmt: skip
"""fields that may have none"""
VIEW = MemberList(3, member(1).uuid, (member(1), member(2)))


def as_data(message: Message) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(message, builtin_types=[bytes])
    return data


def refused(data: object) -> str:
    with pytest.raises(MalformedMessage) as caught:
        decode(msgspec.msgpack.encode(data))
    return str(caught.value)


@given(ANY)
def test_a_message_goes_there_and_back(message: Message) -> None:
    assert decode(encode(message)) == message


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
@settings(max_examples=6, deadline=None)
def test_every_kind_does_and_needs_each_field_and_takes_no_other(kind: type[Message], data: st.DataObject) -> None:
    message = data.draw(messages(members(3, 2), kinds=(kind,)))
    again = decode(encode(message))
    assert type(again) is kind
    assert again == message
    assert kind_of(again) == kind.__name__.lower()
    whole = as_data(message)
    needed = [field.encode_name for field in msgspec.structs.fields(kind) if field.required]
    for name in [KIND, *needed]:
        assert refused({key: value for key, value in whole.items() if key != name})
    assert "unknown" in refused({**whole, "more": 1})


MAY_BE_LEFT_OUT = [
    (Heartbeat, "suspected"),
    (m.ClaimAccepted, "has_table"),
    (m.PublishTable, "under_way"),
    (m.PublishTable, "requested"),
    (m.Chunk, "with_next"),
    (m.Part, "with_next"),
    (m.ChunkReceived, "refusal"),
    (m.HealthAnnounced, "doubt"),
    (m.SwimPing, "doubt"),
    (m.SwimPingWanted, "doubt"),
]


def test_every_other_field_is_always_there_and_a_heartbeat_leaves_out_that_nobody_is_suspected() -> None:
    assert [(k, f.name) for k in KINDS for f in msgspec.structs.fields(k) if not f.required] == MAY_BE_LEFT_OUT
    said = Heartbeat(member(1), member(2).uuid, None, 3, 0)
    assert "suspected" not in as_data(said)
    assert decode(encode(said)) == said


@given(st.data())
def test_no_field_takes_a_value_of_another_type(data: st.DataObject) -> None:
    whole = as_data(data.draw(ANY))
    name = data.draw(st.sampled_from(sorted(whole)))
    others: list[object] = [1.5, {}, [1], -(1 << 61), 1 << 61]
    if name not in BYTES:
        others.append(b"x")
    if name not in SEVERAL:
        others.append([])
    other = data.draw(st.sampled_from(others))
    assert refused({**whole, name: other})


@given(st.binary(max_size=200))
def test_bytes_by_chance_are_refused(data: bytes) -> None:
    with pytest.raises(MalformedMessage):
        decode(data)


@given(ANY, st.data())
@settings(max_examples=150, deadline=None)
def test_a_mutated_message_is_refused_or_well_formed(message: Message, data: st.DataObject) -> None:
    wire = bytearray(encode(message))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(wire) - 1))
        match data.draw(st.sampled_from(["change", "drop", "add", "cut"])):
            case "change":
                wire[at] = data.draw(st.integers(0, 255))
            case "drop" if len(wire) > 1:
                del wire[at]
            case "add":
                wire.insert(at, data.draw(st.integers(0, 255)))
            case "cut":
                del wire[at + 1 :]
    try:
        again = decode(bytes(wire))
    except MalformedMessage:
        return
    assert decode(encode(again)) == again


def test_a_deep_nest_is_refused() -> None:
    with pytest.raises(MalformedMessage):
        decode(b"\x91" * 500_000 + b"\xc0")


def test_what_is_too_large_is_refused_unread_and_a_list_of_7000_is_not() -> None:
    many = tuple(Member(f"127.0.0.1:{i}", f"{i:036d}") for i in range(7000))
    update = m.MembersUpdate(member(1), member(2).uuid, MemberList(9, many[0].uuid, many))
    assert decode(encode(update)) == update
    with pytest.raises(MalformedMessage, match="more than a message may have"):
        decode(b"\x00" * (m.LARGEST_MESSAGE + 1))


LISTS: dict[str, tuple[Any, ...]] = {
    "twice": (3, "u", [["a:1", "u"], ["a:1", "v"]]),
    "uuid twice": (3, "u", [["a:1", "u"], ["a:2", "u"]]),
    "empty": (3, "u", []),
    "version 0": (0, "u", [["a:1", "u"]]),
    "below 0": (-1, "u", [["a:1", "u"]]),
    "beyond all": (1 << 61, "u", [["a:1", "u"]]),
    "a member too long": (3, "u", [["a:1", "u", False, "more"]]),
    "lite or not": (3, "u", [["a:1", "u", 1]]),
    "too long": (3, "u", [["a:1", "u"]], 1),
    "no author": (3, None, [["a:1", "u"]]),
}


@pytest.mark.parametrize("view", LISTS.values(), ids=LISTS)
def test_what_is_no_member_list_is_refused(view: object) -> None:
    whole = as_data(m.MembersUpdate(member(1), member(2).uuid, VIEW))
    assert refused({**whole, "view": view})


def test_an_unknown_kind_and_no_kind_are_refused() -> None:
    whole = as_data(Heartbeat(member(1), member(2).uuid, None, 3, 0))
    assert decode(msgspec.msgpack.encode(whole))
    for kind in ("Heartbeat", "message", "", 5, None):
        assert refused({**whole, "type": kind})
    assert refused([1, 2])
    assert refused(None)


def test_every_kind_of_message_is_in_the_union() -> None:
    bases = (Message, m.GroupMessage)
    declared = {k for k in vars(m).values() if isinstance(k, type) and issubclass(k, Message) and k not in bases}
    assert declared == set(KINDS)
