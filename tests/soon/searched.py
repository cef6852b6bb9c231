"""The museum's random runs, by plain seeds and by the search: after how many runs is each exhibit caught by its check?

    python -m tests.soon.searched [--runs 24] [--starts 3] [--only TEXT]

It keeps what it finds, and goes on where it was. A run depends on nothing but the tree, so the same tree gives the same
figures."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterable, Sequence
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
from tests.chaos.shipped import ALL
from tests.where import DATA

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.registry import run_checks
from shaketable.harness.checks.result import BROKEN
from shaketable.harness.history.history import History
from shaketable.harness.pipeline.museum.exhibits import Exhibit, legacy_exhibits
from shaketable.harness.pipeline.museum.looking import Looking, Try
from shaketable.harness.pipeline.museum.museum import Random, looking_for, nearest
from shaketable.harness.pipeline.stores.drawing import plays_a_plan
from shaketable.harness.runs.run import Options, collect_garbage_rarely, run_simulated
from shaketable.harness.scripting.scripts import Script

KEPT: Final = DATA / "soon" / "searched.jsonl"
APART: Final = 1000
"""seeds, from one start to the next"""
FEW: Final = 24
"""runs, as the museum plays them where nothing else is said"""
PLAIN: Final = "plain seeds"
OWN: Final = "own seeds"
SEARCH: Final = "search"
WAYS: Final = (PLAIN, OWN, SEARCH)
EXHIBITS: Final = legacy_exhibits(ALL)
CORES: Final = 2


class Sought(msgspec.Struct, frozen=True):
    script: str
    """of the exhibit"""
    way: str
    first: int
    """seed"""
    most: int
    """runs"""
    after: int | None
    """so many runs it was caught by its check"""

    @property
    def what(self) -> tuple[str, str, int]:
        return self.script, self.way, self.first

    def within(self, most: int) -> int | None:
        return self.after if self.after is not None and self.after <= most else None


def seek(asked: tuple[str, str, int, int]) -> Sought:
    name, way, first, most = asked
    collect_garbage_rarely()
    (exhibit,) = [each for each in EXHIBITS if each.script == name]
    (story,) = [script for script in ALL if script.name == name]
    plans = [s for s in ALL if plays_a_plan(s.name) and Options("sim").settings(s).family == exhibit.family]
    looking = looking_for(exhibit, story, Random(plans, most, way == SEARCH, first))
    if way == OWN:
        looking = own_seeds(nearest(story, plans), exhibit.fault, exhibit.family, first)
    for number, each in enumerate(islice(looking.tries, most), 1):
        finished = run_simulated(each.script, each.options)
        bounds = Bounds(finished.settings, finished.allowance)
        (result,) = run_checks(History(finished.records), bounds, [exhibit.rule])
        if result.status == BROKEN:
            return Sought(name, way, first, most, number)
        looking.saw(each, finished)
    return Sought(name, way, first, most, None)


def own_seeds(plans: Sequence[Script], fault: str, family: str, first: int) -> Looking:
    """As the search does without a changed plan: no seed is played twice."""
    values = {"family": family, "legacy_fault": fault}
    tries = (Try(plans[n % len(plans)], Options("sim", seed=first + n, values=values)) for n in count())
    return Looking(tries, lambda a_try, finished: None)


def kept(file: Path = KEPT) -> dict[tuple[str, str, int], Sought]:
    """Of each start that with the most runs."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    known: dict[tuple[str, str, int], Sought] = {}
    for each in (msgspec.json.decode(line, type=Sought) for line in lines):
        if each.what not in known or known[each.what].most < each.most:
            known[each.what] = each
    return known


def with_a_check() -> list[Exhibit]:
    return [each for each in EXHIBITS if each.rule]


def page_part(known: Iterable[Sought]) -> str:
    known = list(known)
    firsts = sorted({each.first for each in known})
    lines = [
        f"Measured from {len(firsts)} first seeds ({', '.join(map(str, firsts))}).",
        "",
        f"| | {' | '.join(WAYS)} |",
        "|---" * (len(WAYS) + 1) + "|",
        *(f"| caught within {FEW} runs, from first seed {first} | {_row(_caught(known, way, first) for way in WAYS)}"
          for first in firsts),
        f"| caught from most first seeds within {FEW} runs | {_row(_mostly(known, way) for way in WAYS)}",
        f"| the median of all exhibits, runs | {_row(_overall(known, way) for way in WAYS)}",
        "",
        f"| exhibit (its check): the median, and each | {' | '.join(WAYS)} |",
        "|---" * (len(WAYS) + 1) + "|",
    ]  # fmt: skip
    for exhibit in EXHIBITS:
        of = [[each for each in known if each.script == exhibit.script and each.way == way] for way in WAYS]
        if not exhibit.rule:
            lines.append(f"| {exhibit.name} (no check names its rule) | {_row('-' * len(WAYS))}")
        elif all(of):
            lines.append(f"| {exhibit.name} ({exhibit.rule}) | {_row(map(_cell, of))}")
    return "\n".join(lines)


def _row(cells: Iterable[object]) -> str:
    return "".join(f"{cell} | " for cell in cells).rstrip()


def _cell(of: Sequence[Sought]) -> str:
    each = ", ".join(_said(one) for one in sorted(of, key=lambda one: one.first))
    # One that was not caught counts by the least that it can take: of 16, 107 and >24 the middle one is >24.
    middle = sorted(of, key=lambda one: (one.after or one.most + 1, one.after is None))[len(of) // 2]
    return f"{_said(middle)} ({each})"


def _said(each: Sought) -> str:
    return f"{each.after}" if each.after is not None else f">{each.most}"


def _caught(known: Iterable[Sought], way: str, first: int) -> str:
    of = [each for each in known if (each.way, each.first) == (way, first)]
    return f"{sum(each.within(FEW) is not None for each in of)} of {len(EXHIBITS)}"


def _mostly(known: Sequence[Sought], way: str) -> str:
    caught = 0
    for exhibit in with_a_check():
        of = [each for each in known if (each.script, each.way) == (exhibit.script, way)]
        caught += bool(of) and 2 * sum(each.within(FEW) is not None for each in of) > len(of)
    return f"{caught} of {len(EXHIBITS)}"


def _overall(known: Iterable[Sought], way: str) -> str:
    """Of all exhibits and first seeds."""
    runs = median(each.within(FEW) or FEW + 1 for each in known if each.way == way)
    return f"{runs:g}" if runs <= FEW else f">{FEW}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soon.searched", description=__doc__)
    parser.add_argument("--runs", type=int, default=FEW, metavar="N", help=f"at most (default {FEW})")
    parser.add_argument("--starts", type=int, default=3, metavar="N", help="first seeds (default 3)")
    parser.add_argument("--way", choices=WAYS, action="append", help="this way; may be given again (default: all)")
    parser.add_argument("--only", default="", metavar="TEXT", help="exhibits that have this in their scripts' names")
    asked = parser.parse_args(arguments)
    known = kept()
    left = [
        (exhibit.script, way, 1 + APART * start, asked.runs)
        for start in range(asked.starts)
        for exhibit in with_a_check()
        for way in asked.way or WAYS
        if asked.only in exhibit.script
    ]
    left = [each for each in left if not _is_known(known.get(each[:3]), asked.runs)]
    with multiprocessing.get_context("fork").Pool(CORES) as pool, KEPT.open("ab") as file:
        for number, each in enumerate(pool.imap_unordered(seek, left, 1), 1):
            file.write(msgspec.json.encode(each) + b"\n")
            file.flush()
            sys.stdout.write(f"{number} of {len(left)}: {each.script}, {each.way}, from {each.first}: {_said(each)}\n")
            sys.stdout.flush()
    return 0


def _is_known(before: Sought | None, runs: int) -> bool:
    return before is not None and (before.after is not None or before.most >= runs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
