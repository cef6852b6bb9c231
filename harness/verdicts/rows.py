"""What a store of runs holds: a row for each run, and the events of those runs whose histories are kept.

A store is a folder with two tables of Parquet files, `runs/` and `history/`. Campaigns and `ingest` write stores, all
else reads them. The columns are fixed here without Spark, so that a task that makes a row needs none either."""

from __future__ import annotations

from typing import Final

import msgspec

from shaketable.harness.records import OURS, UnderTest

SCHEMA: Final = 2
"""Of both tables. Another one is refused in words: of schema 1 no reason has a kind. A column that is added, with a
default, does not raise it."""

RUNS: Final = "runs"
HISTORY: Final = "history"
"""The columns of harness/history/codec.py's Row, after the run's own column `run`."""

KEPT_FAILED: Final = "not passed"
KEPT_SAMPLE: Final = "sample"
KEPT_ASKED: Final = "asked"


class ReasonRow(msgspec.Struct, frozen=True):
    """Why a run has not passed (harness/verdicts/reasons.py)."""

    outcome: str
    about: str
    text: str
    check: str = ""


class CheckRow(msgspec.Struct, frozen=True):
    name: str
    status: str
    count: int
    pending: int
    violations: int


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """One run. But for the `wall_` columns the same case gives the same row, wherever and as often as it runs."""

    schema: int = SCHEMA
    run: str
    """unique in its store: script, world, variant and seed"""
    script: str
    title: str
    file: str
    family: str
    world: str
    fabric: str
    preset: str
    variant: str
    """what was varied beside the script's own settings, in words; "" if nothing was"""
    values: str
    """the settings that were given, by outside names: a JSON object with sorted keys"""
    settings: str
    """all settings of the run by outside names: a JSON object with sorted keys"""
    seed: int
    shaketable: str
    """the version that ran and judged it"""
    outcome: str
    reasons: list[ReasonRow]
    about: list[str] = []
    """the checks that the script is about"""
    expects_violation: str | None = None
    broken_too: list[str] = []
    """the checks that cannot hold where that one is broken"""
    checks: list[CheckRow]
    violations: dict[str, str] = {}
    """of each check that is broken its first violation, in a sentence"""
    untold: dict[str, str] = {}
    """of each check that is not told: why"""
    system: str = ""
    """the name of the one whose members were shaken; "": ours"""
    system_version: str = ""
    system_title: str = ""
    """as sentences call it"""
    faults: int
    nodes: int
    processes: int
    events: int
    duration: int
    """micros of the world's own time"""
    allowance: int
    """micros that the world adds to each bound"""
    history_hash: str
    marks: dict[str, int]
    """what of the protocols was reached (harness/coverage/), and how often"""
    again: str
    """the command that runs it again"""
    plan: str = ""
    """where the fault plan is kept that a search had it play in the place of its own; "" if it played its own"""
    verdict: str = ""
    """of a run that has not passed: its whole RunVerdict as JSON, story included"""
    kept: str = ""
    """why its history is in the store: "not passed", "sample", "asked"; "" if it is not"""
    same: bool | None = None
    """of a run that was executed twice: whether both histories have one hash"""
    trouble: str = ""
    """of a run whose directory could not be read in full: what is missing"""
    lost: str = ""
    """of a recorded run that lacks events: which are missing; nothing can be said of such a run"""
    unjudged: str = ""
    """of a run that could not be judged anew: why not"""
    wall_micros: int = 0
    wall_began: str = ""
    """real time, of recorded runs"""


def system_of(row: RunRow) -> UnderTest:
    return under_test(row.system, row.system_version, row.system_title)


def under_test(name: str, version: str, title: str) -> UnderTest:
    """The system that a row's columns name."""
    return UnderTest(name=name, version=version, title=title) if name else OURS
