"""Which of the events of one name a hold means: some of their fields with their values, given by name.

Numbers, words and yes or no; a member is given as the name of its node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin

import msgspec

from shaketable.harness.errors import ScriptError
from shaketable.node import events
from shaketable.node.messages import Address, Member
from shaketable.node.shaking.holds import Where

_SIMPLE: Final = {bool: "True or False", int: "a whole number", str: "a text", NoneType: "None"}

A_KIND: Final = "a kind of reason (see list(shaketable.Why))"


def where_of(event: str, values: object, address_of: Callable[[str], Address]) -> Where:
    """Checked; members as their addresses."""
    if not isinstance(values, Mapping):
        raise ScriptError(f"where: give fields of {event} with their values, {{'role': 'master'}}, not {values!r}")
    fields = _fields(getattr(events, event))
    return tuple((name, _value(event, fields, name, value, address_of)) for name, value in values.items())


def values_that_can_be_named(event: str) -> tuple[str, ...]:
    return tuple(_fields(getattr(events, event)))


def _value(
    event: str, fields: Mapping[str, Any], name: object, value: object, address_of: Callable[[str], Address]
) -> str | int | bool | None:
    if name not in fields:
        raise ScriptError(f"where: {event} has no field {name} to compare; it has {', '.join(fields) or 'none'}")
    type_ = fields[str(name)]
    if type_ is Member:
        if not isinstance(value, str):
            raise ScriptError(f"where: {name} of {event} is the name of a node, not {value!r}")
        return address_of(value)
    try:
        found: str | int | bool | None = msgspec.convert(value, type_)
    except msgspec.ValidationError:
        kinds = " or ".join(_SIMPLE.get(each, A_KIND) for each in _alternatives(type_))
        raise ScriptError(f"where: {name} of {event} is {kinds}, not {value!r}") from None
    return found


def _fields(event: type[events.Event]) -> dict[str, Any]:
    """Those that can be compared."""
    types = {field.name: field.type for field in msgspec.structs.fields(event)}
    return {
        name: type_
        for name, type_ in types.items()
        if type_ is Member or all(each in _SIMPLE or _is_kind(each) for each in _alternatives(type_))
    }


def _alternatives(type_: Any) -> tuple[Any, ...]:
    return get_args(type_) if get_origin(type_) is UnionType else (type_,)


def _is_kind(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, StrEnum)
