"""The matrix of crash points that the runs of a session have visited: parts by phases, as all reports say it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shaketable.harness.history.crash_points import (
    COMMIT_SENT,
    DESTINATION,
    FETCH_ANSWERED,
    MASTER,
    NEXT,
    OLD_BACKUP,
    OWNER,
    PHASES,
    PUBLISHED,
    CrashPoint,
)
from shaketable.harness.verdicts.verdict import SessionVerdict

ALSO: Final = tuple(f"{MASTER} and {part}" for part in (OWNER, OLD_BACKUP, DESTINATION))
"""A master that has another part in it as well."""
ROWS: Final = (MASTER, *ALSO, OWNER, OLD_BACKUP, DESTINATION, NEXT)
TITLE: Final = "Crash points visited"
SAID: Final = "who was killed at which phase of a migration; in how many runs"
CANNOT_BE: Final = "–"
NOT_VISITED: Final = "not visited"

_NO_MASTER_LEFT: Final = "tables are fetched only when that master has crashed"
_NO_MESSAGE: Final = "to itself a master sends no commit"
IMPOSSIBLE: Final = {
    **{(row, FETCH_ANSWERED): _NO_MASTER_LEFT for row in (MASTER, *ALSO)},
    (f"{MASTER} and {DESTINATION}", COMMIT_SENT): _NO_MESSAGE,
}
"""Cells that nothing can visit, and why."""


class CrashMatrix:
    def __init__(self, session: SessionVerdict) -> None:
        self.runs: dict[tuple[str, str], int] = {}
        """by row and phase, in how many runs somebody was killed there"""
        self._published: dict[tuple[int, int], bool] = {}
        self._migrations: dict[str, bool] = {}
        self._visitors = sum(bool(run.crash_points) for run in session.runs)
        for run in session.runs:
            cells = [(row, point.phase) for point in run.crash_points for row in _rows(point)]
            for cell in dict.fromkeys(cells):
                self.runs[cell] = self.runs.get(cell, 0) + 1
            for point in run.crash_points:
                self._migrations[point.migration] = True
                if point.phase == PUBLISHED:
                    self._published[point.sent, point.to] = True

    def __bool__(self) -> bool:
        """One run alone visits one cell, and its story tells it."""
        return self._visitors > 1

    def cell(self, row: str, phase: str) -> str:
        if (row, phase) in self.runs:
            return str(self.runs[row, phase])
        return CANNOT_BE if (row, phase) in IMPOSSIBLE else NOT_VISITED

    def cells(self) -> list[tuple[str, str]]:
        """All that can be visited."""
        return [(row, phase) for row in ROWS for phase in PHASES if self.cell(row, phase) != CANNOT_BE]

    def missing(self) -> list[tuple[str, str]]:
        return [cell for cell in self.cells() if self.cell(*cell) == NOT_VISITED]

    def sentences(self) -> Iterator[str]:
        """What stands below it."""
        possible = len(self.cells())
        visited = possible - len(self.missing())
        yield f"{visited} of {possible} were visited, in these migrations: {', '.join(sorted(self._migrations))}."
        if self._published:
            yield f"Publishes sent: {', '.join(f'{sent} of {to}' for sent, to in sorted(self._published))}."
        together: dict[str, list[tuple[str, str]]] = {}
        for cell, why in IMPOSSIBLE.items():
            together.setdefault(why, []).append(cell)
        for why, cells in together.items():
            yield f"{CANNOT_BE} cannot be: {', '.join(row for row, _ in cells)} at {cells[0][1]}: {why}."


def _rows(point: CrashPoint) -> Iterator[str]:
    if MASTER not in point.parts:
        yield from point.parts
        return
    others = [part for part in point.parts if part != MASTER]
    yield f"{MASTER} and {others[0]}" if others else MASTER
