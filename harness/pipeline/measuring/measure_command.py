"""What `shaketable measure` prints: a table of measures, or one JSON object a line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

import msgspec
from rich.table import Table
from rich.text import Text

from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.measuring.measure import EVERY_RUN, GROUPS, PASSED_ONLY, measured, measures_named
from shaketable.harness.pipeline.measuring.measures import PERCENT, RATE, TIME, MeasureRow
from shaketable.harness.pipeline.spark.session import ending_in_order
from shaketable.harness.pipeline.stores.store import open_store, refuse_what_is_none, session_for
from shaketable.node.core.env import SECOND

MILLI: Final = 1000
WIDEST: Final = 1000
NARROW: Final = 110
"""columns of a terminal: below it a name takes several lines. Through a pipe each row is one line."""


def measure(options: argparse.Namespace) -> int:
    by = groups_named(options.by)
    measures = measures_named(options.measure)
    refuse_what_is_none(options, options.store)
    with ending_in_order():
        spark = session_for(options, options.store, app="shaketable measure")
        store = open_store(spark, options.store)
        rows = measured(spark, store, by, measures, EVERY_RUN if options.all else PASSED_ONLY)
        if not rows:
            raise UserError(f"{store.path} holds nothing to measure: no run of it has passed; --all takes the others")
    if options.json:
        for row in rows:
            sys.stdout.write(f"{msgspec.json.encode(row).decode()}\n")
    else:
        _print(rows, by)
    return 0


def groups_named(text: str | None) -> tuple[str, ...]:
    names = tuple(name for name in (text or "").split(",") if name)
    for name in names:
        if name not in GROUPS:
            raise UserError(f"--by {name}: give some of {', '.join(GROUPS)}")
    return tuple(dict.fromkeys(names))


def _print(rows: Sequence[MeasureRow], by: Sequence[str]) -> None:
    screen = Screen()
    narrow = screen.is_terminal and screen.width < NARROW
    table = Table(box=None, pad_edge=False, collapse_padding=narrow)
    for heading in ("measure", *by):
        words = " ".join(str(getattr(row, heading)) for row in rows).split()
        table.add_column(heading, no_wrap=not narrow, min_width=max(map(len, words), default=0))
    for heading in ("n", "runs", "median", "90 %", "99 %", "most", "promised", "outside"):
        table.add_column(heading, justify="right", no_wrap=True)
    before = ""
    for row in rows:
        outside = "" if row.outside is None else f"{row.outside:,}"
        table.add_row(
            row.measure if row.measure != before else "",
            *(str(getattr(row, each)) for each in by),
            f"{row.n:,}",
            f"{row.runs:,}",
            *(shown(value, row.unit) for value in (row.p50, row.p90, row.p99, row.most)),
            promised(row),
            Text(outside, "yellow" if row.outside else ""),
        )
        before = row.measure
    # A table is wider than its terminal rather than without a word of its names.
    wide = screen.measure(table, options=screen.options.update(max_width=WIDEST))
    screen.width = max(screen.width, wide.minimum if narrow else wide.maximum)
    screen.print(table)
    screen.say(
        "A promise is for one failure at a time, over sound links. The checks say whether a guarantee was broken."
    )


def promised(row: MeasureRow) -> str:
    least, most = row.promised_least, row.promised_most
    if most is None:
        return ""
    return f"{'' if not least else shown(least, row.unit)}..{shown(most, row.unit)}"


def shown(value: float, unit: str) -> str:
    if unit == TIME:
        scaled, name = (value / SECOND, "s") if abs(value) >= SECOND else (value / MILLI, "ms")
        return f"{scaled:,.{_decimals(abs(scaled))}f} {name}"
    if unit == PERCENT:
        return f"{value:.2f} %"
    return f"{value:.2f}" if unit == RATE else f"{value:,.0f}"


def _decimals(value: float) -> int:
    """Four digits tell enough of a time, and keep a column narrow."""
    return 3 if value < 10 else 2 if value < 100 else 1 if value < 1000 else 0
