"""What the checks of partition tables and migrations share: the order in which they read, and how each process stands.

A run without partitions has none of these records, and costs these checks nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, TypeVar

from shaketable.harness.history.history import History
from shaketable.harness.history.names import Names
from shaketable.harness.records import Record
from shaketable.node.events import Event, MasterFollowed, Stopped, ViewInstalled
from shaketable.node.messages import Member, Row, Uuid

E = TypeVar("E", bound=Event)

_ORDER: Final = itemgetter(0, 1, 2, 3)


def in_order(history: History, kinds: Iterable[type[E]]) -> list[Record[E]]:
    """All records of these kinds up to the end of the script."""
    records = [record for kind in kinds for record in history.of(kind) if record.time <= history.end]
    records.sort(key=_ORDER)
    return records


def not_after(one: Record, other: Record) -> bool:
    """In the shared order, which between cause and effect is real; in one process's own order, where both are of it."""
    if one.incarnation == other.incarnation:
        return one.sequence <= other.sequence
    return one.time <= other.time


@dataclass(slots=True)
class Standing:
    """The master that a process follows, and its list, by its own words so far."""

    following: Uuid = ""
    members: tuple[Member, ...] = ()
    before: frozenset[Uuid] = frozenset()
    """the master that it followed once, and has left for another one"""


STANDING: Final[tuple[type[Event], ...]] = (MasterFollowed, ViewInstalled)


class Standings:
    def __init__(self) -> None:
        self._of: dict[Uuid, Standing] = {}

    def of(self, uuid: Uuid) -> Standing:
        standing = self._of.get(uuid)
        if standing is None:
            standing = self._of[uuid] = Standing()
        return standing

    def see(self, record: Record) -> bool:
        """Whether the record says nothing else."""
        event = record.event
        if isinstance(event, MasterFollowed):
            standing = self.of(record.incarnation)
            if standing.following not in ("", event.master.uuid):
                standing.before |= {standing.following}
            standing.following = event.master.uuid
        elif isinstance(event, ViewInstalled):
            standing = self.of(record.incarnation)
            standing.members = event.members
            standing.following = standing.following or event.master.uuid
        else:
            return False
        return True


def killed(history: History, uuid: Uuid) -> bool:
    """Whether it was killed: its last words may be lost, so what it does not tell proves nothing. A process that left
    told all."""
    process = history.by_uuid.get(uuid)
    return process is not None and process.ended is not None and not isinstance(process.ended.event, Stopped)


def shown(row: Row, names: Names) -> str:
    """ "[n1 - n3]"."""
    return f"[{' '.join('-' if uuid is None else names.author(uuid) for uuid in row)}]"


def padded(row: Row, width: int) -> Row:
    return row if len(row) >= width else (*row, *[None] * (width - len(row)))
