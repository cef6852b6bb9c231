"""A pair of rows that somebody asks about, and the plan for it; what is no pair of rows is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from shaketable.harness.errors import UserError
from shaketable.harness.explain.names import shown
from shaketable.node.cluster.partition.planner import plan, prioritised, with_owner
from shaketable.node.messages import MOST_REPLICAS, Migration, Row

NOBODY: Final = "-"
"""on the command line; null in JSON"""


class Planned(NamedTuple):
    current: Row
    """as long as the target, and the other way round"""
    target: Row
    migrations: Sequence[Migration]
    """in planned order"""
    states: Sequence[Row]
    """the row after each"""
    prioritised: Sequence[int]
    """the places of the migrations in the order in which they run"""


def planned(current: Sequence[str | None], target: Sequence[str | None]) -> Planned:
    """Refuses in one sentence what is no pair of rows."""
    _refuse("current", current)
    _refuse("target", target)
    if not any(target):
        raise UserError("the target row has no owner: name who is to hold index 0")
    for index, member in enumerate(target[: _filled(target)]):
        if member is None:
            raise UserError(f"the target row has a gap at index {index}: fill it, or end the row there")
    if any(current) and not current[0]:
        raise UserError(
            "the current row has no owner: name who holds index 0, or nobody at all "
            "(a backup is promoted before anything is planned)"
        )
    length = max(len(current), len(target))
    before, after = _padded(current, length), _padded(target, length)
    migrations = plan(before, after)
    states = []
    row = with_owner(before, after)
    for migration in migrations:
        row = migration.applied_to(row)
        states.append(row)
    return Planned(before, after, migrations, states, prioritised(migrations))


def _refuse(name: str, row: Sequence[str | None]) -> None:
    if len(row) > MOST_REPLICAS:
        raise UserError(f"the {name} row has {len(row):,} indexes: there are at most {MOST_REPLICAS} replicas")
    seen: set[str] = set()
    for index, member in enumerate(row):
        if member is None:
            continue
        if not member:
            raise UserError(f"the {name} row has an empty name at index {index}: nobody is {NOBODY}, or null in JSON")
        if member in seen:
            raise UserError(f"{shown(member)} is in the {name} row twice: a member holds one replica of a partition")
        seen.add(member)


def _filled(row: Sequence[str | None]) -> int:
    """Its length without the nobodies at its end."""
    return max((index + 1 for index, member in enumerate(row) if member is not None), default=0)


def _padded(row: Sequence[str | None], length: int) -> Row:
    return (*row, *[None] * (length - len(row)))
