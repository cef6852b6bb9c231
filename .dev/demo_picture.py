"""Draws docs/demo.svg, the picture in the README, from the report of the last `make demo`."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from shaketable.harness.reports.console import print_session
from shaketable.harness.reports.json_report import from_json

ROOT = Path(__file__).parents[1]


def main() -> None:
    session = from_json((ROOT / "out/demo/report.json").read_text())
    console = Console(record=True, width=92, highlight=False, force_terminal=True, file=io.StringIO())
    print_session(session, console)
    console.save_svg(str(ROOT / "docs/demo.svg"), title="make demo")


if __name__ == "__main__":
    main()
