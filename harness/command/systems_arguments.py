"""What `shaketable systems` can be asked for."""

from __future__ import annotations

import argparse
from typing import Any

_SYSTEMS: str = """\
Lists the systems whose members can be run and shaken: what each tells, whether it can be run here, and how many of the
scripts it can play, with the reasons for the others. With install, fetches and builds what that one needs, or all of
them, once a machine; the first run does so too."""


def add_systems(commands: Any) -> None:
    systems: argparse.ArgumentParser = commands.add_parser(
        "systems", help="list whose members can be shaken: ours, the real Hazelcast, ...", description=_SYSTEMS
    )
    systems.add_argument("does", nargs="?", choices=("list", "install"), default="list")
    systems.add_argument("system", nargs="?", default="", metavar="NAME", help="one of them, or NAME:VERSION")
    systems.add_argument("--scripts", nargs="+", default=[], metavar="PATH", help="these, not all of shaketable")
