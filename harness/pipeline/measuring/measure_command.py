"""What `shaketable measure` prints: a table of measures, or one JSON object a line."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec
from rich.table import Table
from rich.text import Text

from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.measuring.measure import EVERY_RUN, GROUPS, PASSED_ONLY, measured, measures_named
from shaketable.harness.pipeline.measuring.measures import COUNT, PERCENT, RATE, TIME, MeasureRow
from shaketable.harness.pipeline.measuring.on_duckdb import measured_here
from shaketable.harness.pipeline.spark.session import ending_in_order
from shaketable.harness.pipeline.stores.store import open_store, refuse_what_is_none, session_for
from shaketable.node.core.env import SECOND

MILLI: Final = 1000
SHORT: Final = 10 * MILLI
"""if the median is less, a row is told in milliseconds"""
MOST_DECIMALS: Final = 3
WIDEST: Final = 1000
NARROW: Final = 110
"""columns of a terminal: below it a name takes several lines. Through a pipe each row is one line."""


def measure(options: argparse.Namespace) -> int:
    by = groups_named(options.by)
    measures = measures_named(options.measure)
    refuse_what_is_none(options, options.store)
    which = EVERY_RUN if options.all else PASSED_ONLY
    if options.spark_master is None and "://" not in options.store:
        rows = measured_here(Path(options.store), by, measures, which, cores=options.cores)
    else:
        with ending_in_order():
            spark = session_for(options, options.store, app="shaketable measure")
            rows = measured(spark, open_store(spark, options.store), by, measures, which)
    if not rows:
        raise UserError(f"{options.store} holds nothing to measure: no run of it has passed; --all takes the others")
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
        cells = [str(getattr(row, heading)) for row in rows]
        longest = max(len(word) for cell in cells for word in (cell.split() or [""]))
        table.add_column(heading, no_wrap=not narrow or longest == max(map(len, cells)), min_width=longest)
    columns = _columns(rows, in_line=not narrow)
    for heading, cells in columns.items():
        side: Literal["left", "right"] = "left" if heading == "unit" else "right"
        table.add_column(heading, justify=side, no_wrap=True, min_width=max(map(len, (heading, *cells))))
    before = ""
    for row, *amounts, outside in zip(rows, *columns.values(), strict=True):
        named = row.measure if row.measure != before else "", *(str(getattr(row, each)) for each in by)
        table.add_row(*named, *amounts, Text(outside, "yellow" if row.outside else ""))
        before = row.measure
    # A table is wider than its terminal rather than without a word of its names, or an amount.
    needed = sum(1 + max(len(str(column.header)), column.min_width or 0) for column in table.columns)
    wide = screen.measure(table, options=screen.options.update(max_width=WIDEST)).maximum
    screen.width = max(screen.width, needed if narrow else wide)
    screen.print(table)
    if not all(row.exact for row in rows):
        screen.say("The percentiles are of a sketch: the rank of each is wrong by one in 10,000 at most.")
    screen.say(
        "A promise is for one failure at a time, over sound links. The checks say whether a guarantee was broken."
    )


def _columns(rows: Sequence[MeasureRow], *, in_line: bool) -> dict[str, list[str]]:
    """By their headings; `in_line`: with the points of one column below each other, if there is room for that."""
    scales = [scale_of(row) for row in rows]

    def amounts(values: Iterable[float]) -> list[str]:
        shown = [scale.shown(value) for scale, value in zip(scales, values, strict=True)]
        return at_their_points(shown) if in_line else shown

    return {
        "n": [f"{row.n:,}" for row in rows],
        "runs": [f"{row.runs:,}" for row in rows],
        "unit": [scale.unit for scale in scales],
        "median": amounts(row.p50 for row in rows),
        "90 %": amounts(row.p90 for row in rows),
        "99 %": amounts(row.p99 for row in rows),
        "most": amounts(row.most for row in rows),
        "promised": [promised(row) for row in rows],
        "outside": ["" if row.outside is None else f"{row.outside:,}" for row in rows],
    }


class Scale(NamedTuple):
    """One for all amounts of a row, so that they can be compared at a glance."""

    unit: str
    divisor: int
    decimals: int

    def shown(self, value: float) -> str:
        return f"{value / self.divisor:,.{self.decimals}f}"


def scale_of(row: MeasureRow) -> Scale:
    if row.unit == TIME:
        reaches_seconds = max(row.most, row.promised_most or 0) >= SECOND
        unit, divisor = ("s", SECOND) if reaches_seconds and row.p50 >= SHORT else ("ms", MILLI)
        return Scale(unit, divisor, max(_decimals(row.most / divisor), _two_digits(row.p50 / divisor)))
    whole = row.unit not in (PERCENT, RATE)
    return Scale("" if row.unit == COUNT else row.unit, 1, 0 if whole else 2)


def promised(row: MeasureRow) -> str:
    """In the unit of its row."""
    least, most, scale = row.promised_least, row.promised_most, scale_of(row)
    if most is None:
        return ""
    if row.unit == TIME:
        scale = scale._replace(decimals=_decimals(most / scale.divisor))
    return f"{'' if not least else scale.shown(least)}..{scale.shown(most)}"


def shown(value: float, unit: str) -> str:
    """Alone, with its unit."""
    if unit == TIME:
        scaled, name = (value / SECOND, "s") if abs(value) >= SECOND else (value / MILLI, "ms")
        return f"{scaled:,.{_decimals(abs(scaled))}f} {name}"
    if unit == PERCENT:
        return f"{value:.2f} %"
    return f"{value:.2f}" if unit == RATE else f"{value:,.0f}"


def at_their_points(amounts: Sequence[str]) -> list[str]:
    """Of one column, so that those with less behind the point stand where the others do."""
    behind = [len(each) - each.index(".") if "." in each else 0 for each in amounts]
    return [each + " " * (max(behind) - its) for each, its in zip(amounts, behind, strict=True)]


def _decimals(value: float) -> int:
    """Four digits tell enough of an amount, and keep a column narrow."""
    return 3 if value < 10 else 2 if value < 100 else 1 if value < 1000 else 0


def _two_digits(value: float) -> int:
    """So many behind the point show two digits of it."""
    return 0 if value <= 0 else min(MOST_DECIMALS, max(0, 1 - math.floor(math.log10(value))))
