"""What junit.xml says of a campaign beside the runs that it shows in full: a suite of all scripts, a test case a script
and variant; a suite of what was reached (skipped: never); and one of what was compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from shaketable.harness.reports.model import Line, Report

FAILURE: Final = "failure"
ERROR: Final = "error"
SKIPPED: Final = "skipped"


class Told(NamedTuple):
    """A test case: its name, what became of it ("" passed), and in words."""

    name: str
    tag: str
    said: str
    system: str = ""
    """not ours"""


def campaign_suites(report: Report) -> Iterator[tuple[str, list[Told]]]:
    """Each with its name."""
    if report.lines:
        yield "scripts", [_script(line) for line in report.lines]
    if report.totals.twice:
        said = f"{report.totals.differed} of {report.totals.twice} gave another history when executed again"
        yield "executed twice", [Told("one seed, one history", FAILURE if report.totals.differed else "", said)]
    if report.coverage:
        yield (
            "reached",
            [
                Told(
                    mark.mark,
                    "" if mark.runs else SKIPPED,
                    f"in {mark.runs} runs" if mark.runs else f"never: {mark.means}",
                )
                for mark in report.coverage
            ],
        )
    if report.comparisons:
        yield (
            "compared",
            [
                Told(
                    " ".join(filter(None, (each.what, each.script, each.variant))),
                    FAILURE if each.kind == "new failure" else "",
                    f"{each.kind}: {each.before}, now {each.now}; {each.said}",
                )
                for each in report.comparisons
            ],
        )


def _script(line: Line) -> Told:
    name = f"{line.script} [{', '.join(filter(None, (line.world, line.variant, line.system)))}]"
    seeds = f"{line.runs} runs, seeds {line.first_seed} to {line.last_seed}"
    if line.failed:
        return Told(name, FAILURE, f"{line.failed} of {seeds}, failed: seeds {_some(line)}", line.system)
    if line.unknown:
        return Told(name, ERROR, f"{line.unknown} of {seeds}, cannot be said: seeds {_some(line)}", line.system)
    return Told(name, "", f"{seeds}: all passed", line.system)


def _some(line: Line) -> str:
    more = line.failed + line.unknown > len(line.failing_seeds)
    return f"{', '.join(map(str, line.failing_seeds))}{' ...' if more else ''}"
