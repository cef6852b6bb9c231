"""The event in a line of the contract. A node that does not say why something is so says the usual."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from shaketable.node import events
from shaketable.node.events import Event
from shaketable.node.process import contract, control
from shaketable.node.why import Why

USUAL: Final[Mapping[str, Why]] = {
    events.Joined.__name__: Why.FINALIZE_JOIN,
    events.ViewInstalled.__name__: Why.MEMBERS_UPDATE,
    events.MasterFollowed.__name__: Why.FIRST_OF_THE_LIST,
    events.Suspected.__name__: Why.NO_HEARTBEAT,
    events.SuspicionEnded.__name__: Why.HEARTBEAT,
    events.MemberRemoved.__name__: Why.NO_HEARTBEAT,
    events.Stopped.__name__: Why.LEFT,
}
"""by kind of event"""
_fields: Final = msgspec.json.Decoder(dict[str, Any])


def event_of(told: bytes) -> tuple[Event, msgspec.Raw]:
    """And as our own nodes tell it. ValueError: it is none of ours."""
    try:
        event = _decoded(told)
        return event, control.raw_event(event)
    except (TypeError, OverflowError, RecursionError) as error:  # no kind of ours, or a number that nobody can store
        raise ValueError(str(error)) from None


def _decoded(told: bytes) -> Event:
    try:
        event: Event = contract.event_decoder.decode(told)
    except msgspec.ValidationError:
        fields = _fields.decode(told)
        usual = Why.FOUNDED if fields.get("founded") is True else USUAL.get(fields.get("kind", ""))
        if usual is None:
            raise
        why = fields.setdefault("why", usual.value)
        fields.setdefault("reason", _words_of(why))
        event = msgspec.convert(fields, control.AnyEvent)
    return event


def _words_of(why: object) -> str:
    words = next((each.words for each in Why if each.value == why), "")
    return "" if "{}" in words else words
