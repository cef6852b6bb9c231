"""The quick way from a line to its record: one pass, with a type made for each kind that has all its fields typed.

It takes only lines as we write them. For any other line the codec reads the line again, column by column, and says what
is wrong with it."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from functools import reduce
from operator import attrgetter, or_
from typing import Annotated, Any, Final, NamedTuple, get_args

import msgspec

from shaketable.harness.records import HARNESS_EVENTS, Record
from shaketable.node.events import Event
from shaketable.node.events.base import Cause
from shaketable.node.messages import Member
from shaketable.node.messages.base import Number

TrueTime = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""microseconds, as many as the columns of stores and screens can hold"""
_HEAD: Final = ("time", TrueTime), ("node", str), ("incarnation", str), ("sequence", int)
_CAUSE: Final = (
    ("cause", str | None, None),
    ("cause_after", Number | None, None),
    ("cause_told", bool | None, None),
    ("cause_sender", str | None, None),
)


class Shape(NamedTuple):
    """Where the fields of a kind of event stand in its lines."""

    event: type[Event]
    fields: tuple[msgspec.structs.FieldInfo, ...]
    columns: tuple[str, ...]
    """fields that are a column of the same name"""
    mentions: dict[str, str]
    """fields that hold a member, in the column of that name and in this one"""
    rest: tuple[str, ...]
    """fields of the detail"""


class QuickReader:
    """It learns a kind when it meets the first line of it: there are many, and few occur in a short run."""

    def __init__(self, shape_of: Callable[[str], Shape | None]) -> None:
        """Of a kind of which there is no shape nothing can be read."""
        self._shape_of = shape_of
        self._makers: dict[type[msgspec.Struct], Callable[[Any], Record]] = {}
        self._kinds: dict[str, bool] = {}
        self._decode: Callable[[bytes], Any] = msgspec.json.Decoder(_Unknown).decode

    def read(self, line: bytes) -> Record:
        """It raises what msgspec raises, and reads nothing that the slow way would not read to the same record."""
        try:
            found = self._decode(line)
        except msgspec.ValidationError:
            if not self._learnt(line):
                raise
            found = self._decode(line)
        return self._makers[type(found)](found)

    def _learnt(self, line: bytes) -> bool:
        kind = msgspec.json.decode(line, type=_Kind).kind
        if kind in self._kinds:
            return False
        self._kinds[kind] = True
        shape = self._shape_of(kind)
        if shape is None:
            return False
        self._makers[_line_of(shape)] = _maker(shape)
        self._decode = msgspec.json.Decoder(reduce(or_, self._makers)).decode
        return True


class _Kind(msgspec.Struct, gc=False):
    kind: str


class _Unknown(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """As long as no kind is known no line can be read."""


def _line_of(shape: Shape) -> type[msgspec.Struct]:
    fields = {field.name: field for field in shape.fields}
    columns: list[tuple[str, Any]] = [(name, fields[name].type) for name in shape.columns]
    columns += [(column, str) for mention in shape.mentions.items() for column in mention]
    if shape.rest:
        rest = [_field(shape.event, fields[name]) for name in shape.rest]
        name = f"{shape.event.__name__}Rest"
        columns.append(("detail", msgspec.defstruct(name, rest, forbid_unknown_fields=True, gc=False)))
    return msgspec.defstruct(
        f"{shape.event.__name__}Read",
        [*_HEAD, *_CAUSE, *(_or_none(name, type_) for name, type_ in columns)],
        tag_field="kind",
        tag=shape.event.__name__,
        forbid_unknown_fields=True,
        kw_only=True,
        gc=False,
    )


def cause_in(line: Any) -> Cause | None:
    """Of a line that has those columns."""
    if line.cause is None:
        return None
    return Cause(line.cause, line.cause_after or 0, line.cause_told is True, line.cause_sender or "")


def added_later(event: type[Event], field: msgspec.structs.FieldInfo) -> bool:
    """Lines leave it out where it is as by default: (), and in the harness's own events any default."""
    return field.default == () or (event in HARNESS_EVENTS and not field.required)


def _field(event: type[Event], field: msgspec.structs.FieldInfo) -> tuple[str, Any] | tuple[str, Any, Any]:
    """Only a detail that was added later may be missing; null has to be said."""
    later = added_later(event, field)
    return (field.name, field.type, field.default) if later else (field.name, field.type)


def _or_none(name: str, type_: Any) -> tuple[str, Any] | tuple[str, Any, Any]:
    """A column that is null is left out."""
    return (name, type_, None) if types.NoneType in get_args(type_) else (name, type_)


def _maker(shape: Shape) -> Callable[[Any], Record]:
    """It runs for every event of every history: hence attrgetter, and a way of its own for each place that a member
    may have among the fields."""
    event, new, fields = shape.event, tuple.__new__, shape.event.__struct_fields__
    values = _values(shape, fields)
    at = [place for place, name in enumerate(fields) if name in shape.mentions]

    def plain(line: Any) -> Record:
        return new(
            Record, (line.time, line.node, line.incarnation, line.sequence, event(*values(line)), cause_in(line))
        )

    def first(line: Any) -> Record:
        address, uuid, *rest = values(line)
        made = event(Member(address, uuid), *rest)
        return new(Record, (line.time, line.node, line.incarnation, line.sequence, made, cause_in(line)))

    def anywhere(line: Any) -> Record:
        made = list(values(line))
        for place in at:
            made[place : place + 2] = [Member(made[place], made[place + 1])]
        return new(Record, (line.time, line.node, line.incarnation, line.sequence, event(*made), cause_in(line)))

    return plain if not at else first if at == [0] else anywhere


def _values(shape: Shape, fields: Iterable[str]) -> Callable[[Any], tuple[Any, ...]]:
    """In the order of the event's fields; of a member its address and its uuid."""
    paths: list[str] = []
    for name in fields:
        if name in shape.mentions:
            paths += (name, shape.mentions[name])
        else:
            paths.append(f"detail.{name}" if name in shape.rest else name)
    if not paths:
        return lambda line: ()
    get = attrgetter(*paths)
    return get if len(paths) > 1 else lambda line: (get(line),)
