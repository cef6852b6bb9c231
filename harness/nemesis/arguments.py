"""What `shaketable shrink` can be asked for."""

from __future__ import annotations

import argparse
from typing import Any

_SHRINK = """\
Makes a failing run of random faults as small as it gets, in virtual time: fewer faults, fewer nodes, shorter times, as
long as the same check still fails. What is left is written as a chaos script that a person can read and a test suite
can run, with its fault plan beside it, and is run once more to prove that it fails again. Exit code: 0 it does, 2 there
was nothing to shrink, or it does not."""


def add_shrink(commands: Any) -> None:
    shrink: argparse.ArgumentParser = commands.add_parser(
        "shrink", help="make a failing run of random faults as small as it gets", description=_SHRINK
    )
    shrink.add_argument(
        "script", metavar="SCRIPT", help="that plays a fault plan: FILE.py::NAME, or the name of one of ours"
    )
    shrink.add_argument("--seed", type=int, required=True, metavar="N", help="with which it fails")
    shrink.add_argument("--preset", choices=("default", "fast"), help="settings; without it: default")
    shrink.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="values",
        help="one setting, by our name or Hazelcast's: --set heartbeat_interval_seconds=0.5",
    )  # fmt: skip
    shrink.add_argument("--check", metavar="NAME", help="if several fail: that one (without it the first)")
    shrink.add_argument("--out", default="shrunk", metavar="DIR", help="for what comes of it (default shrunk)")
