"""The options of `shaketable compare-detectors` for a search; they are read without loading any of it."""

from __future__ import annotations

import argparse
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.arguments import add_spark_options

HOURS: Final = 48.0
MESSAGES: Final = 10.0
EVERY: Final = "1d"


def add_search_options(compare: argparse.ArgumentParser) -> None:
    search = compare.add_argument_group(
        "to choose a detector",
        "With --at-most the command searches for settings that are wrong no more often, under one condition of --under "
        "and with one size of --members. Exit code: 0 there are such settings, 1 there are none, 2 it could not "
        "search.",
    )
    search.add_argument(
        "--at-most", metavar="N/TIME", help="false removals of the whole group that are borne, as 1/month or 2/year"
    )
    search.add_argument(
        "--within", metavar="TIME", help="the cheapest settings that tell nine of ten crashes by then, as 20s or 1m"
    )
    search.add_argument(
        "--messages", type=float, metavar="N",
        help=f"messages that a member may send in a second on the average (default {MESSAGES:g}); without --at-most, "
        "each policy with --under gets the heartbeat period with which it sends so many",
    )  # fmt: skip
    search.add_argument(
        "--pauses-every", metavar="TIME",
        help=f"with pauses-SECONDSs: each member sleeps once in so long a time (default {EVERY})",
    )  # fmt: skip
    search.add_argument(
        "--hours", type=float, metavar="N",
        help=f"hours of virtual time in which one candidate is watched, at most (default {HOURS:g})",
    )  # fmt: skip
    add_spark_options(compare)


def is_search(options: argparse.Namespace) -> bool:
    """An option of the search is refused without --at-most, and one that --under takes too where there is neither."""
    if options.cores is not None and options.cores < 1:
        raise UserError(f"--cores {options.cores}: give at least 1")
    if options.at_most is not None:
        for name in ("system", "policies"):
            if getattr(options, name):
                raise UserError(f"--at-most searches among all of ours: leave out {_option(name)}")
        return True
    for name in ("within", "pauses_every", "hours"):
        if getattr(options, name) is not None:
            raise UserError(
                f"{_option(name)} goes with --at-most alone: the command searches for settings only with it"
            )
    for name in ("messages", "spark_master", "cores"):
        if getattr(options, name) is not None and options.under is None:
            raise UserError(f"{_option(name)} goes with --at-most or --under; see shaketable compare-detectors --help")
    return False


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
