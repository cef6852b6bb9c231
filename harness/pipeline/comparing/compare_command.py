"""`shaketable compare`: two stores side by side, two campaigns or two commits, and what got worse."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.comparing.answers import BETTER, CANNOT_SAY, NO_WORSE, WORSE, Asked, Difference
from shaketable.harness.pipeline.comparing.comparing import Changed, Compared, compared
from shaketable.harness.pipeline.comparing.facts import RunFacts
from shaketable.harness.pipeline.comparing.other_settings import OtherSetting
from shaketable.harness.pipeline.comparing.pairs import Apart, Key
from shaketable.harness.pipeline.comparing.reading import runs_here, runs_of
from shaketable.harness.pipeline.measuring.measure_command import shown
from shaketable.harness.pipeline.measuring.measures import BY_NAME
from shaketable.harness.pipeline.needed import asks_duckdb
from shaketable.harness.pipeline.spark.session import ending_in_order
from shaketable.harness.pipeline.stores.store import open_store, refuse_what_is_none, session_for
from shaketable.harness.records import OURS
from shaketable.harness.verdicts.verdict import PASSED

MOST_TOLD: Final = 20
"""runs, or differences"""
MOST_NAMES: Final = 10
MOST_SETTINGS: Final = 5
MOST_VALUES: Final = 3
MOST_NAMED: Final = 3
"""comparisons of which it is told how many more draws would do"""
VERDICTS: Final = {
    0: "Nothing worse was found.",
    1: "Worse than before.",
    2: "It cannot be said whether anything is worse.",
}
"""by exit code"""
_NONE: Final = {"system": OURS.name, "variant": "none"}
_STYLES: Final = {WORSE: "red", BETTER: "green"}


def compare(options: argparse.Namespace) -> int:
    if options.least < 0:
        raise UserError(f"--least {options.least:g}: give 0 or more per cent")
    if options.margin <= options.least:
        raise UserError(f"--margin {options.margin:g}: give more per cent than --least {options.least:g}")
    refuse_what_is_none(options, options.before, options.now)
    before, now = _runs_of_both(options)
    told = compared(before, now, Asked(least=options.least, margin=options.margin))
    if options.json:
        sys.stdout.write(f"{msgspec.json.encode({'exit_code': told.exit_code, 'compared': told}).decode()}\n")
    else:
        print_compared(told, options.before, options.now)
    return told.exit_code


def _runs_of_both(options: argparse.Namespace) -> list[dict[Key, RunFacts]]:
    paths = (options.before, options.now)
    if asks_duckdb(options, *paths):
        return [runs_here(Path(path), cores=options.cores) for path in paths]
    with ending_in_order():
        spark = session_for(options, *paths, app="shaketable compare")
        stores = [open_store(spark, path) for path in paths]
        return [runs_of(spark, store) for store in stores]


def print_compared(told: Compared, before: str, now: str) -> None:
    screen = Screen()
    say = screen.say_between_words
    say(VERDICTS[told.exit_code], "red" if told.exit_code == 1 else "")
    whose = [f" ({', '.join(names)})" if names else "" for names in systems_of_both(told)]
    say(f"Before: {before}{whose[0]}. Now: {now}{whose[1]}.")
    alike = f", {told.alike:,} of them alike event by event" if told.alike and not told.nothing_differs else ""
    say(f"{told.pairs:,} runs of both{alike}; {told.only_before:,} only before, {told.only_now:,} only now.")
    for sentence in of_pairs(told):
        say(sentence)
    for names, where in ((told.scripts_only_before, "before"), (told.scripts_only_now, "now")):
        if names:
            say(f"Scripts that were only run {where}: {_some(names)}.")
    for runs, title, style in (
        (told.new_failures, "newly fail", "red"),
        (told.new_unknown, "passed and are unknown now", "yellow"),
        (told.fixed, "failed and pass now", "green"),
        (told.no_longer_unknown, "were unknown and pass now", "green"),
    ):
        if runs:
            say("")
            say(f"{len(runs):,} {'runs' if len(runs) > 1 else 'run'} of both {title}:", style)
            for run in runs[:MOST_TOLD]:
                say(f"  {_line(run)}", indent=4)
                if run.again and run.now != PASSED:
                    screen.say(f"    {run.again}")
            if len(runs) > MOST_TOLD:
                say(f"  and {len(runs) - MOST_TOLD:,} more")
    shares = told.without_pair
    if shares.failed_before or shares.failed_now:
        say("")
        say(
            f"Of the runs of one alone {shares.failed_before:,} of {shares.runs_before:,} failed before, "
            f"{shares.failed_now:,} of {shares.runs_now:,} now: {'worse' if shares.worse else 'no difference is sure'}."
        )
    _print_differences(told.called, screen)
    say("")
    for sentence in of_the_rest(told):
        say(sentence)


def systems_of_both(told: Compared) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Whose members ran; nothing where all were ours."""
    if {*told.systems_before, *told.systems_now} <= {OURS.full_name}:
        return (), ()
    return told.systems_before, told.systems_now


def of_pairs(told: Compared) -> Iterator[str]:
    """How runs became pairs, as far as that is not plain, or why none did; and in what settings they differ."""
    if told.versions_mixed:
        several = ", ".join(told.versions_mixed)
        yield f"Of {several} there are several versions in one store: runs of the same version are paired first."
    if told.apart:
        yield f"No runs are a pair: they differ in {' and '.join(map(_apart, told.apart))}."
    if told.settings:
        settings = [_setting(each, told.pairs) for each in told.settings[:MOST_SETTINGS]]
        more = len(told.settings) - MOST_SETTINGS
        yield f"The settings differ: {'; '.join(settings)}{f' and {more:,} more' if more > 0 else ''}."


def _setting(of: OtherSetting, pairs: int) -> str:
    """ "heartbeat_timeout_seconds 60, now 75 (in 3 of 20 pairs)"."""
    before, now = (" or ".join(each or '""' for each in side[:MOST_VALUES]) for side in (of.before, of.now))
    some = f" (in {of.pairs:,} of {pairs:,} pairs)" if of.pairs < pairs else ""
    return f"{of.name} {before}, now {now}{some}"


def _apart(of: Apart) -> str:
    """ "preset (default; now fast)"."""
    if of.what == "seed":
        return "seed"
    before, now = (_some([each or _NONE.get(of.what, "") for each in side]) for side in (of.before, of.now))
    return f"{of.what} ({before}; now {now})"


def systems_of(run: Changed) -> str:
    """ "", "Hazelcast 5.7.0" or "Hazelcast 5.3.8, now Hazelcast 5.7.0"."""
    return ", now ".join(dict.fromkeys(filter(None, (run.system_before, run.system_now))))


def _line(run: Changed) -> str:
    variant = "".join(f", {each}" for each in (run.variant, systems_of(run)) if each)
    why = f": {run.why}" if run.why else ""
    return f"{run.script} ({run.world}{variant}), seed {run.seed}{why}"


def _print_differences(called: Sequence[Difference], screen: Screen) -> None:
    if called:
        screen.say("")
    for each in called[:MOST_TOLD]:
        unit = BY_NAME[each.measure].unit
        said = f"{each.usual} {shown(each.before, unit)}, now {shown(each.now, unit)}; {each.words}"
        style = _STYLES.get(each.kind, "")
        screen.say_between_words(f"{each.kind:<10}{_where(each)}: {said}", style, indent=10, styled=len(each.kind))
    if len(called) > MOST_TOLD:
        screen.say(f"and {len(called) - MOST_TOLD:,} more differences")


def _where(of: Difference) -> str:
    return ", ".join(filter(None, (of.measure, "all scripts" if of.script is None else of.script, of.system)))


def of_the_rest(told: Compared) -> Iterator[str]:
    """How many comparisons have shown that nothing is worse, of how many nothing can be said, and what would help."""
    if told.nothing_differs:
        yield f"All {told.pairs:,} runs of both are alike, event by event: nothing differs."
        return
    if not told.differences:
        yield "No measure could be compared: no script has passed on both sides in the same world, variant and preset."
        return
    sure, unsure = told.of_kinds(NO_WORSE), told.of_kinds(CANNOT_SAY)
    counted = f"{len(told.called):,} differ, {len(sure):,} show that it is no more than {told.asked.margin:g} % worse"
    yield f"Of {len(told.differences):,} comparisons {counted}. Of {len(unsure):,} nothing can be said."
    whole = [each for each in unsure if each.script is None] or unsure
    if named := sorted(whole, key=lambda each: each.more)[:MOST_NAMED]:
        yield f"More draws a side would tell: {'; '.join(f'about {each.more:,} for {_where(each)}' for each in named)}."
        if told.passed_and_kept < told.passed:
            kept = f"{told.passed_and_kept:,} of {told.passed:,} are kept"
            yield f"Most measures need the histories of the runs, and {kept}. To keep more: campaign --sample 100."


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")
