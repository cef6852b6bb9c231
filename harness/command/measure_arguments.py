"""What `shaketable measure` takes on the command line. --help loads nothing else."""

from __future__ import annotations

import argparse
from typing import Any

from shaketable.harness.command.spark_arguments import add_spark_options

_DESCRIPTION = """\
How long things took in the runs of a store (detection, claims, convergence, migrations, heals, operations), and how
much was sent, each beside what the runs' settings promise. Of runs that have passed, unless --all is given: of the
others all histories are kept, of these a sample. Exit code: 0 measured, 2 it could not be."""


def add_measure(commands: argparse._SubParsersAction[Any]) -> None:
    measure = commands.add_parser(
        "measure", help="how long things took in the runs of a store", description=_DESCRIPTION
    )
    measure.add_argument("store", metavar="STORE", help="what ingest or a campaign has written")
    measure.add_argument("--by", metavar="COLUMN,...", help="a row for each script, world, variant or number of nodes")
    measure.add_argument(
        "--measure", action="append", default=[], metavar="NAME", help="only this one; may be given more than once"
    )
    measure.add_argument("--all", action="store_true", help="also runs that have not passed")
    measure.add_argument("--json", action="store_true", help="one JSON object a line; times in microseconds")
    add_spark_options(measure)
