"""`make soon`: how soon is a bug found? Puts known bugs in place, and counts random runs until a check notices them.

Without ARGS a sample of them, in some minutes; `--all` takes some hours. An interrupted one goes on where it was."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from tests.long_commands import ended, folder_for, refuse_below_one
from tests.mutants.__main__ import version
from tests.mutants.reached import Reached, all_reached
from tests.soon import explored
from tests.soon.choosing import HEAD, Choosing
from tests.soon.faults import CHOSEN, Fault, Kind, all_faults
from tests.soon.player import Player
from tests.soon.table import KEPT, Measured, kept, page_part, size, summary
from tests.soon.ways import WAYS, look
from tests.where import ROOT

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.spark.session import spark_session
from shaketable.node.config import CLUSTER

Work = tuple[Fault, int, int]
CORES: Final = 2
DECIDE: Final = [f"tests/soon/{name}.py" for name in ("faults", "player", "ways")]


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make soon ARGS=...", description=__doc__)
    parser.add_argument("--sample", type=int, default=12, metavar="N", help="so many faults, about (default 12)")
    parser.add_argument("--all", action="store_true", help="all faults")
    parser.add_argument("--only", default="", metavar="TEXT", help="faults that have this in their names")
    parser.add_argument("--kind", choices=list(Kind), action="append", help="faults of this kind; may be given again")
    parser.add_argument("--runs", type=int, default=50, metavar="N", help="runs from a start at most (default 50)")
    parser.add_argument("--starts", type=int, default=5, metavar="N", help="the median is of so many (default 5)")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "soon", help="for the table and what was found")
    parser.add_argument("--keep", action="store_true", help="what was found goes to the docs and the bench")
    parser.add_argument("--explore", action="store_true", help="explore small worlds instead, and keep it")
    parser.add_argument("--choose", type=int, default=0, metavar="N", help="choose so many mutants anew, and end")
    return parser.parse_args(arguments)


def chosen(asked: argparse.Namespace) -> list[Fault]:
    kinds = asked.kind or list(Kind)
    faults = [each for each in all_faults() if each.kind in kinds and asked.only in each.name and each.is_there]
    every = 1 if asked.all else max(1, len(faults) // asked.sample)
    return faults[::every]


def refuse(asked: argparse.Namespace, faults: Sequence[Fault]) -> None:
    """All that could not be measured, or would be lost."""
    if asked.choose < 0:
        raise UserError(f"--choose is at least 1, not {asked.choose}.")
    if not faults:
        raise UserError(f"There is no such fault with {asked.only!r} in its name.")
    if asked.keep and not asked.all:
        raise UserError("--keep goes with --all: with a part of the faults the others would be lost.")


def _explore(faults: Sequence[Fault], console: Console) -> None:
    known = explored.kept()
    for fault in faults:
        known[fault] = found = explored.explored(fault)
        console.print(f"{fault}: {found.runs} runs, {found.world or 'not found'} {found.by}", soft_wrap=True)
        explored.KEPT.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in known.values()))


def _measured(work: Work) -> bytes:
    fault, most, starts = work
    with Player(fault) as player:
        found = {name: look(player, way, most, starts) for name, way in WAYS.items()}
    return msgspec.json.encode(Measured(fault, most, starts, found))


def main(arguments: Sequence[str]) -> int:
    asked, began, console = parsed(arguments), time.monotonic(), Console(highlight=False, markup=False)
    refuse_below_one(runs=asked.runs, starts=asked.starts, sample=asked.sample)
    faults = chosen(asked)
    refuse(asked, faults)
    folder_for(asked.out)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    if asked.explore:
        _explore([fault for fault in faults if fault.family == CLUSTER], console)
        return 0
    spark = spark_session(cores=CORES, app="soon")
    if asked.choose:
        reached = Reached(all_reached(spark, asked.out / f"reached-{version()}.jsonl", CLUSTER))
        CHOSEN.write_text(f"{HEAD}\n" + "".join(f"{line}\n" for line in Choosing(reached).lines(spark, asked.choose)))
        return 0
    file = asked.out / f"found-{version('tests/planted', *DECIDE)}-{asked.runs}-{asked.starts}.jsonl"
    known = {each.fault: each for each in kept(file)}
    left = [(fault, asked.runs, asked.starts) for fault in faults if fault not in known]
    # One after the other as they are done: a kill loses two at most.
    tasks = spark.sparkContext.parallelize(left, max(1, len(left))).map(_measured)
    for number, line in enumerate(tasks.toLocalIterator(prefetchPartitions=True), 1):
        with file.open("ab") as kept_file:
            kept_file.write(line + b"\n")
        measured = msgspec.json.decode(line, type=Measured)
        known[measured.fault] = measured
        told = ", ".join(f"{way} {measured.cell(way)}" for way in WAYS)
        console.print(f"{number} of {len(left)}, {time.monotonic() - began:.0f} s: {measured.fault}: {told}")
    found = [known[fault] for fault in faults]
    page = asked.out / "how-soon.md"
    page.write_text(f"{page_part(found)}\n", encoding="utf-8")
    if asked.keep:
        KEPT.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in found))
    console.print("\n".join([size(found), *summary(found), str(page)]), soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(ended(main))
