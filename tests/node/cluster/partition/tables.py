"""What the tests of repartitioning stand on: small tables, what happens to them, and how even they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from shaketable.node.cluster.partition.cycles import cycles_of
from shaketable.node.cluster.partition.planner import plan, with_owner
from shaketable.node.cluster.partition.repartitioning import repartitioned
from shaketable.node.cluster.partition.rows import repaired
from shaketable.node.messages import Row


def members(count: int) -> list[str]:
    return [f"m{number}" for number in range(count)]


def first(partitions: int, names: Sequence[str], groups: Mapping[str, str] | None = None) -> list[Row]:
    """The table of members that start together."""
    return repartitioned([()] * partitions, names, groups)


def after_a_crash(rows: Sequence[Row], left: Sequence[str]) -> list[Row]:
    """A member that crashed is gone at once, and its first backups are promoted."""
    return [repaired(row, left) for row in rows]


def loads(rows: Sequence[Row], index: int, names: Sequence[str]) -> dict[str, int]:
    count = Counter(row[index] for row in rows)
    return {name: count[name] for name in names}


def uneven(rows: Sequence[Row], index: int, names: Sequence[str], of: Callable[[str], str] = str) -> int:
    """How much more of this index the group with the most holds than the one with the fewest."""
    held = dict.fromkeys(map(of, names), 0)
    for row in rows:
        held[of(row[index] or "")] += 1
    return max(held.values()) - min(held.values())


def check_rows(current: Sequence[Row], target: Sequence[Row], names: Sequence[str], of: Callable[[str], str]) -> None:
    """As many replicas as there can be, each in a group of its own, on members only, and no cycle."""
    width = min(len({of(name) for name in names}), 7)
    for row, wanted in zip(current, target, strict=True):
        holders = [member for member in wanted if member is not None]
        assert len(holders) == len(wanted) == width
        assert set(holders) <= set(names)
        assert len({of(member) for member in holders}) == width
        assert not cycles_of(row, wanted)


def owners_that_had_to_move(current: Sequence[Row], names: Sequence[str]) -> int:
    """Of the partitions whose present owner is a member, the fewest with which all owners can be within one."""
    kept = loads([row for row in current if row and row[0] in names], 0, names)
    least, more = divmod(len(current), len(names))
    over = [load - least for load in kept.values() if load > least]
    return sum(over) - min(more, len(over))


def owners_that_move(current: Sequence[Row], target: Sequence[Row], names: Sequence[str]) -> int:
    return sum(row[:1] != wanted[:1] for row, wanted in zip(current, target, strict=True) if row and row[0] in names)


def migrated(row: Row, target: Row, steps: int | None = None) -> Row:
    """The row after so many steps of its plan."""
    length = max(len(row), len(target))
    row = (*row, *[None] * (length - len(row)))
    migrations = plan(row, target)
    row = with_owner(row, target)
    for migration in migrations[:steps]:
        row = migration.applied_to(row)
    return row
