"""What `shaketable explore` can be asked for."""

from __future__ import annotations

import argparse
from typing import Any

from shaketable.harness.seeds import seed

_EXPLORE = """\
Plays a small story in every order that matters, in virtual time: of messages, timers, and the few faults more that it
is given. It ends with how many orders there are, or with the shortest one that fails, as a chaos script that runs. Exit
code: 0 explored whole and all held, 1 an order fails, 2 not explored whole, an order could not be judged, or a
check that the script is about saw nothing in any."""


def add_explore(commands: Any) -> None:
    explore: argparse.ArgumentParser = commands.add_parser(
        "explore", help="play a small story in every order that matters", description=_EXPLORE
    )
    explore.add_argument("script", metavar="SCRIPT", help="FILE.py::NAME, or the name of a script of shaketable")
    explore.add_argument("--kills", type=int, default=0, metavar="N", help="at most N more nodes crash, at any moment")
    explore.add_argument("--resets", type=int, default=0, metavar="N", help="at most N more links lose what is on them")
    explore.add_argument("--cuts", type=int, default=0, metavar="N", help="at most N more links are cut, one way")
    explore.add_argument(
        "--from", dest="start", metavar="WHEN",
        help="when orders begin to matter: a time in seconds, or a kind of event, say MergeJudged (default: where "
        "the script does something after the cluster has formed)",
    )  # fmt: skip
    explore.add_argument(
        "--for", type=float, dest="lasts", metavar="SECONDS",
        help="for how long they matter (default: two heartbeat intervals)",
    )  # fmt: skip
    explore.add_argument(
        "--late", type=float, dest="latest", metavar="SECONDS",
        help="a message comes at most this much later than usual (default: a tenth of a heartbeat interval)",
    )  # fmt: skip
    explore.add_argument("--runs", type=int, metavar="N", help="give up after N runs")
    explore.add_argument("--seed", type=seed, default=1, metavar="N", help="the seed of all random draws (default 1)")
    explore.add_argument("--preset", choices=("default", "fast"), help="preset of the settings (default: default)")
    explore.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="values",
        help="one setting, by our name or Hazelcast's: --set heartbeat_interval_seconds=0.5",
    )  # fmt: skip
    explore.add_argument("--out", default="explored", metavar="DIR", help="folder for what fails (default explored)")
    explore.add_argument("--spark", action="store_true", help="spread the search over Spark")
    explore.add_argument("--cores", type=int, metavar="N", help="number of cores of this machine (default: all)")
    explore.add_argument(
        "--spark-master", metavar="MASTER",
        help="spark://HOST:PORT, yarn, k8s://https://HOST:PORT, local[N], local-cluster[N,CORES,MB]",
    )  # fmt: skip
