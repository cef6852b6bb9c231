"""What `shaketable ingest`, `check` and `revalidate` take on the command line. --help loads nothing else."""

from __future__ import annotations

import argparse
from typing import Any, Final

from shaketable.harness.command.spark_arguments import add_spark_options
from shaketable.harness.errors import UserError

MOST_EVENTS: Final = 1_000_000
"""of one run, for one task: as objects they take about 1 GB"""

_INGEST: Final = """\
Puts recorded runs, real or simulated, into a store: Parquet files that check, measure, compare and report read. RUNS is
the folder of one recorded run, or one in which some are found, however deep. What was recorded until a run broke off
is taken; what cannot be read is told and left out. A run that is in the store already is not put there once more.
Exit code: 0 all are in the store, 2 some could not be read."""

_CHECK: Final = """\
Judges each run of a store anew by its history, with the checks of today, and tells what has not passed. Exit code: 0
all passed, 1 a guarantee or an expectation was violated, 2 it cannot be said."""

_REVALIDATE: Final = """\
Judges the runs of a store, of older versions maybe, by the checks of today, and tells which verdicts are others now,
and why. Exit code: 0 every verdict stands, 1 some changed, 2 some run cannot be judged."""


def add_store_commands(commands: argparse._SubParsersAction[Any]) -> None:
    ingest = commands.add_parser("ingest", help="put recorded runs into a store", description=_INGEST)
    ingest.add_argument("runs", nargs="+", metavar="RUNS", help="a recorded run, or a folder with some below it")
    ingest.add_argument("--out", required=True, metavar="STORE", help="the folder of the store; there, it is added to")
    check = commands.add_parser("check", help="judge the runs of a store by their histories", description=_CHECK)
    check.add_argument("store", metavar="STORE", help="what ingest or a campaign has written")
    revalidate = commands.add_parser(
        "revalidate", help="which verdicts of a store the checks of today change, and why", description=_REVALIDATE
    )
    revalidate.add_argument("store", metavar="STORE", help="what ingest or a campaign has written")
    for parser in (ingest, check, revalidate):
        add_most_events(parser)
        add_spark_options(parser)


def add_most_events(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--most-events", type=int, default=MOST_EVENTS, metavar="N",
        help=f"refuse a run of more events than this, all of which one task holds (default {MOST_EVENTS})",
    )  # fmt: skip


def refuse_too_few_events(options: argparse.Namespace) -> None:
    if options.most_events < 1:
        raise UserError(f"--most-events {options.most_events}: give at least 1")
