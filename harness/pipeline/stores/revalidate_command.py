"""`shaketable revalidate`: the runs of a store, judged by whatever version, under the checks of today."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from shaketable import harness
from shaketable.harness.checks.result import BROKEN, NOT_TOLD
from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.arguments import refuse_too_few_events
from shaketable.harness.pipeline.spark.session import ending_in_order
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.stores.check_command import MOST_TOLD, judged_rows
from shaketable.harness.pipeline.stores.schema import run_rows
from shaketable.harness.pipeline.stores.store import open_store, refuse_what_is_none, session_for
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.rows import RunRow
from shaketable.harness.verdicts.verdict import EXIT_CODES, PASSED, UNKNOWN_OUTCOME


def revalidate_store(options: argparse.Namespace) -> int:
    refuse_too_few_events(options)
    refuse_what_is_none(options, options.store)
    with ending_in_order():
        store = open_store(session_for(options, options.store), options.store)
        with told_in_words(f"{store.path} cannot be read"):
            before = {row.run: row for row in run_rows(store.runs.where("kept != ''").drop("verdict").toArrow())}
        _, now = judged_rows(store, options.most_events)
    if not now:
        raise UserError(f"{store.path} holds no run with its history: there is nothing to judge")
    return _tell(before, now, Screen())


def _tell(before: dict[str, RunRow], now: Sequence[RunRow], console: Screen) -> int:
    unjudged = [row for row in now if row.unjudged]
    left_out = {row.run for row in unjudged}
    judged = [row for row in now if row.run not in left_out]
    changed = [(row, changes) for row in judged if (changes := changes_of(before[row.run], row))]
    for row, changes in changed[:MOST_TOLD]:
        console.say(f"{row.run} (judged by {before[row.run].shaketable})")
        for change in changes:
            console.say(f"    {change}")
    if len(changed) > MOST_TOLD:
        console.say(f"and {len(changed) - MOST_TOLD} more that changed")
    for row in unjudged[:MOST_TOLD]:
        console.say(f"{row.run}: {row.reasons[0].text}")
    stand = len(now) - len(changed) - len(unjudged)
    told = f"{stand} of {len(now)} verdicts stand under shaketable {harness.version()}"
    console.say(f"{told}; {len(changed)} changed, {len(unjudged)} cannot be judged")
    return EXIT_CODES[FAILED if changed else UNKNOWN_OUTCOME if unjudged else PASSED]


def changes_of(old: RunRow, new: RunRow) -> list[str]:
    """In words; none: the verdict stands. The number of a check's looks and the words of a reason are no verdict."""
    changes = [*_changed(old, new)]
    if changes:
        changes += [f"now: {each.text}" for each in new.reasons if each not in old.reasons]
        changes += [f"no more: {each.text}" for each in old.reasons if each not in new.reasons]
    return changes


def _changed(old: RunRow, new: RunRow) -> Iterator[str]:
    if old.outcome != new.outcome:
        yield f"{old.outcome} before, {new.outcome} now"
    if old.history_hash != new.history_hash:
        yield f"its history is another one: {old.history_hash[:12]} before, {new.history_hash[:12]} now"
    was = {check.name: check.status for check in old.checks}
    of_now = {check.name: check.status for check in new.checks}
    for name, status in of_now.items():
        if name not in was and status == BROKEN:
            yield f"{name}, which nobody checked before, is {status}"
        elif name in was and was[name] != status and NOT_TOLD not in (was[name], status):
            yield f"{name}: {was[name]} before, {status} now"
    for name in was:
        if name not in of_now:
            yield f"{name}: {was[name]} before, and not checked any more"
