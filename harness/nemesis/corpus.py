"""The corpus: runs whose fault plans reached what few runs reach, from which a search goes on.

Pure: of neighbouring runs the corpora make the corpus of all, however they are cut; and the same seed makes the same
choice. For each mark a few runs are kept, the smallest first: what a small plan reached is found again with less, and
is easier to build upon. The rarer a mark, the more often one of its runs is chosen. A mark that each run reaches
needs none."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

A_MARK: Final = 3
"""so many runs are kept for a mark"""


class Found(msgspec.Struct, frozen=True, order=True, array_like=True):
    """A run of a fault plan."""

    size: int
    """events: what it takes to play it"""
    run: str
    script: str
    variant: str = ""
    seed: int = 0


class Corpus(msgspec.Struct):
    runs: int = 0
    reached: dict[str, int] = {}
    """by mark, in how many runs"""
    found: dict[str, list[Found]] = {}
    """by mark, the smallest runs that reached it"""

    def add(self, run: Found, marks: Iterable[str]) -> None:
        self.merge(Corpus(1, dict.fromkeys(marks, 1), {mark: [run] for mark in marks}))

    def merge(self, later: Corpus) -> None:
        self.runs += later.runs
        for mark, runs in later.reached.items():
            self.reached[mark] = self.reached.get(mark, 0) + runs
            self.found[mark] = sorted([*self.found.get(mark, ()), *later.found.get(mark, ())])[:A_MARK]

    def rare(self) -> list[str]:
        """What some runs reached, and not all; the rarest first."""
        marks = [mark for mark in self.found if self.reached[mark] < self.runs]
        return sorted(marks, key=lambda mark: (self.reached[mark], mark))

    def chosen(self, chance: random.Random) -> Found | None:
        """None: there is nothing rare yet."""
        marks = self.rare()
        if not marks:
            return None
        (mark,) = chance.choices(marks, [1 / self.reached[mark] ** 2 for mark in marks])
        return chance.choice(self.found[mark])

    def near(self, run: Found, most: int) -> Sequence[Found]:
        """The others among so many of its script and variant: those of the rarest marks; each once."""
        cell = run.script, run.variant
        runs = dict.fromkeys(each for mark in self.rare() for each in self.found[mark])
        rarest = [each for each in runs if (each.script, each.variant) == cell][:most]
        return [each for each in rarest if each != run]
