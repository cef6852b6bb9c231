"""`shaketable explain plan`: which migrations lead from a partition's present replicas to its new ones, and why.

The rows come by arguments, or many pairs of them on standard input; each is answered at once, in its place."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from shaketable.harness.command.explain_lines import answer_lines, lines_of_input, say
from shaketable.harness.command.explain_names import shown
from shaketable.harness.errors import UserError
from shaketable.node.messages import MOST_REPLICAS, Migration, Row
from shaketable.node.partition.planner import plan, prioritised, with_owner

NOBODY: Final = "-"
"""on the command line; null in JSON"""
_HELP: Final = "shaketable explain plan --help"
_EXAMPLE: Final = '{"current": ["A", null, "C"], "target": ["D", "A", "C"]}'


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    current: list[str | None]
    target: list[str | None]


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


def explain_plan(options: argparse.Namespace) -> int:
    tell = _told_in_json if options.json else _told_in_words()
    if options.rows:
        if len(options.rows) != 2:
            raise UserError(f"give two rows, the current one and the target, such as A,B,C D,B,C; see {_HELP}")
        tell(planned(*map(_row_said, options.rows)), 0)
        return 0

    def answer(asked: _Line, number: int) -> None:
        tell(planned(asked.current, asked.target), number)

    return answer_lines(lines_of_input(_HELP, "two rows"), _Line, _EXAMPLE, answer, in_json=options.json)


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


def _row_said(said: str) -> list[str | None]:
    for name in said.split(","):
        if not name.isprintable():
            raise UserError(f"{shown(name)} cannot be printed: such names are taken as JSON only; see {_HELP}")
    return [None if name.strip() == NOBODY else name.strip() for name in said.split(",")]


# The answer


def _told_in_json(answer: Planned, number: int) -> None:
    told = {
        "migrations": [msgspec.to_builtins(migration) for migration in answer.migrations],
        "states": answer.states,
        "prioritised": answer.prioritised,
    }
    say(sys.stdout, json.dumps(told))


def _told_in_words() -> Callable[[Planned, int], None]:
    from shaketable.harness.command.explain_plan_text import explanation  # only words need rich
    from shaketable.harness.command.screen import Screen

    screen = Screen()

    def tell(answer: Planned, number: int) -> None:
        if number > 1:
            screen.print()
        for line in explanation(answer, number):
            screen.print(line)

    return tell
