"""The one codec: event <-> flat row <-> canonical line.

A line is a JSON object with the columns below in this order, without spaces and without floats. A column that is null
is left out. So a column that is added later leaves older lines, and their hash, as they were. `detail` holds all fields
that have no column, null or not. A field that was added later is left out if it has its default."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple, Union, get_args, get_origin

import msgspec

from shaketable.harness.history.reading import QuickReader, Shape, TrueTime, added_later, cause_in
from shaketable.harness.records import HARNESS_EVENTS, Record, RunBegan
from shaketable.node import events as node_events
from shaketable.node.events import Event
from shaketable.node.events.base import Cause
from shaketable.node.messages import Member
from shaketable.node.messages.base import Number

SCHEMA: Final = 2
"""Of the lines. Another one is refused, in words: of schema 1 no reason has a kind. A new column or kind of event alone
does not raise it."""

NO_DETAIL: Final = msgspec.Raw()


class Row(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """One event, flat: what Parquet gets as columns. The run's own column is added when runs are put together."""

    time: TrueTime
    node: str
    incarnation: str
    sequence: int
    kind: str
    cause: str | None = None
    """the kind of the message that began the step, or "timer" """
    cause_after: Number | None = None
    """the number of the last event that its sender had told when it left"""
    cause_told: bool | None = None
    """true: in the very step that sent it"""
    cause_sender: str | None = None
    """the uuid of the sender of the message"""
    version: int | None = None
    author: str | None = None
    master: str | None = None
    master_uuid: str | None = None
    members: tuple[Member, ...] | None = None
    peer: str | None = None
    """the address of a member; in the harness's own events the name of a node"""
    peer_uuid: str | None = None
    partition: int | None = None
    replica: int | None = None
    reason: str | None = None
    """in words, for people"""
    why: str | None = None
    """the kind of the reason, which nobody words anew"""
    detail: msgspec.Raw = NO_DETAIL
    """a JSON object"""


class CodecError(ValueError):
    """A row or a line that this version cannot read, in a few words."""


COLUMNS: Final = tuple(field.name for field in msgspec.structs.fields(Row))
_HEAD: Final = COLUMNS[:5]
_CAUSE: Final = COLUMNS[5:9]
_SIMPLE: Final = {
    "version": int,
    "author": str,
    "partition": int,
    "replica": int,
    "reason": str,
    "members": tuple[Member, ...],
}
_MENTIONS: Final = {"master": "master_uuid", "peer": "peer_uuid"}
"""Columns that name a member, and the column of its uuid; the harness names nodes without one."""


class _Plan(NamedTuple):
    """How the events of one kind become lines, and back."""

    event: type[Event]
    fields: tuple[msgspec.structs.FieldInfo, ...]
    kind: str
    line: Callable[..., msgspec.Struct]
    """takes time, node, incarnation, sequence, kind, the cause, the values of the columns, and the detail if there is
    one"""
    values: Callable[[Event], tuple[Any, ...]]
    detail: Callable[..., msgspec.Struct] | None
    details: Callable[[Event], tuple[Any, ...]]
    floats: bool
    """the details may hold some"""
    usual: tuple[Any, ...] | None
    """of the details, where older lines have none: those that are left out"""
    columns: tuple[str, ...]
    """fields that are a column of the same name"""
    mentions: tuple[str, ...]
    """fields that hold a member, in two columns"""
    rest: tuple[str, ...]
    later: tuple[str, ...]
    """those of the rest that older lines lack"""
    may_mention_nobody: bool
    structs: tuple[str, ...]
    """fields that hold one: a text in it stands as it is, beside floats too"""


def to_line(record: Record) -> bytes:
    """With its line feed."""
    return to_lines([record])


def to_lines(records: Iterable[Record]) -> bytes:
    return _encoder.encode_lines([_line_of(*record) for record in records])


def hashed_lines(records: Iterable[Record]) -> bytes:
    """The lines of which a history's hash is made: without versions (the link fabric's) and without paths."""
    return _encoder.encode_lines(
        [
            _line_of(*(record._replace(event=_without_place(event)) if type(event) is RunBegan else record))
            for record in records
            for event in (record.event,)
        ]
    )


def _line_of(
    time: int, node: str, incarnation: str, sequence: int, event: Event, cause: Cause | None
) -> msgspec.Struct:
    plan = _PLANS[type(event)]
    _, _, kind, line, values, detail, details, floats, usual = plan[:9]  # by place: it is done for each event
    begun = _NO_CAUSE if cause is None else (cause.kind, cause.after, cause.told or None, cause.sender or None)
    if detail is None:
        return line(time, node, incarnation, sequence, kind, *begun, *values(event))
    told = details(event)
    if told == usual:
        return line(time, node, incarnation, sequence, kind, *begun, *values(event))
    if floats:
        told = tuple(map(_without_floats, told))
    return line(time, node, incarnation, sequence, kind, *begun, *values(event), detail(*told))


def row_of(line: bytes) -> Row:
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CodecError(f"this is no line of a history: {error}") from error


def from_row(row: Row) -> Record:
    return Record(row.time, row.node, row.incarnation, row.sequence, _event_of(row), cause_in(row))


def from_line(line: bytes) -> Record:
    try:
        return _quick(line)
    except (ValueError, RecursionError):
        return from_row(row_of(line))  # which says what is wrong, if anything is


def _event_of(row: Row) -> Event:
    kind = _KINDS.get(row.kind)
    if kind is None:
        raise CodecError(f"no event of the kind {row.kind!r} is known here (schema {SCHEMA})")
    plan = _PLANS[kind]
    values: dict[str, object] = {name: getattr(row, name) for name in plan.columns}
    for name in plan.mentions:
        address, uuid = getattr(row, name), getattr(row, _MENTIONS[name])
        values[name] = None if address is None else (address, uuid)
    try:
        if plan.rest:
            rest = msgspec.json.decode(row.detail) if row.detail is not NO_DETAIL else {}
            if not isinstance(rest, dict):
                raise ValueError("its detail is no object")
            if not frozenset(plan.rest).difference(plan.later) <= frozenset(rest) <= frozenset(plan.rest):
                raise ValueError(f"its detail must have {', '.join(plan.rest)}, and has {', '.join(rest) or 'nothing'}")
            for name in rest:
                values[name] = _with_floats(rest[name]) if plan.floats and name not in plan.structs else rest[name]
        return msgspec.convert(values, plan.event)
    except (msgspec.MsgspecError, AttributeError, ValueError) as error:
        raise CodecError(f"a {row.kind} that does not fit: {error}") from error


# Floats: settings may have some, lines have none (their text form is nobody's promise across versions).
# A float is written as a text that begins with "=", a text that begins with "=" gets one more.


def _without_floats(value: object) -> object:
    if type(value) is int or type(value) is bool:
        return value  # most are: the settings of each run go this way
    match value:
        case str():
            return "=" + value if value.startswith("=") else value
        case int():
            return value
        case float():
            return f"={value!r}"
        case dict():
            return {key: _without_floats(value[key]) for key in sorted(value)}
        case list() | tuple():
            return [_without_floats(each) for each in value]
    return value


def _with_floats(value: object) -> object:
    match value:
        case str() if value.startswith("="):
            return value[1:] if value.startswith("==") else float(value[1:])
        case dict():
            return {key: _with_floats(each) for key, each in value.items()}
        case list():
            return [_with_floats(each) for each in value]
    return value


def _without_place(began: RunBegan) -> RunBegan:
    system = msgspec.structs.replace(began.system, version="")
    return msgspec.structs.replace(began, fabric="", script=began.script.rpartition("/")[2], system=system)


# The plans, made once for each kind


class _Plans(dict[type[Event], _Plan]):
    """Of a kind when the first of its events is written or read: there are many, and few occur in a short run."""

    def __missing__(self, event: type[Event]) -> _Plan:
        assert event in EVENT_TYPES, f"nobody could read a {event.__name__}"
        plan = self[event] = _plan_of(event)
        return plan


def _plan_of(event: type[Event]) -> _Plan:
    sources: dict[str, str] = {}
    """of each column that this kind has, where in the event its value is"""
    columns, mentions, rest = [], [], []
    told = msgspec.structs.fields(event)
    types_of = {field.name: field.type for field in told}
    later = {field.name: field.default for field in told if added_later(event, field)}
    for name, type_ in types_of.items():
        kinds = _alternatives(type_)
        if name in _MENTIONS and kinds == [Member]:
            sources[name], sources[_MENTIONS[name]] = f"{name}.address", f"{name}.uuid"
            mentions.append(name)
        elif kinds == [str if name in _MENTIONS else _SIMPLE.get(name)] or name == "why":
            sources[name] = name
            columns.append(name)
        else:
            rest.append(name)
    used = [name for name in COLUMNS if name in sources]
    may_mention_nobody = any(types_of[name] is not Member for name in mentions)
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = [(name, Any) for name in _HEAD]
    fields += [(name, Any, None) for name in (*_CAUSE, *used)]
    fields += [("detail", Any, None)] if rest else []
    return _Plan(
        event,
        told,
        event.__name__,
        msgspec.defstruct(f"{event.__name__}Line", fields, omit_defaults=True, gc=False),
        _getter([sources[name] for name in used], may_mention_nobody),
        _detail_of(event, rest, later) if rest else None,
        _getter(rest),
        any(_may_hold_float(types_of[name]) for name in rest),
        tuple(later[name] for name in rest) if rest and later.keys() >= set(rest) else None,
        tuple(columns),
        tuple(mentions),
        tuple(rest),
        tuple(later),
        may_mention_nobody,
        tuple(name for name in rest if isinstance(types_of[name], type) and issubclass(types_of[name], msgspec.Struct)),
    )


def _detail_of(event: type[Event], rest: list[str], later: Mapping[str, object]) -> type[msgspec.Struct]:
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = [
        (name, Any, later[name]) if name in later else (name, Any) for name in rest
    ]
    return msgspec.defstruct(f"{event.__name__}Detail", fields, omit_defaults=True, gc=False)


def _getter(paths: list[str], may_be_none: bool = False) -> Callable[[Event], tuple[Any, ...]]:
    """It runs for every event of every simulated run, hence attrgetter, which has its own idea of one and of none."""
    if may_be_none:
        return lambda event: tuple(_follow(event, path) for path in paths)
    if not paths:
        return lambda event: ()
    get = attrgetter(*paths)
    return get if len(paths) > 1 else lambda event: (get(event),)


def _follow(value: object, path: str) -> object:
    for name in path.split("."):
        value = None if value is None else getattr(value, name)
    return value


def _alternatives(type_: Any) -> list[Any]:
    """What a value of this type can be, None apart."""
    if get_origin(type_) in (Union, types.UnionType):
        return [each for each in get_args(type_) if each is not types.NoneType]
    return [type_]


def _may_hold_float(type_: Any) -> bool:
    return type_ is float or any(_may_hold_float(each) for each in get_args(type_))


_NO_CAUSE: Final = (None,) * len(_CAUSE)
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Row)

EVENT_TYPES: Final[tuple[type[Event], ...]] = (
    *(
        each
        for each in vars(node_events).values()
        if isinstance(each, type) and issubclass(each, Event) and each is not Event
    ),
    *HARNESS_EVENTS,
)
_KINDS: Final = {event.__name__: event for event in EVENT_TYPES}
_PLANS: Final = _Plans()


def _shape_of(kind: str) -> Shape | None:
    """Of the few kinds that have none here the lines go the slow way."""
    plan = _PLANS[_KINDS[kind]] if kind in _KINDS else None
    if plan is None or plan.floats or plan.may_mention_nobody:
        return None
    return Shape(plan.event, plan.fields, plan.columns, {name: _MENTIONS[name] for name in plan.mentions}, plan.rest)


_quick: Final = QuickReader(_shape_of).read
