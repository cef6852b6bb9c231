"""Which migrations lead from a partition's present replicas to its new ones, in which order: a function of two rows.

From text 3.3.1 (types), text 3.3.2.2 (order) and text 3.3.2.3 (priority): the number of copies is not lowered, hotter
replicas become available before colder ones, and nobody gives up a replica before its successor has it. Where the text
leaves something open, the code that decides it says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.node.cluster.partition.cycles import without_cycles
from shaketable.node.messages import NOWHERE, Migration, MigrationType, Row

MOVE: Final = "MOVE"
"""of one index, to somebody who holds nothing of the partition; its holder holds nothing of it afterwards"""
COPY: Final = "COPY"
"""to an index that nobody holds, for somebody who holds nothing of the partition"""
SHIFT_UP: Final = "SHIFT UP"
"""to a hotter index, whose holder, if there is one, gives it up"""
SHIFT_DOWN: Final = "SHIFT DOWN"
"""of one index, to somebody who holds nothing of the partition; its holder goes to a colder one that nobody holds"""
SHIFT_UP_AND_DOWN: Final = "SHIFT UP+SHIFT DOWN"
"""to a hotter index, whose holder goes to a colder one that nobody holds: both in one step"""
CLEAR: Final = "CLEAR"
"""of an index that nobody is to hold any more"""


def plan(current: Row, target: Row) -> list[Migration]:
    """In planned order, before `prioritised`. They end in the target with cycles put back, and begin with `with_owner`.

    Index 0 is filled in both, unless all copies are lost, and the target has no gaps."""
    if current == target:
        return []
    length = max(len(current), len(target))
    current, target = _padded(current, length), _padded(target, length)
    target = without_cycles(current, target)
    return _Plan(with_owner(current, target), target).migrations()


def with_owner(current: Row, target: Row) -> Row:
    """A partition that has lost all its copies gets its new owner at once: there is nothing to migrate."""
    return current if any(current) else (target[0], *current[1:])


def prioritised(migrations: Sequence[Migration]) -> list[int]:
    """The places in the plan of all migrations, in the order in which they run (text 3.3.2.3): what adds a copy passes
    those before it that add none, one by one, up to the first that it may not pass."""
    order = list(range(len(migrations)))
    for number in range(1, len(order)):
        migration = migrations[number]
        if not migration.adds_a_copy:
            continue
        place = number
        while place and _may_pass(migration, migrations[order[place - 1]]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = number
    return order


def _may_pass(migration: Migration, other: Migration) -> bool:
    """Non-conflicting migrations have no common participant. Two that add a copy keep their order, the hotter first."""
    if migration.destination in (other.source, other.destination):
        return False
    if other.type == SHIFT_DOWN:
        return other.source_new_index > migration.destination_new_index
    return other.type == MOVE


def _padded(row: Row, length: int) -> Row:
    return (*row, *[None] * (length - len(row)))


class _Plan:
    """The plan of one partition. A member is put only where the target has it, and only once, so the planning ends."""

    def __init__(self, current: Row, target: Row) -> None:
        self._row = list(current)
        self._target = target
        self._migrations: list[Migration] = []

    def migrations(self) -> list[Migration]:
        row, target = self._row, self._target
        for index, wanted in enumerate(target):
            while wanted is not None and row[index] != wanted:
                self._step(index, wanted)
        # Last. Earlier, as the text's loop has it, each of them would lower the number of copies for a while where
        # another index is still empty.
        for index, member in enumerate(row):
            if member != target[index]:
                self._do(CLEAR, member, index, NOWHERE, None, NOWHERE, NOWHERE)
        return self._migrations

    def _step(self, index: int, wanted: str) -> None:
        """One migration that brings this index nearer to its target. All hotter ones are there."""
        holder, at = self._row[index], self._index_of(wanted)
        if holder is None:
            self._do(COPY if at == NOWHERE else SHIFT_UP, None, NOWHERE, NOWHERE, wanted, at, index)
        elif at == NOWHERE:
            down = self._empty_target_of(holder)
            self._do(MOVE if down == NOWHERE else SHIFT_DOWN, holder, index, down, wanted, NOWHERE, index)
        else:
            self._step_at_a_colder_index(index, at)

    def _step_at_a_colder_index(self, index: int, at: int) -> None:
        """The holder that is wanted at `index` holds `at`, which must not fall empty if the target has somebody there.
        Fetch that one, and the one that is wanted where that one is, and so on: until the index in question may fall
        empty, or its next holder is new. The chain is no ring, for those are cancelled."""
        while True:
            wanted = self._target[at]
            if wanted is None:
                self._shift_up(at, index)
                return
            further = self._index_of(wanted)
            if further == NOWHERE:
                self._do(MOVE, self._row[at], at, NOWHERE, wanted, NOWHERE, at)
                return
            index, at = at, further

    def _shift_up(self, at: int, index: int) -> None:
        """A displaced member leaves, or comes back by a later step. If it is wanted at an empty place, it goes there at
        once."""
        displaced = self._row[index]
        down = self._empty_target_of(displaced)
        kind: MigrationType = SHIFT_UP if down == NOWHERE else SHIFT_UP_AND_DOWN
        self._do(kind, displaced, index, down, self._row[at], at, index)

    def _empty_target_of(self, member: str | None) -> int:
        """Onto an index that somebody holds it does not go in the same step: that is a second MOVE (text 3.3.1.3.2)."""
        if member not in self._target:
            return NOWHERE
        index = self._target.index(member)
        return NOWHERE if self._row[index] is not None else index

    def _index_of(self, member: str) -> int:
        return self._row.index(member) if member in self._row else NOWHERE

    def _do(
        self,
        kind: MigrationType,
        source: str | None,
        source_current_index: int,
        source_new_index: int,
        destination: str | None,
        destination_current_index: int,
        destination_new_index: int,
    ) -> None:
        row = self._row
        if destination_current_index != NOWHERE:
            row[destination_current_index] = None
        if source_current_index != NOWHERE:
            row[source_current_index] = None
        if source_new_index != NOWHERE:
            row[source_new_index] = source
        if destination_new_index != NOWHERE:
            row[destination_new_index] = destination
        self._migrations.append(
            Migration(
                kind,
                source,
                source_current_index,
                source_new_index,
                destination,
                destination_current_index,
                destination_new_index,
            )
        )
