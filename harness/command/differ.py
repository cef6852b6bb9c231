"""`shaketable differ`: two recorded runs side by side, at the first moment where they differ."""

from __future__ import annotations

import argparse
from itertools import zip_longest
from pathlib import Path

from rich.table import Table
from rich.text import Text

from shaketable.harness.causes.chain import chain_text
from shaketable.harness.console.screen import Screen
from shaketable.harness.history.words.cluster import rounded, tell
from shaketable.harness.records import Record
from shaketable.harness.runs.directory import run_in
from shaketable.harness.runs.side_by_side import Side, SideBySide, beside


def differ(options: argparse.Namespace) -> int:
    both = beside(*(run_in(Path(folder)) for folder in (options.run, options.other)))
    screen = Screen()
    for side in both.sides:
        screen.say(f"{side.name}: {side.called}")
    screen.say(both.told)
    if both.why is None:
        return 0
    screen.say("")
    screen.print(_table(both))
    screen.say("")
    screen.say(f"Why it happened in {both.has_it.name}:")
    for line in chain_text(both.why, both.has_it.history.names):
        screen.say(line)
    return 0


def _table(both: SideBySide) -> Table:
    """The same number of events of note around that moment of each run; ▸ marks the one that the other lacks."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    columns = []
    for side in both.sides:
        table.add_column(side.name, overflow="fold", ratio=1)
        columns.append([_line(record, side, both.found is not None and record is both.found.record)
                        for record in side.around])  # fmt: skip
    for row in zip_longest(*columns, fillvalue=Text("")):
        table.add_row(*row)
    return table


def _line(record: Record, side: Side, is_it: bool) -> Text:
    mark = "▸" if is_it else " "
    return Text(f"{mark}{rounded(record.time)} {tell(record, side.history.names)}", "bold" if is_it else "")
