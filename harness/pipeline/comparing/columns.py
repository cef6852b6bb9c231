"""The runs of two stores as columns of numbers: of each run its cell, its draw and its pair.

Runs of one seed are no observations of their own. A plan of faults that is drawn by a seed is much the same under all
variants and in all scripts that draw one, so that these are one draw. Of other scripts those of one file tell one story
in many ways, and are one draw. In the real world the same run may be repeated; each repeat is a draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from shaketable.harness.pipeline.comparing.facts import RunFacts
from shaketable.harness.pipeline.comparing.pairs import Key
from shaketable.harness.pipeline.comparing.shifting import Floats, Ints
from shaketable.harness.pipeline.stores.drawing import draws_its_faults

SIMULATED = "sim"
Runs = Mapping[Key, RunFacts]


class Numbers(NamedTuple):
    """Of the runs of one side: which they are, the same number for both runs of a pair, and to what they belong."""

    runs: Ints
    scripts: Ints
    cells: Ints
    draws: Ints

    def of(self, rows: Ints) -> Numbers:
        return Numbers(*(column[rows] for column in self))


class Column(NamedTuple):
    """The values of one measure, of one side."""

    numbers: Numbers
    values: Floats

    def of(self, rows: Ints) -> Column:
        return Column(self.numbers.of(rows), self.values[rows])

    def by_script(self) -> dict[int, Column]:
        order = np.argsort(self.numbers.scripts, kind="stable")
        scripts, begins = np.unique(self.numbers.scripts[order], return_index=True)
        return {int(script): self.of(rows) for script, rows in zip(scripts, np.split(order, begins[1:]), strict=True)}


class Compare(NamedTuple):
    """One measure, of one system, in one script or in all."""

    measure: str
    system: str
    """as sentences call it; "": ours"""
    script: str | None
    before: Column
    now: Column


def draw_of(key: Key, run: RunFacts) -> tuple[object, ...]:
    file = "" if draws_its_faults(key.script) else run.file
    return file, key.world, key.seed, key.system, 0 if key.world == SIMULATED else key.repeat


def cell_of(key: Key) -> tuple[object, ...]:
    return key.script, key.world, key.variant, key.preset, key.system


def numbered(before: Runs, now: Runs) -> tuple[Numbers, Numbers]:
    """`now` by the keys of its pairs."""
    known: tuple[dict[object, int], ...] = ({}, {}, {}, {})
    """of runs, scripts, cells and draws: the number of each"""

    def numbers(side: Runs) -> Numbers:
        named = [(key, key.script, cell_of(key), draw_of(key, run)) for key, run in side.items()]
        told = [[of.setdefault(name, len(of)) for of, name in zip(known, each, strict=True)] for each in named]
        return Numbers(*np.array(told, dtype=np.int64).reshape(-1, len(known)).T)

    return numbers(before), numbers(now)


def comparisons(before: Runs, now: Runs) -> Iterator[Compare]:
    """By measure and system; first of all scripts, then of each that both sides have."""
    sides, numbers = (before, now), numbered(before, now)
    names = {int(number): key.script for side, of in zip(sides, numbers, strict=True)
             for key, number in zip(side, of.scripts, strict=True)}  # fmt: skip
    columns = [_columns(side, of) for side, of in zip(sides, numbers, strict=True)]
    for measure, system in sorted(columns[0].keys() & columns[1].keys()):
        one, other = (each[measure, system] for each in columns)
        yield Compare(measure, system, None, one, other)
        ones, others = one.by_script(), other.by_script()
        for number in sorted(ones.keys() & others.keys(), key=names.__getitem__):
            yield Compare(measure, system, names[number], ones[number], others[number])


def _columns(side: Runs, numbers: Numbers) -> dict[tuple[str, str], Column]:
    rows: dict[tuple[str, str], tuple[list[int], list[float]]] = {}
    for row, run in enumerate(side.values()):
        system = "" if run.system.is_ours else run.system.called
        for measure, value in run.means.items():
            found = rows.setdefault((measure, system), ([], []))
            found[0].append(row)
            found[1].append(value)
    return {
        key: Column(numbers.of(np.array(at)), np.array(values, dtype=np.float64)) for key, (at, values) in rows.items()
    }
