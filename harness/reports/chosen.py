"""Which of the runs that have not passed a report shows in full: those with a shorter story, then one of each
kind, the lowest seeds of it.

Runs come as a stream and in any order; what is chosen does not depend on it, and takes little room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from shaketable.harness.checks.result import BROKEN
from shaketable.harness.reports.model import MOST_LINES, MOST_SHOWN, OneLine
from shaketable.harness.reports.shared import name_of_run
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.rows import RunRow, system_of

Kind = tuple[bool, str, str, str, tuple[str, ...]]
"""failed before unknown; script, variant, system with its version, and what was broken"""

OF_A_KIND: Final = 3
MOST_KINDS: Final = 4 * MOST_SHOWN


class Chosen:
    def __init__(self, first: Iterable[str] = ()) -> None:
        """`first`: the runs that are shown before all others, in this order."""
        self._first: dict[str, RunRow | None] = dict.fromkeys(first)
        self._kinds: dict[Kind, list[tuple[int, str, RunRow]]] = {}
        self._lines: list[tuple[bool, str, str, int, str, OneLine]] = []
        self.count = 0

    def add(self, row: RunRow) -> None:
        self.count += 1
        self._lines.append((row.outcome != FAILED, row.script, row.variant, row.seed, row.run, _line(row)))
        if len(self._lines) > 4 * MOST_LINES:
            self._lines = self._fewest()
        if row.run in self._first:
            self._first[row.run] = row
            return
        of_kind = self._kinds.setdefault(_kind(row), [])
        of_kind.append((row.seed, row.run, row))
        of_kind.sort(key=lambda each: each[:2])
        del of_kind[OF_A_KIND:]
        if len(self._kinds) > MOST_KINDS:
            del self._kinds[max(self._kinds)]

    def shown(self) -> list[RunRow]:
        kinds = [self._kinds[kind] for kind in sorted(self._kinds)]
        rounds = [of_kind[turn][2] for turn in range(OF_A_KIND) for of_kind in kinds if turn < len(of_kind)]
        first = [row for row in self._first.values() if row is not None]
        chosen = rounds[: max(0, MOST_SHOWN - len(first))]
        return [*first, *sorted(chosen, key=lambda row: (row.outcome != FAILED, rounds.index(row)))]

    def others(self, shown: Sequence[RunRow]) -> list[OneLine]:
        names = {row.run for row in shown}
        return [line for *_, run, line in self._fewest() if run not in names][:MOST_LINES]

    def _fewest(self) -> list[tuple[bool, str, str, int, str, OneLine]]:
        """Those that others() can need."""
        return sorted(self._lines, key=lambda line: line[:5])[: MOST_LINES + MOST_SHOWN]


def _kind(row: RunRow) -> Kind:
    broken = tuple(sorted(check.name for check in row.checks if check.status == BROKEN))
    about = broken or tuple(sorted({reason.about for reason in row.reasons}))
    return row.outcome != FAILED, row.script, row.variant, system_of(row).asked, about


def _line(row: RunRow) -> OneLine:
    why = row.reasons[0].text if row.reasons else row.trouble
    name = name_of_run(row.script, row.seed, row.variant, system_of(row))
    return OneLine(run=name, outcome=row.outcome, why=why, again=row.again)
