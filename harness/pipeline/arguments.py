"""What can be typed after the commands of the pipeline; read without loading any of it."""

from __future__ import annotations

import argparse
from typing import Any, Final

from shaketable.harness.errors import UserError
from shaketable.harness.seeds import seed

MOST_EVENTS: Final = 1_000_000
"""of one run, for one task: as objects they take about 1 GB"""


_CAMPAIGN = """\
Simulates many runs: seeds x scripts x protocol variants, judged by all checks. --runs N makes N runs in all, spread
evenly. From 2,000 on, Spark plays them, and with --for or --spark-master always; fewer are played by processes of
this machine. One in twenty is executed twice and compared. Without PATH it runs all scripts of shaketable, except
those with a planted fault (see `shaketable museum`). To go on with an interrupted campaign, give the same command
with the same --out. Exit code: 0 passed, 1 something failed, 2 unknown or could not run."""


def add_campaign(commands: argparse._SubParsersAction[Any]) -> None:
    campaign = commands.add_parser(
        "campaign", help="simulate thousands of runs, and say what failed", description=_CAMPAIGN
    )
    campaign.add_argument("scripts", nargs="*", metavar="PATH", help="scripts, as for `shaketable run`")
    campaign.add_argument("--runs", type=int, metavar="N", help="runs in all (default 1000)")
    campaign.add_argument(
        "--for", dest="last", default="", metavar="TIME",
        help="end after this time, as 8h, 30m or 90s, in the place of a number of runs",
    )  # fmt: skip
    campaign.add_argument("--seed", type=seed, default=1, metavar="N", help="the first seed (default 1)")
    _former_words(campaign)
    campaign.add_argument(
        "--variant", action="append", default=[], metavar="NAME", dest="variants",
        help="only this protocol variant, may be repeated; one is `as written` (default: each story under some)",
    )  # fmt: skip
    campaign.add_argument(
        "--vary", action="append", default=[], metavar="NAME=A,B",
        help="your own variants instead: each combination of these values of the settings",
    )  # fmt: skip
    campaign.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="values", help="one setting of all runs"
    )
    campaign.add_argument(
        "--sample",
        type=int,
        default=5,
        metavar="PERCENT",
        help="keep the histories of this share of the passed runs (default 5)",
    )
    campaign.add_argument(
        "--corpus", default="", metavar="DIR",
        help="go on from the fault plans that an earlier campaign has kept: its folder, or its corpus.jsonl",
    )  # fmt: skip
    campaign.add_argument(
        "--no-search", action="store_false", dest="search",
        help="play drawn fault plans alone, and none that are made of plans which reached something rare",
    )  # fmt: skip
    campaign.add_argument("--list-variants", action="store_true", help="only list the variants")
    campaign.add_argument(
        "--before", metavar="DIR", help="an earlier campaign's folder, or a store: also report what has changed since"
    )
    campaign.add_argument("--out", metavar="DIR", help="folder of the store and the reports; a campaign in it goes on")
    add_spark_options(campaign)


def _former_words(campaign: argparse.ArgumentParser) -> None:
    """Still understood: `--seeds` is another number where it belongs to `shaketable run`."""
    campaign.add_argument("--seeds", dest="runs", type=int, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    campaign.add_argument("--scripts", dest="more_scripts", nargs="+", default=[], help=argparse.SUPPRESS)


_INGEST = """\
Puts recorded runs, real or simulated, into a store: Parquet files that check, measure, compare and report read. RUNS is
the folder of one recorded run, or a folder with runs at any depth. A run that broke off is put in as far as it was
recorded. Runs that cannot be read are named and left out. A run that is in the store already is not put in again. Exit
code: 0 all are in the store, 2 some could not be read."""

_CHECK = """\
Judges each run of a store again by its history, with the present checks, and tells what has not passed. Exit code: 0
all passed, 1 a guarantee or an expectation was violated, 2 unknown."""

_REVALIDATE = """\
Judges the runs of a store, perhaps of older versions, with the present checks, and tells which verdicts change, and
why. Exit code: 0 no verdict changes, 1 some change, 2 some run cannot be judged."""

_COMPACT = """\
Puts all runs of a store into a new one: few files, sorted, so that a question about one run or one script reads little
of them. The old store stays as it is. A campaign goes on only in its own. Exit code: 0 done, 2 could not be done."""


def add_store_commands(commands: argparse._SubParsersAction[Any]) -> None:
    ingest = commands.add_parser("ingest", help="put recorded runs into a store", description=_INGEST)
    ingest.add_argument("runs", nargs="+", metavar="RUNS", help="a recorded run, or a folder with runs")
    ingest.add_argument(
        "--out", required=True, metavar="STORE", help="the folder of the store; an existing one is added to"
    )
    check = commands.add_parser("check", help="judge the runs of a store by their histories", description=_CHECK)
    check.add_argument("store", metavar="STORE", help="a store, written by ingest or a campaign")
    revalidate = commands.add_parser(
        "revalidate", help="say which verdicts of a store the present checks change, and why", description=_REVALIDATE
    )
    revalidate.add_argument("store", metavar="STORE", help="a store, written by ingest or a campaign")
    compact = commands.add_parser(
        "compact", help="put a store of many files into a new one of few", description=_COMPACT
    )
    compact.add_argument("store", metavar="STORE", help="a store, written by ingest or a campaign")
    compact.add_argument("--out", required=True, metavar="NEW", help="the folder of the new store")
    for parser in (ingest, check, revalidate):
        add_most_events(parser)
    for parser in (ingest, check, revalidate, compact):
        add_spark_options(parser)


_MEASURE = """\
Shows how long things took in the runs of a store (detection, claims, convergence, migrations, heals, operations), and
how much was sent, beside what the runs' settings promise. It measures passed runs only, unless --all is given: a
campaign keeps a sample of the histories of passed runs, and all others. Exit code: 0 measured, 2 could not measure."""


def add_measure(commands: argparse._SubParsersAction[Any]) -> None:
    measure = commands.add_parser(
        "measure", help="show how long things took in the runs of a store", description=_MEASURE
    )
    measure.add_argument("store", metavar="STORE", help="a store, written by ingest or a campaign")
    measure.add_argument(
        "--by",
        metavar="COLUMN,...",
        help="a row for each script, world, variant, number of nodes, system or version",
    )
    measure.add_argument(
        "--measure", action="append", default=[], metavar="NAME", help="only this measure; may be repeated"
    )
    measure.add_argument("--all", action="store_true", help="measure also runs that have not passed")
    measure.add_argument("--json", action="store_true", help="print one JSON object a line; times in microseconds")
    add_spark_options(measure)


_COMPARE = """\
Compares two stores, of two campaigns or two commits: what newly fails and what is fixed, what takes longer or sends
more, and what only one of them has run. Runs of the same script, world, variant, preset and seed are pairs. Each
measure is worse, better, no worse than by --margin, or nothing can be said of it. If nothing differs, chance calls
something worse in less than one of twenty comparisons of two stores. Exit code: 0 nothing worse was found, 1 something
is worse, 2 nothing can be said."""


def add_compare(commands: argparse._SubParsersAction[Any]) -> None:
    compare = commands.add_parser(
        "compare", help="say what is worse in one store than in another", description=_COMPARE
    )
    compare.add_argument("before", metavar="BEFORE", help="a store, written by ingest or a campaign")
    compare.add_argument("now", metavar="NOW", help="another store")
    compare.add_argument(
        "--least", type=float, default=1.0, metavar="PERCENT", help="ignore smaller differences (default 1)"
    )
    compare.add_argument(
        "--margin", type=float, default=20.0, metavar="PERCENT",
        help="call no worse only what cannot be worse by more (default 20)",
    )  # fmt: skip
    compare.add_argument("--json", action="store_true", help="print only JSON; times in microseconds")
    add_spark_options(compare)


_REPORT = """\
Writes the reports of recorded runs, or of a store: report.html, one page that works offline, report.md for the summary
of a build, junit.xml and report.json. RUNS is the folder of one recorded run, or a folder with runs at any depth. They
are put into a store in the folder of the reports, judged with the present checks, and measured. RUNS may also be one
store, of a campaign or of ingest. Exit code: 0 all passed, 1 a guarantee or an expectation was violated, 2 unknown."""


def add_report(commands: argparse._SubParsersAction[Any]) -> None:
    report = commands.add_parser("report", help="write reports of recorded runs, or of a store", description=_REPORT)
    report.add_argument("runs", nargs="+", metavar="RUNS", help="recorded runs, folders with runs, or one store")
    report.add_argument("--out", required=True, metavar="DIR", help="the folder of the reports")
    report.add_argument(
        "--as-judged", action="store_true", help="keep the verdicts of a store, and do not judge its runs again"
    )
    report.add_argument(
        "--against", metavar="STORE", help="another store: also report what has changed since, as `compare` does"
    )
    report.add_argument("--no-measures", action="store_true", help="do not measure how long things took")
    add_most_events(report)
    add_spark_options(report)


_MUSEUM = """\
Plays every fault that was planted on purpose (what the texts call broken, and what Shoal's code gets wrong), in its
own story and under random plans of faults. It says which check catches each, after how many runs, and at what cost.
Exit code: 0 each is caught by the check that names its rule, 1 one is not, 2 one could not be played."""


def add_museum(commands: argparse._SubParsersAction[Any]) -> None:
    museum = commands.add_parser(
        "museum", help="play every planted fault, and say which check catches it", description=_MUSEUM
    )
    museum.add_argument("names", nargs="*", metavar="FAULT", help="only these: `stale table` (default: all)")
    museum.add_argument("--seeds", type=int, default=5, metavar="N", help="runs of each fault's own story (default 5)")
    museum.add_argument(
        "--random", type=int, default=24, metavar="N", help="most runs under random plans; 0: none (default 24)"
    )
    museum.add_argument(
        "--no-search", action="store_false", dest="search",
        help="play random plans as they are drawn, one seed after the other, and none that are made of earlier ones",
    )  # fmt: skip
    museum.add_argument("--seed", type=seed, default=1, metavar="N", help="the first seed of random plans (default 1)")
    museum.add_argument(
        "--also", action="append", default=[], metavar="FILE",
        help="faults of your own: a Python file with EXHIBITS = [(check, script, member), ...]",
    )  # fmt: skip
    museum.add_argument(
        "--canary", action="store_true", help="play one fault, without Spark, in a second: do the checks see anything?"
    )
    museum.add_argument("--list", action="store_true", help="only list the faults")
    museum.add_argument("--report", metavar="FILE", help="also write the results as JSON")
    add_spark_options(museum)


# What several of them take


def add_spark_options(parser: argparse.ArgumentParser) -> None:
    """For session.spark_session: `options.spark_master` and `options.cores`."""
    parser.add_argument(
        "--spark-master", metavar="MASTER",
        help="spark://HOST:PORT, yarn, k8s://https://HOST:PORT, local[N], local-cluster[N,CORES,MB] (default: all "
        "cores of this machine)",
    )  # fmt: skip
    parser.add_argument("--cores", type=int, metavar="N", help="number of cores of this machine (default: all)")


def add_most_events(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--most-events", type=int, default=MOST_EVENTS, metavar="N",
        help=f"refuse a run of more events: one task holds all of them (default {MOST_EVENTS})",
    )  # fmt: skip


def refuse_too_few_events(options: argparse.Namespace) -> None:
    if options.most_events < 1:
        raise UserError(f"--most-events {options.most_events}: give at least 1")
