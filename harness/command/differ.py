"""`shaketable differ`: two recorded runs side by side, at the first moment where they differ."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final

from rich.table import Table
from rich.text import Text

from shaketable.harness.causes.chain import chain, chain_text
from shaketable.harness.causes.differing import Difference, first_difference, of_note
from shaketable.harness.causes.grounds import Grounds
from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded, tell
from shaketable.harness.records import Record
from shaketable.harness.runs.directory import RecordedRun, read_run, run_in

BEFORE: Final = 4
AFTER: Final = 8
"""events of note on each side"""


def differ(options: argparse.Namespace) -> int:
    runs = [read_run(run_in(Path(folder))) for folder in (options.run, options.other)]
    one, other = histories = [History(run.records) for run in runs]
    for run, history in zip(runs, histories, strict=True):
        if not history.records:
            raise UserError(f"{run.directory} holds no events: there is nothing to compare")
    screen = Screen()
    for name, run in zip("AB", runs, strict=True):
        screen.say(f"{name}: {_called(run)}")
    found = first_difference(one, other)
    if found is None:
        screen.say(f"Both tell the same {len(of_note(one))} events of note. They differ in times and order alone.")
        return 0
    has, lacks = ("A", "B") if found.in_first else ("B", "A")
    screen.say(f"{found.alike} events of note before it are in both. The next one is in {has}, and never in {lacks}:")
    screen.say("")
    screen.print(_side_by_side(found, histories))
    screen.say("")
    screen.say(f"Why it happened in {has}:")
    history = one if found.in_first else other
    for line in chain_text(chain(Grounds(history), found.record), history.names):
        screen.say(line)
    return 0


def _called(run: RecordedRun) -> str:
    outcome = run.verdict.outcome if run.verdict is not None else "without a verdict"
    return f"{run.info.script}, {run.info.world}, seed {run.info.seed}: {outcome}"


def _side_by_side(found: Difference, histories: Sequence[History]) -> Table:
    """The same number of events of note around that moment of each run; ▸ marks the one that the other lacks."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    columns = [_around(found, history) for history in histories]
    for name in "AB":
        table.add_column(name, overflow="fold", ratio=1)
    for row in zip_longest(*columns, fillvalue=Text("")):
        table.add_row(*row)
    return table


def _around(found: Difference, history: History) -> list[Text]:
    notable = of_note(history)
    here = next((at for at, record in enumerate(notable) if record.time >= found.record.time), len(notable))
    shown = notable[max(0, here - BEFORE) : here + AFTER]
    return [_line(record, history, record is found.record) for record in shown]


def _line(record: Record, history: History, is_it: bool) -> Text:
    mark = "▸" if is_it else " "
    return Text(f"{mark}{rounded(record.time)} {tell(record, history.names)}", "bold" if is_it else "")
