"""What `shaketable compare` takes on the command line. --help loads nothing else."""

from __future__ import annotations

import argparse
from typing import Any

from shaketable.harness.command.spark_arguments import add_spark_options

_DESCRIPTION = """\
Two stores side by side, of two campaigns or two commits: what newly fails and what is fixed, what takes longer or sends
more, and what only one of them has run. Runs of one script, world, variant, preset and seed are pairs. A difference is
called one if it would be an accident less than once in twenty times, all that was looked at together. Exit code: 0
nothing is worse, 1 something is, 2 it cannot be said."""


def add_compare(commands: argparse._SubParsersAction[Any]) -> None:
    compare = commands.add_parser(
        "compare", help="what is worse in one store than in another", description=_DESCRIPTION
    )
    compare.add_argument("before", metavar="BEFORE", help="a store: what ingest or a campaign has written")
    compare.add_argument("now", metavar="NOW", help="another one")
    compare.add_argument(
        "--least", type=float, default=1.0, metavar="PERCENT", help="smaller differences are none (default 1)"
    )
    compare.add_argument("--json", action="store_true", help="print only JSON; times in microseconds")
    add_spark_options(compare)
