"""The command line of `shaketable museum`, apart from the command: --help loads nothing else."""

from __future__ import annotations

import argparse
from typing import Any

from shaketable.harness.command.spark_arguments import add_spark_options

_MUSEUM = """\
Plays every fault that was planted on purpose (what the texts call broken, and what Shoal's code gets wrong), and says
which check catches it, after how many runs, and at what cost: in its own story, and under random plans of faults. Exit
code: 0 each is caught by the check that names its rule, 1 one is not, 2 it could not be played."""


def add_museum(commands: argparse._SubParsersAction[Any]) -> None:
    museum = commands.add_parser("museum", help="every planted fault, and which check catches it", description=_MUSEUM)
    museum.add_argument("names", nargs="*", metavar="FAULT", help="only these: `stale table` (default: all)")
    museum.add_argument("--seeds", type=int, default=5, metavar="N", help="runs of each fault's own story (default 5)")
    museum.add_argument(
        "--random", type=int, default=24, metavar="N", help="at most so many runs under random plans; 0: none (24)"
    )
    museum.add_argument(
        "--also", action="append", default=[], metavar="FILE",
        help="faults of your own: a Python file with EXHIBITS = [(check, script, member), ...]",
    )  # fmt: skip
    museum.add_argument(
        "--canary", action="store_true", help="one fault alone, without Spark, in a second: do the checks see anything?"
    )
    museum.add_argument("--list", action="store_true", help="only list what there is")
    museum.add_argument("--report", metavar="FILE", help="write it as JSON, too")
    add_spark_options(museum)
