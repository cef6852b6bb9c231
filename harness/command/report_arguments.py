"""What `shaketable report` takes on the command line. --help loads nothing else."""

from __future__ import annotations

import argparse
from typing import Any, Final

from shaketable.harness.command.spark_arguments import add_spark_options
from shaketable.harness.command.store_arguments import add_most_events

_REPORT: Final = """\
Writes the reports of recorded runs, or of a store of runs: report.html, one page that works offline, report.md for the
summary of a build, junit.xml and report.json. RUNS is the folder of one recorded run, or one in which some are found,
however deep: they are put into a store below the folder of the reports, judged by the checks of today, and measured. Or
it is one store, of a campaign or of ingest. Exit code: 0 all passed, 1 a guarantee or an expectation was violated,
2 it cannot be said."""


def add_report(commands: argparse._SubParsersAction[Any]) -> None:
    report = commands.add_parser("report", help="the reports of recorded runs, or of a store", description=_REPORT)
    report.add_argument("runs", nargs="+", metavar="RUNS", help="recorded runs, folders with some below, or one store")
    report.add_argument("--out", required=True, metavar="DIR", help="the folder of the reports")
    report.add_argument(
        "--as-judged", action="store_true", help="of a store: let its verdicts stand, without judging its runs anew"
    )
    report.add_argument(
        "--against", metavar="STORE", help="another store: what has changed since, as `compare` says it"
    )
    report.add_argument("--no-measures", action="store_true", help="without how long things took")
    add_most_events(report)
    add_spark_options(report)
