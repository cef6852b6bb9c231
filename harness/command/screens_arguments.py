"""What `shaketable tui` and `shaketable replay` can be asked for. The screens themselves are in tui/."""

from __future__ import annotations

import argparse
from typing import Any

from shaketable.harness.command.systems_arguments import add_system
from shaketable.harness.seeds import seed

_TUI = """\
Shows what every node of a live cluster believes, and lets you break the cluster by hand. The nodes form a cluster, or
--script runs a chaos script. Everything is recorded in runs/, and `shaketable replay` shows it again."""

_REPLAY = """\
Steps through a recorded run, forwards and backwards. RUN is the folder of a run, or of a report with one run. A
failed run opens at the violation."""

_PLAIN_TUI = "lines of text instead of screens; orders come from standard input (help lists them)"
_PLAIN_REPLAY = "tell in lines of text how things stood at that time, and leave"


def add_tui(commands: Any) -> None:
    tui: argparse.ArgumentParser = commands.add_parser(
        "tui", help="watch a live cluster, break it by hand, see it mend", description=_TUI
    )
    tui.add_argument("--nodes", type=int, metavar="N", help="number of nodes of the cluster (default 5)")
    tui.add_argument(
        "--world", choices=("real", "sim"), default="real", help="real processes (default) or virtual time"
    )
    add_system(tui)
    tui.add_argument("--seed", type=seed, default=1, metavar="N", help="the seed of all random draws (default 1)")
    tui.add_argument(
        "--preset",
        choices=("default", "fast"),
        help="preset of the settings (default: fast by hand and in the real world)",
    )
    tui.add_argument(
        "--script", metavar="PATH", help="run this chaos script: FILE.py::NAME, or the name of one of shaketable"
    )
    tui.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="values",
        help="one setting, by our name or Hazelcast's: --set heartbeat_interval_seconds=0.5",
    )  # fmt: skip
    tui.add_argument("--toxiproxy", metavar="URL|PATH|relay", help="a running server, a program, or the built-in relay")
    tui.add_argument(
        "--speed", metavar="X",
        help="seconds of virtual time in a second (default 1); 0: halt; max: as fast as possible",
    )  # fmt: skip
    tui.add_argument("--plain", action="store_true", help=_PLAIN_TUI)
    tui.add_argument("--serve", action="store_true", help="show the screens in a browser on this machine")
    tui.add_argument("--port", type=int, metavar="PORT", help="port of --serve (default 8000)")


def add_replay(commands: Any) -> None:
    replay: argparse.ArgumentParser = commands.add_parser(
        "replay", help="step through a recorded run", description=_REPLAY
    )
    replay.add_argument("run", metavar="RUN", help="the folder of a recorded run")
    replay.add_argument("--at", metavar="TIME", help="open at this time: 12.345 (seconds), 1:30, 80%% or end")
    replay.add_argument("--plain", action="store_true", help=_PLAIN_REPLAY)
