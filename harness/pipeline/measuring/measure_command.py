"""What `shaketable measure` prints: a table of measures, or one JSON object a line."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from rich.table import Table
from rich.text import Text

from shaketable.harness.console.screen import Screen, Trimmed
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.measuring.measure import EVERY_RUN, GROUPS, PASSED_ONLY, measured, measures_named
from shaketable.harness.pipeline.measuring.measures import BYTES, COUNT, PERCENT, RATE, TIME, MeasureRow
from shaketable.harness.pipeline.measuring.on_duckdb import measured_here
from shaketable.harness.pipeline.needed import asks_duckdb
from shaketable.harness.pipeline.spark.session import ending_in_order
from shaketable.harness.pipeline.stores.store import open_store, refuse_what_is_none, session_for
from shaketable.node.core.env import SECOND

MILLI: Final = 1000
SHORT: Final = 10 * MILLI
"""if a median is less, a measure is told in milliseconds"""
KILO: Final = 1000
MANY_BYTES: Final = 100 * KILO
MOST_DECIMALS: Final = 3
WIDEST: Final = 1000


def measure(options: argparse.Namespace) -> int:
    by = groups_named(options.by)
    measures = measures_named(options.measure)
    refuse_what_is_none(options, options.store)
    which = EVERY_RUN if options.all else PASSED_ONLY
    if asks_duckdb(options, options.store):
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
    options = screen.options.update(max_width=WIDEST)
    table = _table(rows, by, in_line=True)
    if screen.measure(table, options=options).maximum > screen.width:
        table = _table(rows, by, in_line=False)
        # A table is wider than its screen rather than without a word of its names, or an amount.
        screen.width = max(screen.width, _fitted(table, screen.width))
    screen.print(Trimmed(table))
    if not all(row.exact for row in rows):
        screen.print("The percentiles are of a sketch: the rank of each is wrong by one in 10,000 at most.")
    screen.print(
        "A promise is for one failure at a time, over sound links. The checks say whether a guarantee was broken."
    )


def _table(rows: Sequence[MeasureRow], by: Sequence[str], *, in_line: bool) -> Table:
    """`in_line`: with each row in one line, and the points of one column below each other. Else as narrow as it can
    be: a name takes several lines."""
    table = Table(box=None, pad_edge=False, collapse_padding=not in_line)
    for heading in ("measure", *by):
        _add_words(table, heading, [str(getattr(row, heading)) for row in rows], in_line)
    columns = _columns(rows, in_line=in_line)
    for heading, cells in columns.items():
        if heading == "unit":
            _add_words(table, heading, [heading, *cells], in_line)
        else:
            table.add_column(heading, justify="right", no_wrap=True, min_width=max(map(len, (heading, *cells))))
    before = ""
    for row, *amounts, outside in zip(rows, *columns.values(), strict=True):
        named = row.measure if row.measure != before else "", *(str(getattr(row, each)) for each in by)
        table.add_row(*named, *amounts, Text(outside, "yellow" if row.outside else ""))
        before = row.measure
    return table


def _add_words(table: Table, heading: str, cells: Sequence[str], in_line: bool) -> None:
    """None of them is broken."""
    texts = [heading, *cells]
    whole, words = (max(map(len, each)) for each in (texts, " ".join(texts).split()))
    table.add_column(heading, no_wrap=in_line, min_width=whole if in_line else words, max_width=whole)


def _fitted(table: Table, width: int) -> int:
    """How wide it is, with as much room for the first names as there is."""
    needed = sum(1 + (column.min_width or 0) for column in table.columns) - 1
    spare = max(0, width - needed)
    for column in table.columns:
        least = column.min_width or 0
        column.width = min(least + spare, column.max_width or least)
        spare -= column.width - least
    return max(width, needed) - spare


def _columns(rows: Sequence[MeasureRow], *, in_line: bool) -> dict[str, list[str]]:
    """By their headings; `in_line`: with the points of one column below each other, if there is room for that."""
    of_measures = scales_of(rows)
    scales = [of_measures[row.measure].of(row) for row in rows]

    def amounts(values: Iterable[float]) -> list[str]:
        if not in_line:
            return [scale.in_short(value) for scale, value in zip(scales, values, strict=True)]
        return at_their_points([scale.shown(value) for scale, value in zip(scales, values, strict=True)])

    return {
        "n": [f"{row.n:,}" for row in rows],
        "runs": [f"{row.runs:,}" for row in rows],
        "unit": [scale.unit for scale in scales],
        "median": amounts(row.p50 for row in rows),
        "90 %": amounts(row.p90 for row in rows),
        "99 %": amounts(row.p99 for row in rows),
        "most": amounts(row.most for row in rows),
        "promised": [promised(row, scale) for row, scale in zip(rows, scales, strict=True)],
        "outside": ["" if row.outside is None else f"{row.outside:,}" for row in rows],
    }


class Scale(NamedTuple):
    """One unit for all amounts of a measure, and as many decimals for all of a row, so that they can be compared at a
    glance."""

    unit: str
    divisor: int
    decimals: int = 0

    def of(self, row: MeasureRow) -> Scale:
        if self.divisor == 1:
            return self
        decimals = max(_decimals(row.most / self.divisor), _two_digits(row.p50 / self.divisor))
        return self._replace(decimals=decimals)

    def shown(self, value: float) -> str:
        return f"{value / self.divisor:,.{self.decimals}f}"

    def in_short(self, value: float) -> str:
        """Alone, with no more digits than it needs."""
        return self._replace(decimals=min(self.decimals, _decimals(value / self.divisor))).shown(value)


def scales_of(rows: Sequence[MeasureRow]) -> dict[str, Scale]:
    """By measure: scripts, variants or systems of one are compared line by line."""
    by_measure: dict[str, list[MeasureRow]] = {}
    for row in rows:
        by_measure.setdefault(row.measure, []).append(row)
    return {measure: _scale(its) for measure, its in by_measure.items()}


def _scale(rows: Sequence[MeasureRow]) -> Scale:
    unit, most = rows[0].unit, max(row.most for row in rows)
    if unit == TIME:
        reaches_seconds = max(most, *(row.promised_most or 0 for row in rows)) >= SECOND
        in_seconds = reaches_seconds and min(row.p50 for row in rows) >= SHORT
        return Scale("s", SECOND) if in_seconds else Scale("ms", MILLI)
    if unit == BYTES and most >= MANY_BYTES:
        return Scale("kB", KILO)
    return Scale("" if unit == COUNT else unit, 1, 2 if unit in (PERCENT, RATE) else 0)


def promised(row: MeasureRow, scale: Scale) -> str:
    """In the unit of its measure."""
    least, most = row.promised_least, row.promised_most
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
