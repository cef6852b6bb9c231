"""What `shaketable why`, `differ` and `export` take on the command line."""

from __future__ import annotations

import argparse
from typing import Any

FORMATS = ("trace", "shiviz")

_WHY = """\
Shows why something happened in a recorded run: a chain of events from it back to the fault or the step of the script
that it goes back to, across nodes. RUN is the folder of a run, or of a report with one run. Without EVENT it explains
each proof of a broken guarantee; if none is broken, it lists the events that one may ask about."""

_EVENT = """\
what to explain: NODE:NUMBER for this event of a node (its last process), NODE@SECONDS for its last event up to this
time, or NODE alone for how the node came to be removed, or for its last event"""

_DIFFER = """\
Shows two recorded runs side by side, a passed and a failed one, say, at the first moment where they differ: the first
event of note in one of them that the other never has, what stands around it in both, and why it happened."""

_EXPORT = """\
Writes a recorded run for another tool, with the order in which things happened before each other. trace: for Perfetto
(ui.perfetto.dev) and chrome://tracing, with arrows for messages. shiviz: for ShiViz, with vector clocks."""


def add_why(commands: Any) -> None:
    why: argparse.ArgumentParser = commands.add_parser(
        "why", help="show why something happened in a recorded run", description=_WHY
    )
    why.add_argument("run", metavar="RUN", help="the folder of a recorded run")
    why.add_argument("event", nargs="?", metavar="EVENT", help=_EVENT)


def add_differ(commands: Any) -> None:
    differ: argparse.ArgumentParser = commands.add_parser(
        "differ", help="show where two recorded runs begin to differ", description=_DIFFER
    )
    differ.add_argument("run", metavar="RUN", help="the folder of a recorded run")
    differ.add_argument("other", metavar="OTHER", help="the folder of another one")


def add_export(commands: Any) -> None:
    export: argparse.ArgumentParser = commands.add_parser(
        "export", help="write a recorded run for Perfetto or ShiViz", description=_EXPORT
    )
    export.add_argument("run", metavar="RUN", help="the folder of a recorded run")
    export.add_argument("--format", choices=FORMATS, default="trace", help="default: trace")
    export.add_argument("--out", metavar="FILE", help="write there (default: standard output)")
