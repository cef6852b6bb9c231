"""What all reports say in the same words: a check's word and mark, a run's head line, a fault's receipts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from shaketable.harness.checks.result import BROKEN, HELD, NOT_TOLD, UNKNOWN, VACUOUS, CheckResult, counted
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import OURS, UnderTest
from shaketable.harness.reports.model import Guarantee, Measure, Number, Report, Spread
from shaketable.harness.verdicts.verdict import FaultReceipt, LeftOut, RunVerdict, SessionVerdict
from shaketable.node.core.env import SECOND

MARKS: Final = {
    "passed": "✓",
    "failed": "✗",
    "unknown": "?",
    HELD: "✓",
    BROKEN: "✗",
    VACUOUS: "–",
    NOT_TOLD: "·",
}
"""A mark never stands without its word."""

MOST_FAULTS: Final = 500
"""of one run; a report counts the others, and report.json has them all"""
OUTCOMES: Final = ("passed", "failed", "unknown")
WORST_FIRST: Final = ("failed", "unknown", "passed")
TIME: Final = "time"
FAMILIES: Final = {"cluster": "clusters", "gms": "groups", "both": "clusters and groups"}
LEFT_OUT: Final = "left out"
AS_EXPECTED: Final = "broken, as expected"
WORDS: Final = {HELD: "held", BROKEN: "BROKEN", VACUOUS: "vacuous", UNKNOWN: "unknown", NOT_TOLD: NOT_TOLD}


def is_as_expected(result: CheckResult, run: RunVerdict) -> bool:
    """It is broken, and was to be."""
    return result.status == BROKEN and run.is_to_break(result.name)


def word_of(result: CheckResult, run: RunVerdict) -> str:
    if is_as_expected(result, run):
        return AS_EXPECTED
    return WORDS[result.status]


def is_subject(result: CheckResult, run: RunVerdict) -> bool:
    return result.name in run.about or run.is_to_break(result.name)


def untold_subjects(run: RunVerdict) -> list[str]:
    """Checks that the script is about and that did not judge this run, each in a sentence."""
    untold = [result for result in run.checks if result.status == NOT_TOLD and is_subject(result, run)]
    said_already = [reason.check for reason in run.reasons]
    return [
        f"{result.name}, which the script is about, is not told: {result.looked_at}"
        for result in untold
        if result.name not in said_already
    ]


def setting_of(run: RunVerdict) -> str:
    """Under the title: where and how it ran."""
    nodes = run.counts.get("nodes", 0)
    parts = [
        run.world,
        *filter(None, [run.system.if_other]),
        f"links: {run.fabric}",
        f"seed {run.seed}",
        f"preset {run.preset}",
        counted(nodes, "node"),
        f"{rounded(run.duration)}{' virtual' if run.world == 'sim' else ''}",
        *([f"each bound {rounded(run.allowance)} longer"] if run.allowance else []),
    ]
    return " · ".join(parts)


def receipt_of(fault: FaultReceipt) -> str:
    """ "took effect at 75.012 s (no probe came), ended at 80.001 s (probes came again)"."""
    if fault.without_effect:
        return f"TOOK NO EFFECT: {fault.without_effect}"
    if fault.took is None:
        return "NO RECEIPT"
    parts = [f"took effect at {rounded(fault.took)}{f' ({fault.how})' if fault.how else ''}"]
    if fault.ended is not None:
        parts.append(f"ended at {rounded(fault.ended)}{f' ({fault.ended_how})' if fault.ended_how else ''}")
    elif fault.lasts:
        parts.append("lasted to the end")
    return ", ".join(parts)


def more_faults(run: RunVerdict) -> str:
    """In a line below those that are listed."""
    more = len(run.faults) - MOST_FAULTS
    return f"and {more:,} more" if more > 0 else ""


def in_short(run: RunVerdict) -> str:
    """Why it has not passed, or what its checks say: "6 checks held, 1 saw nothing"."""
    if run.reasons:
        return run.reasons[0].text
    counts = _counts(run)
    held = counts.pop(WORDS[HELD], 0)
    return ", ".join([counted(held, "check held", "checks held"), *_others(counts)])


def in_a_word(run: RunVerdict) -> str:
    """Of a run that has passed, where there is little room: "6 held, 1 saw nothing", or where some were to be broken
    "7 as expected, 1 saw nothing"."""
    counts = _counts(run)
    held, broken = counts.pop(WORDS[HELD], 0), counts.pop(AS_EXPECTED, 0)
    return ", ".join([f"{held + broken} {'as expected' if broken else 'held'}", *_others(counts)])


def _counts(run: RunVerdict) -> dict[str, int]:
    """How many checks each word is said of."""
    words = [word_of(result, run) for result in run.checks]
    return {word: words.count(word) for word in dict.fromkeys(words)}


def _others(counts: Mapping[str, int]) -> list[str]:
    """Those that saw nothing come last."""
    vacuous = counts.get(WORDS[VACUOUS], 0)
    said = [f"{count} {word}" for word, count in counts.items() if word != WORDS[VACUOUS]]
    return [*said, *([f"{vacuous} saw nothing"] if vacuous else [])]


def summary_of(session: SessionVerdict) -> str:
    """ "12 passed, 1 failed, 1 unknown, 1 left out"; what did not occur is not mentioned."""
    counts = [f"{count} {word}" for word, count in outcomes_of(session).items() if count]
    others = [f"{len(session.left_out)} {LEFT_OUT}"] if session.left_out else []
    return ", ".join([*(counts or ["nothing was run"]), *others])


def outcomes_of(session: SessionVerdict) -> dict[str, int]:
    """How many runs ended so; of a campaign only those that have not passed are there in full."""
    if isinstance(session, Report):
        return {word: getattr(session.totals, word) for word in OUTCOMES}
    outcomes = [run.outcome for run in session.runs]
    return {word: outcomes.count(word) for word in OUTCOMES}


def said_of(left_out: LeftOut) -> str:
    return f"{LEFT_OUT}: {left_out.why}"


def left_out(moments: int) -> str:
    """In the place of so many: the history has them."""
    return f"... {counted(moments, 'more moment')} ..."


def said_of_spread(spread: Spread, unit: str = TIME) -> str:
    """ "median 31.2 s, 99 of 100 by 35.0 s, 212 times"."""
    times = counted(spread.count, "time")
    if spread.least == spread.most:
        return f"{amount(spread.median, unit)}, {times}"
    by = "by" if unit == TIME else "up to"
    return f"median {amount(spread.median, unit)}, 99 of 100 {by} {amount(spread.high, unit)}, {times}"


def promise_of(measure: Measure) -> str:
    """ "30 s to 35 s", "at most 35 s"; "" where nothing is promised."""
    if measure.promised_most is None:
        return ""
    least = f"{amount(measure.promised_least, measure.unit)} to " if measure.promised_least else "at most "
    return f"{least}{amount(measure.promised_most, measure.unit)}"


def name_of_run(script: str, seed: int, variant: str, system: UnderTest) -> str:
    return ", ".join(filter(None, (script, f"seed {seed}", variant, system.if_other)))


def whose_members(session: SessionVerdict) -> str:
    """ "Whose members ran: Shaketable in 1 run, Hazelcast 5.7.0 in 2 runs."; "" where all were ours."""
    told: dict[str, int] = {}
    if isinstance(session, Report):
        for line in session.lines:
            told[line.system] = told.get(line.system, 0) + line.runs
    else:
        for run in session.runs:
            told[run.system.if_other] = told.get(run.system.if_other, 0) + 1
    if not any(told):
        return ""
    if len(told) == 1:
        return f"Whose members ran: {next(iter(told))}."
    said = [f"{name or OURS.full_name} in {counted(runs, 'run')}" for name, runs in sorted(told.items())]
    return f"Whose members ran: {', '.join(said)}."


def amount(value: Number, unit: str = TIME) -> str:
    """As short as it can be said."""
    if unit != TIME:
        said = f"{value:,.0f}" if value == int(value) or value >= 1_000 else f"{value:.3g}"
        return said if unit == "count" else f"{said} {unit}"
    if value == 0:
        return "0 s"
    if value < 1_000:
        return f"{value:.3g} µs"
    if value < SECOND:
        return f"{value / 1_000:.3g} ms"
    if value < 100 * SECOND:
        return f"{value / SECOND:.3g} s"
    if value < 7_200 * SECOND:
        return f"{value / SECOND:,.0f} s"
    return f"{value / 3_600 / SECOND:,.1f} h"


def untold_by(guarantees: Iterable[Guarantee]) -> dict[str, list[str]]:
    """The checks that were not told in some runs, by the systems that do not tell what they need."""
    told: dict[str, list[str]] = {}
    for each in guarantees:
        if each.not_told:
            told.setdefault(", ".join(each.not_told_by), []).append(each.name)
    return told
