"""Leans a campaign's seeds towards the cells that reach rare marks. Pure: the same rows give the same choice.

If a cell reaches a mark in every run, the next seed reaches it too. If it reaches the mark only in some runs, the seed
decides. One more seed may reach the mark again, or something near it that no run has reached. So the weight of a cell
is the rarity, in the whole campaign, of the marks that it reaches in some runs only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from shaketable.harness.nemesis.corpus import Corpus, Found
from shaketable.harness.pipeline.campaigns.cases import Cell

LEANING: Final = 25
"""of a hundred runs after the first round, so many go where something rare may be reached; the others go round"""


class OfScript(msgspec.Struct):
    """What the runs of one script have reached."""

    runs: int = 0
    marks: dict[str, int] = {}
    """by mark, in how many runs"""


class Reached(msgspec.Struct):
    """What the runs so far have reached."""

    by_script: dict[str, OfScript] = {}
    in_all: dict[str, int] = {}
    """by mark, in how many runs"""
    corpus: Corpus = msgspec.field(default_factory=Corpus)
    """of the runs that play fault plans"""

    def add(self, script: str, marks: Iterable[str], plays: Found | None = None) -> None:
        """One run."""
        marks = list(marks)
        self.merge(Reached({script: OfScript(1, dict.fromkeys(marks, 1))}))
        if plays is not None:
            self.corpus.add(plays, marks)

    def merge(self, other: Reached) -> None:
        self.corpus.merge(other.corpus)
        for script, its in other.by_script.items():
            own = self.by_script.setdefault(script, OfScript())
            own.runs += its.runs
            for mark, runs in its.marks.items():
                own.marks[mark] = own.marks.get(mark, 0) + runs
                self.in_all[mark] = self.in_all.get(mark, 0) + runs

    def worth(self, script: str) -> float:
        """Of one more seed; 0 where all seeds have come to the same."""
        own = self.by_script.get(script, OfScript())
        sometimes = sorted(mark for mark, runs in own.marks.items() if runs < own.runs)
        return sum(1 / self.in_all[mark] for mark in sometimes)


def leaning(cells: Sequence[Cell], reached: Reached, count: int) -> list[Cell]:
    """So many cells, each as often as its share says; of equal shares the first ones. None if all are worth nothing."""
    worth = {name: reached.worth(name) for name in dict.fromkeys(cell.script.name for cell in cells)}
    variants: dict[str, int] = {}
    for cell in cells:
        variants[cell.script.name] = variants.get(cell.script.name, 0) + 1
    shares = [worth[cell.script.name] / variants[cell.script.name] for cell in cells]
    total = sum(shares)
    if not total or not count:
        return []
    exact = [share / total * count for share in shares]
    times = [int(each) for each in exact]
    rest = sorted(range(len(cells)), key=lambda place: (times[place] - exact[place], place))
    for place in rest[: count - sum(times)]:
        times[place] += 1
    return [cell for cell, often in zip(cells, times, strict=True) for _ in range(often)]
