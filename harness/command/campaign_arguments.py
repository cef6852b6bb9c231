"""The command line of `shaketable campaign`, apart from the command: --help loads nothing else."""

from __future__ import annotations

import argparse
from typing import Any

from shaketable.harness.command.spark_arguments import add_spark_options

_CAMPAIGN = """\
Simulates many runs, fanned out on Spark: seeds x scripts x protocol variants, judged by all checks. --seeds N is N runs
in all, spread evenly; one in twenty is executed twice and compared. Without --scripts: all that come with shaketable,
but for those with a planted fault (`shaketable museum` has these). An interrupted campaign goes on where it was when
the same is given again with its --out. Exit code: 0 passed, 1 something failed, 2 it cannot be said or not run."""


def add_campaign(commands: argparse._SubParsersAction[Any]) -> None:
    campaign = commands.add_parser(
        "campaign", help="simulate thousands of runs on Spark, and say what failed", description=_CAMPAIGN
    )
    campaign.add_argument("--seeds", type=int, default=1000, metavar="N", help="runs in all (default 1000)")
    campaign.add_argument("--seed", type=int, default=1, metavar="N", help="the first seed (default 1)")
    campaign.add_argument("--scripts", nargs="+", default=[], metavar="PATH", help="as `shaketable run` takes them")
    campaign.add_argument(
        "--variant", action="append", default=[], metavar="NAME", dest="variants",
        help="only this protocol variant, or several; `as written` is one (default: all, each story under some)",
    )  # fmt: skip
    campaign.add_argument(
        "--vary", action="append", default=[], metavar="NAME=A,B",
        help="your own variants in their place: every way to take one of these values of each setting",
    )  # fmt: skip
    campaign.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="values", help="one setting of all runs"
    )
    campaign.add_argument(
        "--sample", type=int, default=5, metavar="PERCENT", help="of runs that pass, whose histories are kept (5)"
    )
    campaign.add_argument("--list-variants", action="store_true", help="only list the variants")
    campaign.add_argument(
        "--out", metavar="DIR", help="for the store of runs and the reports; a campaign that is there already goes on"
    )
    add_spark_options(campaign)
