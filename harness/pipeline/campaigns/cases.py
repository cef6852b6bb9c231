"""The cases of a campaign: seeds × scripts × variants, dealt out so that any number of runs is spread evenly over all.

A cell is one script under one variant. The order of cells is such that any first part of it is spread over all files. A
round over all cells uses one seed of each, and the next round the next seed. The same campaign always gives the same
cases.

Random plans that are drawn by one seed are alike in all cells. So no seed is given to two cells that draw their faults:
a round over them tries as many plans as there are cells."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from shaketable.harness.pipeline.campaigns.variants import Variant, draws_its_faults
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import Script

TWICE: Final = 5
"""of a hundred runs, so many are executed twice and compared"""


class Case(msgspec.Struct, frozen=True):
    """One run, with all that decides what comes of it: plain data, so that it can go to the process that runs it."""

    number: int
    """its place in the campaign"""
    file: str
    script: str
    seed: int
    variant: str
    preset: str | None
    values: dict[str, str | int | float | bool]
    """settings by outside names, over the preset's and the script's"""
    twice: bool
    sample: bool
    """its history is kept though it passes"""
    again: str
    """the command that runs it"""
    shown: str
    """its file, for people"""
    plan: str = ""
    """the fault plan that it plays in the place of the one that it draws, as JSON"""
    plan_at: str = ""
    """and where that is kept"""

    @property
    def run(self) -> str:
        return run_name(self.script, self.variant, self.seed)


@dataclass(frozen=True, slots=True)
class Cell:
    """One script under one variant."""

    script: Script
    variant: Variant

    @property
    def name(self) -> tuple[str, str]:
        return self.script.name, self.variant.name

    def options(self, seed: int, plan_at: str = "") -> Options:
        return Options("sim", seed=seed, preset=self.variant.preset, values=self.variant.values, plan=plan_at)


def run_name(script: str, variant: str, seed: int) -> str:
    return "/".join((script, "sim", *[variant] * bool(variant), str(seed)))


def cells_of(scripts: Sequence[Script], variants: Mapping[str, Sequence[Variant]]) -> list[Cell]:
    """In the order in which they are dealt: `variants` by script, at least one for each. First every script has one of
    its variants, the next one another than its neighbour; then every script its next one, and so on."""
    spread = _spread(scripts)
    rounds = max((len(own) for own in variants.values()), default=0)
    return [
        Cell(script, own[(place + number) % len(own)])
        for number in range(rounds)
        for place, script in enumerate(spread)
        if number < len(own := variants[script.name])
    ]


def _spread(scripts: Sequence[Script]) -> list[Script]:
    """So that neighbours, who tell one story in many ways, are far from each other: steps of the golden ratio."""
    order = sorted(range(len(scripts)), key=lambda place: place * 0.6180339887498949 % 1.0)
    return [scripts[place] for place in order]


class Dealer:
    """Deals cells with the next seed of each, round after round, and further seeds of those that are asked for."""

    def __init__(self, cells: Sequence[Cell], first_seed: int) -> None:
        self._cells = cells
        self._first = first_seed
        self._dealt = 0
        self._used: dict[tuple[str, str], int] = {}
        drawing = [cell.name for cell in cells if draws_its_faults(cell.script)]
        self._place = {name: place for place, name in enumerate(drawing)}

    def deal(self, count: int) -> list[tuple[Cell, int]]:
        """The next ones in their turn."""
        turn = [self._cells[(self._dealt + step) % len(self._cells)] for step in range(count)]
        self._dealt += count
        return self.more_of(turn)

    def more_of(self, cells: Iterable[Cell]) -> list[tuple[Cell, int]]:
        """One seed more of each, out of turn."""
        dealt = []
        for cell in cells:
            used = self._used.get(cell.name, 0)
            self._used[cell.name] = used + 1
            dealt.append((cell, self._first + self._nth(cell, used)))
        return dealt

    def _nth(self, cell: Cell, used: int) -> int:
        place = self._place.get(cell.name)
        return used if place is None else used * len(self._place) + place


def is_drawn(run: str, purpose: str, percent: int) -> bool:
    """So many of a hundred runs, by their names: which does not depend on when or where one is executed."""
    digest = hashlib.sha256(f"{purpose} {run}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % 100 < percent
