"""`make bench`: measures both worlds and prints each figure beside its aim, with this machine's name.

`python -m tests.bench sim` or `real` measures one of them. Exit code 1 if an aim was missed."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests.bench import real, simulated
from tests.bench.failures import EXPLAINED
from tests.bench.figure import Figure

FILE_WIDTH = 160
"""of the table where nobody looks at a terminal"""


def _machine() -> str:
    cpu = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        cpu = models[0] if models else cpu
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.node()}, {cores} cores, {cpu}, Python {platform.python_version()}, {platform.system()}"


def _measured(worlds: list[str]) -> Iterator[Figure]:
    if "sim" in worlds:
        yield from simulated.figures()
    if "real" in worlds:
        yield from real.figures()


def main(arguments: list[str]) -> int:
    worlds = arguments or ["sim", "real"]
    if unknown := [w for w in worlds if w not in ("sim", "real")]:
        sys.stderr.write(f"tests.bench: there is no world {unknown[0]}: give sim, real or nothing\n")
        return 2
    console = Console(width=None if sys.stdout.isatty() else FILE_WIDTH)
    console.print(f"{_machine()}, load {os.getloadavg()[0]:.1f}")
    table = Table(box=None, pad_edge=False)
    for heading in ("figure", "measured", "aim", "Hazelcast 5.7", ""):
        table.add_column(heading, overflow="fold")
    missed = 0
    for figure in _measured(worlds):
        missed += not figure.reached
        verdict = "" if figure.aim == "-" else "reached" if figure.reached else "MISSED"
        table.add_row(figure.what, figure.shown, figure.aim, figure.hazelcast, verdict)
        console.print(f"  {figure.what}: {figure.shown}", soft_wrap=True)
    console.print()
    console.print(table)
    console.print(f"\n{EXPLAINED}", soft_wrap=True)
    console.print(f"load {os.getloadavg()[0]:.1f} at the end")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
