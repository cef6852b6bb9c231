"""What `shaketable shrink` can be asked for."""

from __future__ import annotations

import argparse
from typing import Any

from shaketable.harness.seeds import seed

_SHRINK = """\
Makes a failing run of random faults as small as possible, in virtual time: fewer faults, fewer nodes, shorter times,
as long as the same check fails. It writes the result as a chaos script that you can read and a test suite can run, and
its fault plan beside it. Then it runs the script once more to prove that it fails. Exit code: 0 it fails again,
2 nothing to shrink, or it does not fail again."""


def add_shrink(commands: Any) -> None:
    shrink: argparse.ArgumentParser = commands.add_parser(
        "shrink", help="make a failing run of random faults as small as it gets", description=_SHRINK
    )
    shrink.add_argument(
        "script",
        metavar="SCRIPT",
        help="a script that plays a fault plan: FILE.py::NAME, or the name of one of shaketable",
    )
    shrink.add_argument("--seed", type=seed, required=True, metavar="N", help="the seed with which it fails")
    shrink.add_argument("--preset", choices=("default", "fast"), help="preset of the settings (default: default)")
    shrink.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="values",
        help="one setting, by our name or Hazelcast's: --set heartbeat_interval_seconds=0.5",
    )  # fmt: skip
    shrink.add_argument("--check", metavar="NAME", help="the check to follow if several fail (default: the first)")
    shrink.add_argument("--out", default="shrunk", metavar="DIR", help="folder for the results (default shrunk)")
