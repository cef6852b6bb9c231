"""What `shaketable compare-detectors` takes on the command line. It stands apart so that --help loads nothing else."""

from __future__ import annotations

import argparse
from typing import Any, Final

from shaketable.harness.seeds import seed

UNDER: Final = (
    *("none", "loss-1", "loss-5", "loss-10", "loss-30", "jitter"),
    *("pauses", "lagging", "lagging-some", "overload", "overload-some", "one-way", "churn"),
)
"""the names of quality/conditions.py"""

_DESCRIPTION = """\
Measures failure detectors in virtual time, all under the same faults: each way of a group to watch its members and to
elect its master, and the two detectors of a cluster. It shows how long each takes to suspect, verify and announce a
crash, what it costs, and how often it is wrong, beside what the settings promise. With --system it measures another
system's detector beside ours, on real processes. Exit code: 0 all is as promised, 1 something is not, 2 it could not
be measured."""


def add_compare_detectors(commands: argparse._SubParsersAction[Any]) -> argparse.ArgumentParser:
    compare: argparse.ArgumentParser = commands.add_parser(
        "compare-detectors", help="compare all failure detectors under the same faults",
        description=_DESCRIPTION,
    )  # fmt: skip
    compare.add_argument(
        "--members", metavar="N,N", help="sizes of the group (default 10,50,200; with --under 10, with --system 5)"
    )
    compare.add_argument(
        "--under", metavar="NAME,NAME",
        help="measure detection time, mistakes and query accuracy under these conditions instead: all, or some of "
        + ", ".join(UNDER) + ", loss-PERCENT, pauses-SECONDSs; several at once: loss-2+pauses-3s",
    )  # fmt: skip
    compare.add_argument("--seed", type=seed, default=1, metavar="N", help="the seed of all random draws (default 1)")
    compare.add_argument(
        "--seeds", type=int, metavar="K", help="number of seeds, from --seed on (default: fewer for larger groups)"
    )
    compare.add_argument(
        "--preset",
        choices=("default", "fast"),
        help="preset of the settings (default: default; with --system the system's own, and fast for ours)",
    )
    compare.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="values",
        help="one setting: --set gms_heartbeat_period_seconds=1; a cluster gets the same period and window, "
        "and so does the system of --system",
    )  # fmt: skip
    compare.add_argument(
        "--policies",
        metavar="NAME,NAME",
        help="with --under: these of ours (default: all; with --system swim, lifeguard, ring, deadline)",
    )
    compare.add_argument("--out", metavar="FILE.svg", help="draw all times into this file")
    compare.add_argument(
        "--report", metavar="DIR",
        help="write detectors.jsonl, detectors.txt and detectors.svg there; with --under quality.jsonl and "
        "quality.txt, with --at-most answer.jsonl, answer.txt and front.svg",
    )  # fmt: skip
    compare.add_argument(
        "--bytes", type=float, metavar="N",
        help="with --under: give each policy the heartbeat period with which a member sends so many bytes in a second",
    )  # fmt: skip
    compare.add_argument("--json", action="store_true", help="print only JSON, one object for each policy and size")
    return compare
