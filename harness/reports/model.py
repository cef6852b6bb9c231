"""What reports are made of: one model over the verdicts of a session or of a whole campaign.

All that a report says stands here, so that HTML, Markdown, JUnit XML and JSON say the same. It is plain data, made
without Spark: whoever has run, checked or measured hands it over."""

from __future__ import annotations

from typing import Final

import msgspec

from shaketable.harness.verdicts.verdict import SessionVerdict
from shaketable.node.core.env import Micros

SCHEMA: Final = 1
"""Of what a report adds to a session's verdict in report.json; a field that is added does not raise it."""

MOST_SHOWN: Final = 25
"""Runs that have not passed and are shown in full: the rest is a line each, and counted."""
MOST_LINES: Final = 500
"""Further runs that have not passed, a line each."""


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    runs: int = 0
    passed: int = 0
    failed: int = 0
    unknown: int = 0
    events: int = 0
    faults: int = 0
    duration: Micros = 0
    """of the worlds' own time"""
    wall: Micros = 0
    """real time, where it is known; no report depends on it but this line"""
    twice: int = 0
    """runs that were executed twice"""
    differed: int = 0
    """of these: how many did not give one history"""


Number = int | float


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Many times, or amounts, in short: what a small plot shows."""

    count: int
    least: Number
    median: Number
    ninety: Number | None = None
    """90 of 100 are no more"""
    high: Number
    """99 of 100 are no more"""
    most: Number
    bins: tuple[tuple[Number, Number, int], ...] = ()
    """from, until before, how many; growing, without empty ones. () where only the numbers are known"""
    shares: tuple[Number, ...] = ()
    """in the place of bins: values between each two of which lie equally many cases"""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """All runs of one script, in one world, under one variant, of one system."""

    script: str
    title: str
    family: str
    world: str
    variant: str
    """ "": nothing was varied"""
    system: str = ""
    """the full name of the one whose members ran; "": ours"""
    runs: int
    passed: int
    failed: int
    unknown: int
    first_seed: int
    last_seed: int
    failing_seeds: tuple[int, ...] = ()
    """the first few of the runs that have not passed"""
    durations: Spread | None = None
    wall: Micros = 0
    """real time of all of them together, where it is known"""


class Guarantee(msgspec.Struct, frozen=True, kw_only=True):
    """One check over all runs."""

    name: str
    held: int
    broken: int
    expected: int
    """broken, as the script expects"""
    vacuous: int
    unknown: int
    looked_at: int
    """how much it judged, over all runs"""
    not_told: int = 0
    """runs of systems that do not tell what it needs"""
    not_told_by: tuple[str, ...] = ()
    """the full names of these"""


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """One mark: something of the protocols that a run can reach."""

    mark: str
    family: str
    service: str = ""
    """what it is of, in words: "partitions" """
    means: str
    times: int
    runs: int
    """in how many runs; 0: it was never reached"""
    first_seed: int | None = None
    """the lowest one that reached it"""


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was measured, of one group of runs, beside what the settings promise."""

    measure: str
    """in words: "silence to suspicion", "crash to agreement", "claim", "migration", "split to one cluster" """
    about: str = ""
    """one sentence: from what until what it is counted"""
    script: str = ""
    """ "": of all"""
    variant: str = ""
    system: str = ""
    """its full name, where the runs are of several"""
    size: int = 0
    """members; 0: whatever their number"""
    unit: str = "time"
    """ "time": microseconds; "bytes", "%", "count", or any other word for what is counted """
    spread: Spread
    promised_least: Number | None = None
    promised_most: Number | None = None
    outside: int = 0
    """how many are not what was promised"""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One line of two campaigns side by side."""

    what: str
    """the measure, or the check"""
    script: str = ""
    variant: str = ""
    before: str
    now: str
    said: str
    """in words, with its statistics: "12 % slower (9 to 15 %, 95 of 100 times)" """
    kind: str
    """ "new failure", "now unknown", "gone failure", "known now", or as `shaketable compare` calls it: "worse",
    "better", "different" """


class Minimal(msgspec.Struct, frozen=True, kw_only=True):
    """The shortest fault story that still fails."""

    script: str
    """its text, a chaos script"""
    file: str = ""
    """where that is saved"""
    again: str = ""
    """the command that runs it"""
    said: str = ""
    """ "40 faults of 5 nodes became 3 of 4, in 212 runs" """


class OneLine(msgspec.Struct, frozen=True, kw_only=True):
    """A run that has not passed and is not shown in full."""

    run: str
    outcome: str
    why: str
    again: str


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of a run of `runs` beside its verdict."""

    run: str
    """its name in the store"""
    variant: str = ""
    minimal: Minimal | None = None


class Report(SessionVerdict, frozen=True, kw_only=True):
    """`runs` are those shown in full; all of them in a session, of a campaign those that have not passed."""

    report_schema: int = SCHEMA
    title: str = ""
    """what was done, in words: "campaign: 5000 seeds of 12 scripts" """
    again: str = ""
    """the command that does all of it again"""
    totals: Totals = Totals()
    lines: tuple[Line, ...] = ()
    guarantees: tuple[Guarantee, ...] = ()
    shown: tuple[Shown, ...] = ()
    """beside each of `runs`, in a campaign"""
    others: tuple[OneLine, ...] = ()
    more: int = 0
    """runs that have not passed, and are neither in `runs` nor in `others`"""
    coverage: tuple[Coverage, ...] = ()
    measures: tuple[Measure, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    notes: tuple[str, ...] = ()
    """what is to know beside: files that could not be read, an interruption, a sample instead of all"""


def is_campaign(report: Report) -> bool:
    """There is more to say than of each run in turn: not all of them are there in full, or something is known of all of
    them together. A session of plain runs has nothing of the kind."""
    together = (report.title, report.again, report.notes, report.coverage, report.measures, report.comparisons)
    return report.totals.runs > len(report.runs) or any(together)
