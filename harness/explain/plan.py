"""`shaketable explain plan`: which migrations lead from a partition's present replicas to its new ones, and why.

The rows come by arguments, or many pairs of them on standard input; each is answered at once, in its place."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Final

import msgspec

from shaketable.harness.errors import UserError
from shaketable.harness.explain.lines import answer_lines, lines_of_input, say
from shaketable.harness.explain.names import shown
from shaketable.harness.explain.planning import NOBODY, Planned, planned

_HELP: Final = "shaketable explain plan --help"
_EXAMPLE: Final = '{"current": ["A", null, "C"], "target": ["D", "A", "C"]}'


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    current: list[str | None]
    target: list[str | None]


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
    from shaketable.harness.console.screen import Screen
    from shaketable.harness.explain.plan_text import explanation  # only words need rich

    screen = Screen()

    def tell(answer: Planned, number: int) -> None:
        if number > 1:
            screen.print()
        for line in explanation(answer, number):
            screen.print(line)

    return tell
