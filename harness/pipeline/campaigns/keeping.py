"""Keeps the runs of a campaign in its store as they come.

They come in the order of the plan, and a batch has runs of one wave, that follow each other. Its name says which: the
number of the first one, and how many. So a store always holds the beginning of its campaign, and each run once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.spreading import Played, packed, unpacked
from shaketable.harness.pipeline.campaigns.summaries import Summary, without_room
from shaketable.harness.pipeline.stores.writing import add_batch
from shaketable.harness.verdicts.rows import KEPT_FAILED

MOST_KEPT: Final = 500
"""histories of runs that have not passed; there may be more such runs, and their verdicts are there"""
_NAME: Final = re.compile(r"runs-(\d+)-(\d+)")


class Work(Protocol):
    """Plays portions and keeps their runs. The result of a portion is of a kind of its own."""

    @property
    def cores(self) -> int:
        """As many as there are now."""

    def already(self) -> dict[int, list[Summary]]:
        """What the store has: by the number of each batch's first run, what is told of its runs, in their order."""

    def for_a_thread(self, call: Callable[..., object]) -> Callable[..., object]:
        """The same, to be called in another thread than this one."""

    def play(self, tasks: Sequence[Sequence[Case]], room: int) -> Any:
        """`room`: histories of no more runs that have not passed are kept."""

    def take(self, first: int, done: Any, room: int) -> list[Summary]:
        """What came of the portion that begins with the run of this number: what is told of its tasks. Its runs are
        to be kept."""

    def keep(self) -> None:
        """All that was taken, for good."""

    def stop(self) -> None:
        """Gives up all that is played then."""


class Here:
    """Of work that is done on this machine: tasks hand over their rows, and this process writes them. If Spark wrote
    them, it would take as long for a few as a core for many runs."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._first = 0
        self._runs = 0
        self._rows: list[pa.Table] = []
        self._histories: list[pa.Table] = []

    def take(self, first: int, done: Sequence[Played], room: int) -> list[Summary]:
        if not self._runs:
            self._first = first
        taken = []
        for task in done:
            each = within(task, room)
            room -= len(each.told.kept_failed)
            self._runs += each.told.runs
            self._rows.append(unpacked(each.rows))
            self._histories += map(unpacked, each.histories.values())
            taken.append(each.told)
        return taken

    def keep(self) -> None:
        if not self._runs:
            return
        histories = pa.concat_tables(self._histories) if self._histories else None
        add_batch(self._store, batch_name(self._first, self._runs), pa.concat_tables(self._rows), histories)
        self._runs = 0
        self._rows.clear()
        self._histories.clear()


def batch_name(first: int, runs: int) -> str:
    return f"runs-{first:08}-{runs}"


def within(done: Played, room: int) -> Played:
    """With the histories of so many runs that have not passed, the first ones, and no more."""
    told, others = without_room(done.told, room)
    if not others:
        return done
    histories = {run: events for run, events in done.histories.items() if run not in others}
    return Played(told, packed(without_histories_of(others, unpacked(done.rows))), histories)


def without_histories_of(runs: Sequence[str], rows: pa.Table) -> pa.Table:
    """The rows, of which these runs have not passed, and have no history now."""
    if not runs:
        return rows
    surplus = pc.and_(pc.equal(rows["kept"], KEPT_FAILED), pc.is_in(rows["run"], pa.array(runs, pa.string())))
    place = rows.schema.get_field_index("kept")
    return rows.set_column(place, rows.schema.field(place), pc.if_else(surplus, "", rows["kept"]))


def by_first(path: object, batches: Mapping[str, list[Summary]]) -> dict[int, list[Summary]]:
    """`batches` by their names. Others may be put into a campaign's store, too."""
    found = {}
    for name, of_batch in batches.items():
        if (ours := _NAME.fullmatch(name)) is None:
            continue
        runs = sum(each.runs for each in of_batch)
        if runs != int(ours[2]):
            raise UserError(f"{path} has {runs} runs in the batch {name}: give another --out")
        found[int(ours[1])] = of_batch
    return found
