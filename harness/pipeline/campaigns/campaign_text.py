"""What a campaign says in the terminal: the verdict, what failed and how to see it again, what was never reached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.console.report import STYLES
from shaketable.harness.console.screen import Screen
from shaketable.harness.coverage import ALL_MARKS
from shaketable.harness.pipeline.campaigns.progress import span
from shaketable.harness.pipeline.campaigns.results import RARE, Results
from shaketable.harness.pipeline.campaigns.summaries import Failing
from shaketable.harness.pipeline.campaigns.variants import AS_WRITTEN
from shaketable.harness.verdicts.verdict import PASSED, UNKNOWN_OUTCOME, merged
from shaketable.node.core.env import SECOND

ENOUGH: Final = 2_000
"""runs: what fewer have not reached tells little"""
MOST_MARKS: Final = 12
"""of those that are rare, and of those that were never reached, in the terminal"""


def tell(results: Results, asked: int, screen: Screen, *, out: Path) -> None:
    outcome = merged([results.outcome, PASSED if results.runs >= asked else UNKNOWN_OUTCOME])
    screen.say(_verdict(results, asked, outcome), STYLES.get(outcome, ""))
    for line in _amounts(results):
        screen.say(line)
    for failing in results.failing:
        _tell_failing(failing, screen)
    hidden = results.not_passed - len(results.failing)
    if hidden > 0:
        screen.say(f"and {hidden} more that have not passed: all are in the store")
    for run in results.differed:
        screen.say(f"{run} was executed twice, and its two histories differ", "bold red")
    _tell_marks(results, screen)
    _tell_variants(results, screen)
    screen.say(f"Store: {out}/store, with the histories of {_kept(results)}")


def _tell_failing(failing: Failing, screen: Screen) -> None:
    screen.say(f"{failing.outcome.upper()} {failing.run}", STYLES.get(failing.outcome, ""))
    for why in failing.why[:3]:
        screen.say(f"  {why}")
    if len(failing.why) > 3:
        screen.say(f"  and {len(failing.why) - 3} more reasons")
    screen.say(f"  again: {failing.again}")


def _tell_marks(results: Results, screen: Screen) -> None:
    in_reach, never, rare = results.marks_in_reach(), results.never(), results.rare()
    if not in_reach:
        return
    reached = f"Reached: {len(in_reach) - len(never)} of {len(in_reach)} marks, such as a transition or a refusal"
    screen.say(f"{reached}; see report.html" if results.runs < ENOUGH else reached)
    if results.runs < ENOUGH:
        return
    for name, runs in rare[:MOST_MARKS]:
        screen.say(f"  {name}: in {counted(runs, 'run')}")
    if len(rare) > MOST_MARKS:
        screen.say(f"  and {len(rare) - MOST_MARKS} more in {RARE} runs or fewer")
    if never:
        screen.say(f"Never reached: {len(never)}")
    for name in never[:MOST_MARKS]:
        screen.say(f"  {name}: {ALL_MARKS[name].means}")
    if len(never) > MOST_MARKS:
        screen.say(f"  and {len(never) - MOST_MARKS} more")


def _tell_variants(results: Results, screen: Screen) -> None:
    """No line is wider than the screen, and no name is broken."""
    line = "Runs by variant:"
    for place, (name, outcomes) in enumerate(results.by_variant.items(), 1):
        bad = outcomes.total() - outcomes[PASSED]
        part = f" {name or AS_WRITTEN} {outcomes.total()}{f' ({bad} not passed)' if bad else ''}"
        part += "," * (place < len(results.by_variant))
        if len(line + part) > screen.width:
            screen.say(line)
            line = " "
        line += part
    screen.say(line)


def _kept(results: Results) -> str:
    if not results.not_passed:
        return counted(results.kept_sample, "run")
    kept = counted(results.kept_failed + results.kept_sample, "run")
    of = f" of {results.not_passed}" if results.kept_failed < results.not_passed else ""
    return f"{kept} ({results.kept_failed}{of} not passed)"


def _verdict(results: Results, asked: int, outcome: str) -> str:
    counts = ", ".join(f"{number} {name}" for name, number in results.outcomes.most_common())
    of = f"{results.runs} of " if results.runs < asked else ""
    return f"{outcome.upper()}  {of}{counted(max(asked, results.runs), 'run')}: {counts}"


def _amounts(results: Results) -> Iterator[str]:
    yield f"  {results.events:,} events in {span(results.simulated / SECOND)} of simulated time"
    if results.twice:
        alike = "" if results.differed else ", and the histories were the same"
        yield f"  {counted(results.twice, 'run')} executed twice{alike}"


def title_of(results: Results, asked: int) -> str:
    """Of its reports: by what was run, which may be less than what was asked for."""
    of = f"{results.runs} of " if results.runs < asked else ""
    said = counted(asked, "run"), counted(len(results.scripts), "script"), counted(len(results.by_variant), "variant")
    return f"campaign: {of}{said[0]} of {said[1]} under {said[2]}"
