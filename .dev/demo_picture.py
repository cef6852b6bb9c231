"""Draws docs/demo.svg, the picture in the README, from the report of the last `make demo`."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
from rich.console import Console

from shaketable.harness.console.report import print_run, print_summary
from shaketable.harness.verdicts.verdict import SessionVerdict

ROOT = Path(__file__).parents[1]


def main() -> None:
    session = msgspec.json.decode((ROOT / "out/demo/report.json").read_bytes(), type=SessionVerdict)
    console = Console(record=True, width=92, highlight=False, force_terminal=True, file=io.StringIO())
    for run in session.runs:
        print_run(run, console)
    print_summary(session, console)
    console.save_svg(str(ROOT / "docs/demo.svg"), title="make demo")


if __name__ == "__main__":
    main()
