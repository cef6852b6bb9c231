"""The runs that lie in a folder, in its `runs/`, and in the reports beside them: the newest first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.runs.directory import RECORDINGS, RUN, RunInfo, read_info

PLACES: Final = (f"{RECORDINGS}/*/{RUN}", f"*/{RUN}", f"*/{RECORDINGS}/*/{RUN}")
MOST: Final = 500


@dataclass(frozen=True, slots=True)
class RecentRun:
    directory: Path
    changed: float
    """when its description was written last: with its end, if it has come to that"""
    info: RunInfo | None
    trouble: str = ""
    """why there is no description"""


def recent_runs(folder: Path) -> list[RecentRun]:
    """A folder that may not be looked into is left out."""
    found: dict[Path, float] = {}
    for pattern in PLACES:
        try:
            for path in folder.glob(pattern):
                found[path.parent] = path.stat().st_mtime
        except OSError:
            continue
    newest = sorted(found.items(), key=lambda each: (-each[1], each[0]))[:MOST]
    return [_read(directory, changed) for directory, changed in newest]


def _read(directory: Path, changed: float) -> RecentRun:
    try:
        return RecentRun(directory, changed, read_info(directory))
    except UserError as error:
        return RecentRun(directory, changed, None, str(error))
