"""What `shaketable compare-detectors` takes on the command line. It stands apart so that --help loads nothing else."""

from __future__ import annotations

import argparse
from typing import Any

_DESCRIPTION = """\
One workload of faults under every way that a group has to watch its members and to elect its master, and under a
cluster's two failure detectors, in virtual time: how long each takes to suspect, verify and announce a crash, what it
costs, and how often it is wrong, each beside what the settings promise. Exit code: 0 all is as promised, 1 something is
not, 2 it could not be measured."""


def add_compare_detectors(commands: argparse._SubParsersAction[Any]) -> None:
    compare = commands.add_parser(
        "compare-detectors", help="all failure detectors under the same faults, promised beside measured",
        description=_DESCRIPTION,
    )  # fmt: skip
    compare.add_argument("--members", default="10,50,200", metavar="N,N", help="sizes of the group (default 10,50,200)")
    compare.add_argument("--seed", type=int, default=1, metavar="N", help="of all that is drawn by chance (default 1)")
    compare.add_argument(
        "--seeds", type=int, metavar="K", help="with so many seeds, from --seed on (default: fewer, the larger it is)"
    )
    compare.add_argument("--preset", choices=("default", "fast"), default="default", help="settings (default: default)")
    compare.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="values",
        help="one setting: --set gms_heartbeat_period_seconds=1; a cluster gets the same period and window",
    )  # fmt: skip
    compare.add_argument("--out", metavar="FILE.svg", help="draw all times there")
    compare.add_argument("--report", metavar="DIR", help="write detectors.json, detectors.txt and detectors.svg there")
    compare.add_argument("--json", action="store_true", help="print only JSON, one object a policy and size")
