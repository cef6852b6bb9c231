"""`shaketable check`: judges each run of a store by its history, and tells what has not passed."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import Final

from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.arguments import refuse_too_few_events
from shaketable.harness.pipeline.spark.session import ending_in_order
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.stores.checking import judged_anew
from shaketable.harness.pipeline.stores.schema import run_rows
from shaketable.harness.pipeline.stores.store import Store, open_store, refuse_what_is_none, session_for
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.rows import RunRow
from shaketable.harness.verdicts.verdict import EXIT_CODES, PASSED, UNKNOWN_OUTCOME, merged

MOST_TOLD: Final = 20
"""runs that have not passed"""


def check_store(options: argparse.Namespace) -> int:
    refuse_too_few_events(options)
    refuse_what_is_none(options, options.store)
    with ending_in_order():
        spark = session_for(options, options.store)
        store = open_store(spark, options.store)
        total, rows = judged_rows(store, options.most_events)
    return _tell(store.path, total, rows, Screen())


def judged_rows(store: Store, most_events: int) -> tuple[int, list[RunRow]]:
    """How many runs there are, and those that could be judged or should have been, without their whole verdicts."""
    from pyspark.sql.functions import lit

    with told_in_words(f"the runs of {store.path} cannot be judged"):
        judged = judged_anew(store, most_events).withColumn("verdict", lit(""))
        return store.runs.count(), sorted(run_rows(judged.toArrow()), key=lambda row: row.run)


def _tell(path: str, total: int, rows: Sequence[RunRow], console: Screen) -> int:
    troubled = [row for row in rows if row.outcome != PASSED]
    troubled.sort(key=lambda row: row.outcome != FAILED)
    for row in troubled[:MOST_TOLD]:
        tell_run(row, console)
    if len(troubled) > MOST_TOLD:
        console.say(f"and {len(troubled) - MOST_TOLD} more that have not passed")
    console.say(f"{len(rows)} of {total} runs judged: {outcomes_of(rows)}")
    if torn := [row for row in rows if row.trouble]:
        first = f"{torn[0].run}: {torn[0].trouble}"
        console.say(f"Of {len(torn)} of them not all was there when they were ingested; the first is {first}")
    if len(rows) < total:
        console.say(f"Of the other {total - len(rows)} the store holds no history: their verdicts stand as they are.")
    if not rows:
        raise UserError(f"{path} holds no run with its history: there is nothing to judge")
    return EXIT_CODES[merged(row.outcome for row in rows)]


def tell_run(row: RunRow, console: Screen) -> None:
    console.say(f"{row.outcome:<8} {row.run}")
    for reason in row.reasons:
        console.say(f"         {reason.text}")
    if row.again:
        console.say(f"         again: {row.again}")


def outcomes_of(rows: Sequence[RunRow]) -> str:
    counts = Counter(row.outcome for row in rows)
    return ", ".join(f"{counts[each]} {each}" for each in (PASSED, FAILED, UNKNOWN_OUTCOME) if counts[each]) or "none"
