"""What `shaketable tui` and `shaketable replay` can be asked for. The screens themselves are in tui/."""

from __future__ import annotations

import argparse
from typing import Any

_TUI = """\
Shows what every node believes while a cluster lives, and lets you break it by hand: nodes form a cluster, or --script
runs a chaos script. Everything is recorded below runs/, and `shaketable replay` shows it again."""

_REPLAY = """\
Steps through a recorded run, forwards and backwards. RUN is the folder of a run, or of a report that holds one run. A
run that failed opens at the violation."""


def add_tui(commands: Any) -> None:
    tui: argparse.ArgumentParser = commands.add_parser(
        "tui", help="watch a live cluster, break it by hand, see it mend", description=_TUI
    )
    tui.add_argument("--nodes", type=int, metavar="N", help="so many nodes form the cluster (default 5)")
    tui.add_argument(
        "--world", choices=("real", "sim"), default="real", help="real processes (default) or virtual time"
    )
    tui.add_argument("--seed", type=int, default=1, metavar="N", help="of all that is drawn by chance (default 1)")
    tui.add_argument(
        "--preset", choices=("default", "fast"), help="settings; without it: fast by hand and in the real world"
    )
    tui.add_argument(
        "--script", metavar="PATH", help="run this chaos script: FILE.py::NAME, or the name of one of ours"
    )
    tui.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="values",
        help="one setting, by our name or Hazelcast's: --set heartbeat_interval_seconds=0.5",
    )  # fmt: skip
    tui.add_argument(
        "--toxiproxy", metavar="URL|PATH|relay", help="a server that runs already, a program, or the built-in relay"
    )
    tui.add_argument(
        "--speed", metavar="X",
        help="of virtual time: so many seconds a second (default 1), 0 halts it, max: as fast as it can",
    )  # fmt: skip
    tui.add_argument("--serve", action="store_true", help="show it in a browser on this machine instead")
    tui.add_argument("--port", type=int, metavar="PORT", help="of --serve (default 8000)")


def add_replay(commands: Any) -> None:
    replay: argparse.ArgumentParser = commands.add_parser(
        "replay", help="step through a recorded run", description=_REPLAY
    )
    replay.add_argument("run", metavar="RUN", help="the folder of a recorded run")
    replay.add_argument("--at", metavar="TIME", help="open there: 12.345 (seconds), 1:30, 80%% or end")
