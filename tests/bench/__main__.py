"""`make bench`: measures both worlds, the clique decision, migrations, data and screens, with this machine's name.

Each figure stands beside its aim. `python -m tests.bench sim`, or any other of `PARTS`, measures that alone.
Exit code 1 if an aim was missed."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

from rich.console import Console
from rich.table import Table
from tests.bench import (
    beside,
    bulk,
    cliques,
    healing,
    how_soon,
    memory,
    merging_data,
    moving,
    operations,
    pipeline_campaign,
    pipeline_store,
    planner,
    real,
    simulated,
    simulated_data,
    tui_history,
    tui_live,
)  # fmt: skip
from tests.bench.failures import EXPLAINED
from tests.bench.figure import Figure, number

from shaketable.harness.errors import UserError

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


FIGURES: Final[Mapping[str, ModuleType]] = {
    "sim": simulated,
    "simdata": simulated_data,
    "real": real,
    "beside": beside,
    "operations": operations,
    "moving": moving,
    "bulk": bulk,
    "healing": healing,
    "merging_data": merging_data,
    "memory": memory,
    "pipeline_campaign": pipeline_campaign,
    "pipeline_store": pipeline_store,
    "tui_history": tui_history,
    "tui_live": tui_live,
    "how_soon": how_soon,
}
PARTS: Final = (*FIGURES, "cliques", "planner")


def _measured(console: Console, parts: list[str]) -> Iterator[Figure]:
    for name, module in FIGURES.items():
        if name in parts:
            try:
                yield from module.figures()
            except UserError as lacking:
                if parts == [name]:
                    raise
                console.print(f"  {name} is left out: {lacking}", soft_wrap=True)


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _figures(console: Console, parts: list[str]) -> int:
    """Returns how many aims were missed."""
    found = []
    for figure in _measured(console, parts):
        console.print(f"  {figure.what}: {figure.shown}", soft_wrap=True)
        found.append(figure)
    beside_it = any(figure.hazelcast for figure in found)
    table = _table("figure", "measured", "aim", *(["Hazelcast"] if beside_it else []), "")
    for figure in found:
        verdict = "" if figure.aim == "-" else "reached" if figure.reached else "MISSED"
        table.add_row(figure.what, figure.shown, figure.aim, *([figure.hazelcast] if beside_it else []), verdict)
    console.print()
    console.print(table)
    if "sim" in parts or "real" in parts:
        console.print(f"\n{EXPLAINED}", soft_wrap=True)
    console.print()
    return sum(not figure.reached for figure in found)


def _cliques(console: Console) -> int:
    table = _table("clique decision, ms", "members", *cliques.WHO, "aim", "")
    missed = 0
    family = ""
    for row in cliques.rows():
        if row.family != family:
            console.print(f"  clique decision: {row.family}", soft_wrap=True)
            table.add_section()
        shown = row.family if row.family != family else ""
        family = row.family
        missed += not row.reached
        verdict = "reached" if row.reached else "MISSED"
        table.add_row(shown, str(row.size), *row.cells, f"<= {number(row.aim)}", verdict)
    console.print()
    console.print(table)
    console.print(f"\n{cliques.EXPLAINED}\n", soft_wrap=True)
    return missed


def _planner(console: Console) -> int:
    table = _table("partitions, ms", "members", *planner.HEADINGS, "")
    missed = 0
    partitions = 0
    for change in planner.rows():
        if change.partitions != partitions:
            partitions = change.partitions
            table.add_section()
        missed += not change.reached
        what = f"{number(change.partitions)}, {change.what}"
        table.add_row(what, str(change.members), *change.cells, "reached" if change.reached else "MISSED")
    console.print()
    console.print(table)
    console.print(f"\n{planner.EXPLAINED}\n", soft_wrap=True)
    return missed


def main(arguments: list[str]) -> int:
    parts = arguments or list(PARTS)
    if unknown := [part for part in parts if part not in PARTS]:
        sys.stderr.write(f"tests.bench: there is no {unknown[0]}: give {', '.join(PARTS)} or nothing\n")
        return 2
    console = Console(width=None if sys.stdout.isatty() else FILE_WIDTH)
    console.print(f"{_machine()}, load {os.getloadavg()[0]:.1f}")
    missed = 0
    if any(part in parts for part in FIGURES):
        missed += _figures(console, parts)
    if "cliques" in parts:
        missed += _cliques(console)
    if "planner" in parts:
        missed += _planner(console)
    console.print(f"load {os.getloadavg()[0]:.1f} at the end")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.stderr.write(f"tests.bench: {error}\n")
        sys.exit(2)
