"""The report of a session: all its runs' verdicts, counted as a campaign's are."""

from __future__ import annotations

from shaketable.harness.reports.model import Report
from shaketable.harness.reports.tally import Tally, said_by
from shaketable.harness.verdict import SessionVerdict


def report_of_session(session: SessionVerdict) -> Report:
    if isinstance(session, Report):
        return session
    tally = Tally()
    for run in session.runs:
        tally.add(said_by(run))
    order = dict.fromkeys(check.name for run in session.runs for check in run.checks)
    return Report(
        schema=session.schema,
        shaketable=session.shaketable,
        outcome=session.outcome,
        history_hash=session.history_hash,
        runs=session.runs,
        left_out=session.left_out,
        totals=tally.totals(),
        lines=tally.lines(),
        guarantees=tally.guarantees(order),
    )
