"""Simulates cases as Spark tasks.

A task has few cases, so a lost executor costs seconds: Spark gives the task to another one, with the same rows. Each
task is sent only its own cases.

A task returns one piece of bytes: a summary for planning and telling, and columns as they are written. Spark's own
process carries it without reading it, because time that Spark spends on columns is lost for the cores that simulate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec
import pyarrow as pa

from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.simulating import simulated
from shaketable.harness.pipeline.campaigns.summaries import Summary, summary_of
from shaketable.harness.pipeline.spark.travel import arrived, is_local
from shaketable.harness.pipeline.stores.schema import history_batch, run_batch
from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.harness.verdicts.rows import KEPT_FAILED, KEPT_SAMPLE
from shaketable.harness.verdicts.verdict import PASSED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CODEC: Final = "zstd"
_SIZE: Final = 8
"""bytes, in which it is said how many there are before they are packed"""
_cases: Final = msgspec.msgpack.Decoder(list[Case])


class Played(msgspec.Struct):
    """What comes of a task."""

    told: Summary
    rows: bytes
    """in the order of the cases; each says whether its history is to be kept, and why"""
    histories: dict[str, bytes]
    """by run, of those that are to be kept"""


_played: Final = msgspec.msgpack.Decoder(Played)


def played(spark: SparkSession, tasks: Sequence[Sequence[Case]], room: int) -> list[Played]:
    """What comes of these, in their order. `room`: of no more runs that have not passed a task hands over histories."""
    task = partial(_play, where=where_scripts_are(spark), room=room)
    done = spark.sparkContext.parallelize(sent(tasks), len(tasks)).mapPartitions(task)
    return [_played.decode(each) for each in done.collect()]


def where_scripts_are(spark: SparkSession) -> Callable[[str], str]:
    """Of a script's file here, where a task finds it."""
    return str if is_local(spark.sparkContext.master) else arrived


def sent(tasks: Sequence[Sequence[Case]]) -> list[bytes]:
    return [msgspec.msgpack.encode(task) for task in tasks]


def cases_in(task: bytes) -> list[Case]:
    return _cases.decode(task)


def _play(tasks: Iterator[bytes], where: Callable[[str], str], room: int) -> Iterator[bytes]:
    collect_garbage_rarely()
    for task in tasks:
        yield msgspec.msgpack.encode(play(cases_in(task), room, where))


def play(cases: Sequence[Case], room: int, where: Callable[[str], str] = str) -> Played:
    done = []
    for case in cases:
        each = simulated(case, where)
        passed = each.row.outcome == PASSED
        why = KEPT_SAMPLE if passed and case.sample else KEPT_FAILED if not passed and room > 0 else ""
        room -= why == KEPT_FAILED
        done.append(each._replace(row=msgspec.structs.replace(each.row, kept=why)))
    rows = [each.row for each in done]
    histories = {each.row.run: packed(history_batch(each.row.run, each.records)) for each in done if each.row.kept}
    return Played(summary_of(rows), packed(run_batch(rows)), histories)


def packed(rows: pa.RecordBatch | pa.Table) -> bytes:
    """As a whole: column by column, as Arrow itself would, takes seven times as long for a few rows."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write(rows)
    plain = sink.getvalue()
    return bytes(plain.size.to_bytes(_SIZE, "big") + pa.compress(plain, codec=_CODEC, asbytes=True))


def unpacked(rows: bytes) -> pa.Table:
    size = int.from_bytes(rows[:_SIZE], "big")
    with pa.ipc.open_stream(pa.decompress(rows[_SIZE:], size, codec=_CODEC)) as stream:
        return stream.read_all()
