"""The two tables of a store (rows.py) as Arrow and as Spark see them, and their rows as batches of columns.

The types follow from the structs' own: a column that is added there is added here."""

from __future__ import annotations

import types
from collections.abc import Iterable, Sequence
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec
import pyarrow as pa

from shaketable.harness.history.codec import COLUMNS, NO_DETAIL, Row, from_row, to_lines
from shaketable.harness.records import Record
from shaketable.harness.verdicts.rows import RunRow
from shaketable.node.messages import Member

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

RUN: Final = "run"
"""the column that both tables have"""
_MEMBERS: Final = pa.list_(pa.struct([("address", pa.string()), ("uuid", pa.string())]))
_PLAIN: Final = {str: pa.string(), int: pa.int64(), bool: pa.bool_(), float: pa.float64(), msgspec.Raw: pa.string()}
_rows: Final = msgspec.json.Decoder(Row)
_kept_together: Final = itemgetter(1, 2, 3)


@cache
def runs_schema() -> pa.Schema:
    return pa.schema([(name, _arrow(type_)) for name, type_ in _columns(RunRow).items()])


@cache
def history_schema() -> pa.Schema:
    columns = [(name, _MEMBERS if name == "members" else _arrow(type_)) for name, type_ in _columns(Row).items()]
    return pa.schema([(RUN, pa.string()), *columns])


def spark_schema(arrow: pa.Schema) -> StructType:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(arrow)


def run_batch(rows: Sequence[RunRow]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([_plain(row) for row in rows], schema=runs_schema())


def run_rows(batch: pa.RecordBatch | pa.Table) -> list[RunRow]:
    """A column that the batch lacks, or that is null in it, is at its default: it was added later."""
    told = batch.to_pylist(maps_as_pydicts="strict")
    return [msgspec.convert({name: v for name, v in row.items() if v is not None}, RunRow) for row in told]


def history_batch(run: str, records: Iterable[Record]) -> pa.RecordBatch:
    """A process's events together, in its own order: so the columns repeat themselves, and compress."""
    lines = to_lines(sorted(records, key=_kept_together))
    rows = _rows.decode_lines(lines)
    columns: list[pa.Array] = [pa.array([run] * len(rows), pa.string())]
    for field in history_schema():
        match field.name:
            case "run":
                continue
            case "members":
                values: list[Any] = [None if row.members is None else _plain_members(row.members) for row in rows]
            case "detail":
                values = [bytes(row.detail).decode() or None for row in rows]
            case name:
                values = [getattr(row, name) for row in rows]
        columns.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(columns, schema=history_schema())


def records_of(batch: pa.RecordBatch | pa.Table) -> list[Record]:
    """Of one run or of several; raises CodecError for what is no event."""
    told = [batch.column(name).to_pylist() for name in COLUMNS]
    members, detail = COLUMNS.index("members"), COLUMNS.index("detail")
    told[members] = [None if each is None else _members(each) for each in told[members]]
    told[detail] = [NO_DETAIL if each is None else msgspec.Raw(each.encode()) for each in told[detail]]
    return [from_row(Row(*values)) for values in zip(*told, strict=True)]


def _plain_members(members: Iterable[Member]) -> list[dict[str, str]]:
    return [{"address": member.address, "uuid": member.uuid} for member in members]


def _members(told: Iterable[dict[str, str]]) -> tuple[Member, ...]:
    return tuple(Member(each["address"], each["uuid"]) for each in told)


def _plain(row: RunRow) -> dict[str, Any]:
    """Arrow takes a map as pairs."""
    told = msgspec.to_builtins(row)
    return {name: list(value.items()) if isinstance(value, dict) else value for name, value in told.items()}


def _columns(struct: type[msgspec.Struct]) -> dict[str, Any]:
    hints = get_type_hints(struct)
    return {field.name: hints[field.name] for field in msgspec.structs.fields(struct)}


def _arrow(type_: Any) -> pa.DataType:
    if get_origin(type_) in (Union, types.UnionType):
        (type_,) = [each for each in get_args(type_) if each is not types.NoneType]
    if type_ in _PLAIN:
        return _PLAIN[type_]
    if get_origin(type_) is dict:
        return pa.map_(*map(_arrow, get_args(type_)))
    if get_origin(type_) in (list, tuple):
        return pa.list_(_arrow(get_args(type_)[0]))
    return pa.struct([(name, _arrow(each)) for name, each in _columns(type_).items()])
