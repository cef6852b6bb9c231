"""The control socket's forms come through however the stream is cut, and what is none is refused."""

import random

import msgspec
import pytest
from tests.reasons import reason_in

from shaketable.node import events
from shaketable.node.core import commands
from shaketable.node.messages import Member
from shaketable.node.process import control
from shaketable.node.shaking.filters import FilterAct


def test_records_come_through_however_the_stream_is_cut() -> None:
    rng = random.Random(5)
    forms: list[control.Order | control.Said] = [
        control.Run("a", ("a", "b"), {"cluster_name": "dev"}, "seed", 0, 5000, {"b": 1}),
        control.Probe(1, "b", 100),
        control.ArmFilter(1, 2, FilterAct.DROP, ("heartbeat",), ("b",), None, 0),
        control.Done(3, "no"),
        control.Stop(),
    ]
    stream = b"".join(control.encode_record(form) for form in forms * 50)
    splitter, bodies = control.Splitter(), []
    while stream:
        size = rng.randrange(1, 60)
        bodies += splitter.feed(stream[:size])
        stream = stream[size:]
    decoder: msgspec.msgpack.Decoder[control.Order | control.Said] = msgspec.msgpack.Decoder(
        control.Order | control.Said
    )
    assert [decoder.decode(body) for body in bodies] == forms * 50


def test_a_record_that_is_too_long_breaks_the_stream() -> None:
    with pytest.raises(control.BrokenStream):
        control.Splitter().feed(b"\xff\xff\xff\xff")


def test_every_event_of_a_node_can_be_told() -> None:
    member = Member("127.0.0.1:5701", "u")
    for event in (
        events.Started(member),
        events.Leaving(),
        events.ViewPublished(1, "u", (member,), 2, True),
        events.ClaimFinished(1, (member,), ((member, "it did not answer"),)),
        events.Suspected(member, *reason_in("silence"), 7),
    ):
        assert control.event_decoder.decode(control.raw_event(event)) == event
    with pytest.raises(msgspec.ValidationError) as refusal:
        control.event_decoder.decode(msgspec.msgpack.encode({"kind": "NoSuchEvent"}))
    assert "NoSuchEvent" in str(refusal.value)


def test_every_command_has_a_form_that_comes_through() -> None:
    asked: list[commands.DataCommand] = [
        commands.OperateCommand("c", "put", "data", "k", "v"),
        commands.WorkCommand("c", "data", clients=2, keys=3, size=4, writes_percent=5, operations=None, pause=7),
        commands.StopWorkCommand("c"),
        commands.ReadCommand("c", "data", ("k", "l")),
        commands.TakeStockCommand(),
    ]
    forms = [control.Command(number, command) for number, command in enumerate(asked)]
    for form in forms:
        (body,) = control.Splitter().feed(control.encode_record(form))
        assert control.order_decoder.decode(body) == form
    assert len({type(form.command) for form in forms}) == len(forms)
    good = {"type": "OperateCommand", "client": "c", "does": "put", "map": "data", "key": "k"}
    for command in (good | {"does": "drop"}, good | {"type": "Operate"}):
        with pytest.raises(msgspec.ValidationError):
            control.order_decoder.decode(msgspec.msgpack.encode({"type": "command", "order": 1, "command": command}))
    control.order_decoder.decode(msgspec.msgpack.encode({"type": "command", "order": 1, "command": good}))


def test_the_values_of_a_hold_come_through() -> None:
    armed = control.ArmHold(1, 2, "MigrationFinished", None, 3, (("role", "owner"), ("partition", 5), ("a", True)))
    (body,) = control.Splitter().feed(control.encode_record(armed))
    assert control.order_decoder.decode(body) == armed
