"""Two recorded runs side by side at the first moment where they differ, for the command and for the screens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from shaketable.harness.causes.chain import Chain, chain
from shaketable.harness.causes.differing import Difference, first_difference, of_note
from shaketable.harness.causes.grounds import Grounds
from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.harness.runs.directory import RecordedRun, read_run

BEFORE: Final = 4
AFTER: Final = 8
"""events of note on each side"""


class Side(NamedTuple):
    name: str
    """A or B"""
    run: RecordedRun
    history: History
    around: Sequence[Record]
    """its events of note around the moment; none where there is no such moment"""

    @property
    def called(self) -> str:
        info, verdict = self.run.info, self.run.verdict
        outcome = verdict.outcome if verdict is not None else "without a verdict"
        system = info.system or self.history.system
        run = ", ".join(filter(None, (info.script, info.world, system.if_other, f"seed {info.seed}")))
        return f"{run}: {outcome}"


class SideBySide(NamedTuple):
    sides: tuple[Side, Side]
    found: Difference | None
    why: Chain | None
    """behind the event that one of them lacks"""

    @property
    def has_it(self) -> Side:
        return self.sides[0 if self.found is None or self.found.in_first else 1]

    @property
    def told(self) -> str:
        """How they differ, in words."""
        if self.found is None:
            many = len(of_note(self.sides[0].history))
            return f"Both tell the same {many} events of note. They differ in times and order alone."
        has, lacks = ("A", "B") if self.found.in_first else ("B", "A")
        before = f"{self.found.alike} events of note before it are in both."
        return f"{before} The next one is in {has}, and never in {lacks}:"


def beside(one: Path, other: Path) -> SideBySide:
    """Of two folders."""
    return side_by_side(read_run(one), read_run(other))


def side_by_side(one: RecordedRun, other: RecordedRun) -> SideBySide:
    for run in (one, other):
        if not run.records:
            raise UserError(f"{run.directory} holds no events: there is nothing to compare")
    a, b = History(one.records), History(other.records)
    found = first_difference(a, b)
    sides = Side("A", one, a, _around(found, a)), Side("B", other, b, _around(found, b))
    why = chain(Grounds(a if found.in_first else b), found.record) if found is not None else None
    return SideBySide(sides, found, why)


def _around(found: Difference | None, history: History) -> Sequence[Record]:
    if found is None:
        return ()
    notable = of_note(history)
    here = next((at for at, record in enumerate(notable) if record.time >= found.record.time), len(notable))
    return notable[max(0, here - BEFORE) : here + AFTER]
