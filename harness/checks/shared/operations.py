"""Of the check "no lost data": what clients wrote to each key and what they read of it, from call to return.

A write that nobody told the end of is unknown, like one that ended so: it may have been applied, or may yet be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

from shaketable.harness.checks.shared.merged_entries import merging_operations
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import OperationCalled, OperationReturned
from shaketable.node.messages import Uuid

OK: Final = "ok"
FAILED: Final = "failed"


class Operation(NamedTuple):
    called: Record
    call: OperationCalled
    returned: Record | None
    end: OperationReturned | None

    @property
    def outcome(self) -> str:
        return self.end.outcome if self.end is not None else "unknown"

    @property
    def acknowledged(self) -> bool:
        return self.outcome == OK

    @property
    def writes(self) -> str | None:
        """A remove is a write of nothing."""
        return None if self.call.does == "remove" else self.call.value

    @property
    def client(self) -> tuple[Uuid, str]:
        return self.called.incarnation, self.call.client

    def over_by(self, time: Micros) -> bool:
        return self.returned is not None and self.returned.time <= time


@dataclass(slots=True)
class Key:
    map: str
    name: str
    partition: int
    writes: list[Operation] = field(default_factory=list)
    """in the order in which they were called"""
    reads: dict[Uuid, Operation] = field(default_factory=dict)
    """by reader: the last that was begun after the calm and found out what there is"""
    asked_in_vain: bool = False
    """after the calm, by somebody who never found out"""

    @property
    def several_at_once(self) -> bool:
        """Writers that do not wait for each other: then nobody knows which of two acknowledged values is the last."""
        told = [write for write in self.writes if write.acknowledged]
        return any(one.client != other.client and not one.over_by(other.called.time) for one, other in pairwise(told))


class Operations(NamedTuple):
    keys: dict[tuple[str, str], Key]
    writes: int
    reads: int
    """begun after the calm"""


def operations(history: History) -> Operations:
    if not history.of(OperationCalled):
        return Operations({}, 0, 0)
    keys: dict[tuple[str, str], Key] = {}
    writes = reads = 0
    merging = [Operation(*each) for each in merging_operations(history)]
    for operation in (*_paired(history), *merging):
        call = operation.call
        if call.does == "get" and operation.called.time < history.calm:
            continue
        key = keys.get((call.map, call.key))
        if key is None:
            key = keys[call.map, call.key] = Key(call.map, call.key, call.partition)
        if call.does != "get":
            writes += 1
            key.writes.append(operation)
            continue
        reads += 1
        if operation.acknowledged:
            key.reads[operation.called.incarnation] = operation
        else:
            key.asked_in_vain = True
    for each in merging:
        keys[each.call.map, each.call.key].writes.sort(key=lambda write: write.called[:4])
    return Operations(keys, writes, reads)


def _paired(history: History) -> Iterator[Operation]:
    """In the order of the calls."""
    ends: dict[tuple[Uuid, str, int], tuple[Record, OperationReturned]] = {}
    for returned in history.of(OperationReturned):
        if returned.time <= history.end:
            end = returned.event
            ends.setdefault((returned.incarnation, end.client, end.number), (returned, end))
    for called in history.of(OperationCalled):
        if called.time <= history.end:
            call = called.event
            yield Operation(called, call, *ends.get((called.incarnation, call.client, call.number), (None, None)))
