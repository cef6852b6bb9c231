"""`make mutants`: puts small bugs into the core, one at a time, and sees whether checks and stories notice them.

Without ARGS a sample of them, in some minutes; `--all` takes a night. An interrupted one goes on where it was."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from rich.console import Console
from tests.long_commands import ended, folder_for, kept_lines, refuse_below_one
from tests.mutants.judge import Judged, Try, judge, tries
from tests.mutants.mutants import CORES, Mutant, Spot, files, made, spots
from tests.mutants.page import EQUIVALENT, HARMLESS, Explained, explained, figures, measured, write_page
from tests.mutants.reached import Reached, all_reached
from tests.where import ROOT

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.spark.session import spark_session
from shaketable.node.config import CLUSTER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WAVE: Final = 24
"""mutants; what a wave found is kept when it is over"""
TESTED: Final = 12
"""runs at most of a mutant that cannot be noticed, and has its reason: whether that holds"""
Work = tuple[Mutant, Sequence[Try]]


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants ARGS=...", description=__doc__)
    parser.add_argument("--sample", type=int, default=60, metavar="N", help="so many mutants by chance (default 60)")
    parser.add_argument("--all", action="store_true", help="all mutants")
    parser.add_argument("--only", default="", metavar="TEXT", help="of files whose path has this in it")
    parser.add_argument("--family", choices=list(CORES), default=CLUSTER, help="whose core (default: the cluster's)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default 1)")
    parser.add_argument("--runs", type=int, default=60, metavar="N", help="runs of a mutant at most (default 60)")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "mutants", help="for the page and what was found")
    return parser.parse_args(arguments)


def chosen(asked: argparse.Namespace) -> Iterator[Mutant]:
    """By the same seed the same ones. Where the core changes, only mutants of the changed places do."""

    def place(spot: Spot) -> bytes:
        return hashlib.sha256(f"{asked.seed} {spot.name}".encode()).digest()

    every = sorted((spot for file in files(asked.family) if asked.only in file for spot in spots(file)), key=place)
    found: set[str] = set()
    for spot in every:
        if not asked.all and len(found) >= asked.sample:
            return
        mutant = made(spot)
        if mutant is not None and mutant.ident not in found:
            found.add(mutant.ident)
            yield mutant


def version(*more: str) -> str:
    """Of all that decides what is noticed: folders, or files."""
    summed = hashlib.sha256()
    for each in ("node", "harness", "chaos", "tests/mutants", *more):
        for path in [ROOT / each] if each.endswith(".py") else sorted((ROOT / each).rglob("*.py")):
            summed.update(path.read_bytes())
    return summed.hexdigest()[:12]


class Kept:
    """A line for each mutant so far, with the reason that it had. Another version of the tree begins anew."""

    def __init__(self, folder: Path, runs: int) -> None:
        self._file = folder / f"found-{version()}-{runs}.jsonl"
        judged = (msgspec.json.decode(line, type=Judged) for line in kept_lines(self._file))
        self.found = {each.mutant.ident: each for each in judged}

    def add(self, found: Sequence[Judged]) -> None:
        self.found.update((each.mutant.ident, each) for each in found)
        with self._file.open("ab") as file:
            file.writelines(msgspec.json.encode(each) + b"\n" for each in found)


def _judge(work: Work) -> bytes:
    return msgspec.json.encode(judge(*work))


def judged_on(spark: SparkSession, work: Sequence[Work]) -> list[Judged]:
    """Each mutant is a task: one takes a hundred times as long as another."""
    found = spark.sparkContext.parallelize(work, len(work)).map(_judge).collect()
    return [msgspec.json.decode(each, type=Judged) for each in found]


def main(arguments: Sequence[str]) -> int:
    asked, began, console = parsed(arguments), time.monotonic(), Console(highlight=False, markup=False)
    refuse_below_one(runs=asked.runs, sample=asked.sample)
    if not any(asked.only in file for file in files(asked.family)):
        raise UserError(f"There is no file of the core with {asked.only!r} in its path.")
    folder_for(asked.out)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    spark = spark_session(app="mutants")
    console.print("First each script is played once, to see which lines of the core it reaches.")
    reached = Reached(all_reached(spark, asked.out / f"reached-{asked.family}-{version()}.jsonl", asked.family))
    kept = Kept(asked.out, asked.runs)
    equivalent, harmless = Explained.kept(EQUIVALENT), Explained.kept(HARMLESS)

    def why(mutant: Mutant) -> str:
        return equivalent.why(mutant) or harmless.why(mutant)

    def most(mutant: Mutant) -> int:
        return min(asked.runs, TESTED) if why(mutant) else int(asked.runs)

    mutants = list(chosen(asked))
    left = [each for each in mutants if (known := kept.found.get(each.ident)) is None or known.why != why(each)]
    for start in range(0, len(left), WAVE):
        wave = [(mutant, tries(mutant, reached, most(mutant))) for mutant in left[start : start + WAVE]]
        kept.add([msgspec.structs.replace(each, why=why(each.mutant)) for each in judged_on(spark, wave)])
        console.print(f"{start + len(wave)} of {len(left)} mutants, {time.monotonic() - began:.0f} s")
    found = [explained(kept.found[mutant.ident], equivalent, harmless) for mutant in mutants]
    console.print("\n".join(figures(found)), soft_wrap=True)
    again = " ".join(["make mutants", *([f'ARGS="{" ".join(arguments)}"'] * bool(arguments))])
    cores, took = spark.sparkContext.defaultParallelism, time.monotonic() - began
    told = measured(date.today(), took, cores, played=len(left), of=len(mutants))
    console.print(told, soft_wrap=True)
    console.print(str(write_page(asked.out, found, again, told)), soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(ended(main))
