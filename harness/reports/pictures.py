"""Which runs of a report get a picture: those that have not passed first, and no more than a page should hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.errors import UserError
from shaketable.harness.records import Record
from shaketable.harness.reports.model import MOST_SHOWN, Report
from shaketable.harness.reports.page.passed import MOST_PASSED
from shaketable.harness.reports.picture import Picture, picture_of
from shaketable.harness.runs.directory import read_run
from shaketable.harness.verdicts.verdict import PASSED

MOST_BYTES: Final = 2_500_000
"""of all pictures of a page together"""

RecordsOf = Callable[[int], Sequence[Record] | None]
"""the records of a run, by its place among the report's runs; None: they are not kept"""


def pictures_of(report: Report, records_of: RecordsOf) -> dict[int, Picture]:
    not_passed = [place for place, run in enumerate(report.runs) if run.outcome != PASSED]
    passed = [place for place, run in enumerate(report.runs) if run.outcome == PASSED]
    chosen = [*not_passed[:MOST_SHOWN], *(passed if len(passed) <= MOST_PASSED else [])]
    pictures: dict[int, Picture] = {}
    room = MOST_BYTES
    for place in chosen:
        records = records_of(place)
        if not records:
            continue
        picture = picture_of(records, report.runs[place])
        size = len(msgspec.json.encode(picture))
        if size <= room:
            room -= size
            pictures[place] = picture
    return pictures


def recorded(report: Report) -> RecordsOf:
    """Read from where the runs were recorded. One that cannot be read has no picture, and its verdict stands."""

    def records_of(place: int) -> Sequence[Record] | None:
        directory = report.runs[place].directory
        try:
            return read_run(Path(directory)).records if directory else None
        except UserError:
            return None

    return records_of
