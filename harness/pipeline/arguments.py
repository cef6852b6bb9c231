"""What can be typed after the commands of the pipeline; read without loading any of it."""

from __future__ import annotations

import argparse
from typing import Any, Final

from shaketable.harness.errors import UserError

MOST_EVENTS: Final = 1_000_000
"""of one run, for one task: as objects they take about 1 GB"""


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


_INGEST = """\
Puts recorded runs, real or simulated, into a store: Parquet files that check, measure, compare and report read. RUNS is
the folder of one recorded run, or one in which some are found, however deep. What was recorded until a run broke off
is taken; what cannot be read is told and left out. A run that is in the store already is not put there once more.
Exit code: 0 all are in the store, 2 some could not be read."""

_CHECK = """\
Judges each run of a store anew by its history, with the checks of today, and tells what has not passed. Exit code: 0
all passed, 1 a guarantee or an expectation was violated, 2 it cannot be said."""

_REVALIDATE = """\
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


_MEASURE = """\
How long things took in the runs of a store (detection, claims, convergence, migrations, heals, operations), and how
much was sent, each beside what the runs' settings promise. Of runs that have passed, unless --all is given: of the
others all histories are kept, of these a sample. Exit code: 0 measured, 2 it could not be."""


def add_measure(commands: argparse._SubParsersAction[Any]) -> None:
    measure = commands.add_parser("measure", help="how long things took in the runs of a store", description=_MEASURE)
    measure.add_argument("store", metavar="STORE", help="what ingest or a campaign has written")
    measure.add_argument("--by", metavar="COLUMN,...", help="a row for each script, world, variant or number of nodes")
    measure.add_argument(
        "--measure", action="append", default=[], metavar="NAME", help="only this one; may be given more than once"
    )
    measure.add_argument("--all", action="store_true", help="also runs that have not passed")
    measure.add_argument("--json", action="store_true", help="one JSON object a line; times in microseconds")
    add_spark_options(measure)


_COMPARE = """\
Two stores side by side, of two campaigns or two commits: what newly fails and what is fixed, what takes longer or sends
more, and what only one of them has run. Runs of one script, world, variant, preset and seed are pairs. A difference is
called one if it would be an accident less than once in twenty times, all that was looked at together. Exit code: 0
nothing is worse, 1 something is, 2 it cannot be said."""


def add_compare(commands: argparse._SubParsersAction[Any]) -> None:
    compare = commands.add_parser("compare", help="what is worse in one store than in another", description=_COMPARE)
    compare.add_argument("before", metavar="BEFORE", help="a store: what ingest or a campaign has written")
    compare.add_argument("now", metavar="NOW", help="another one")
    compare.add_argument(
        "--least", type=float, default=1.0, metavar="PERCENT", help="smaller differences are none (default 1)"
    )
    compare.add_argument("--json", action="store_true", help="print only JSON; times in microseconds")
    add_spark_options(compare)


_REPORT = """\
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


# What several of them take


def add_spark_options(parser: argparse.ArgumentParser) -> None:
    """For session.spark_session: `options.spark_master` and `options.cores`."""
    parser.add_argument(
        "--spark-master", metavar="MASTER",
        help="spark://HOST:PORT, yarn, k8s://HOST:PORT, local[N] (default: all cores of this machine)",
    )  # fmt: skip
    parser.add_argument("--cores", type=int, metavar="N", help="so many cores of this machine (default: all)")


def add_most_events(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--most-events", type=int, default=MOST_EVENTS, metavar="N",
        help=f"refuse a run of more events than this, all of which one task holds (default {MOST_EVENTS})",
    )  # fmt: skip


def refuse_too_few_events(options: argparse.Namespace) -> None:
    if options.most_events < 1:
        raise UserError(f"--most-events {options.most_events}: give at least 1")
