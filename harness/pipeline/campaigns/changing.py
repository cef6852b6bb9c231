"""Of a campaign's runs some play a plan that is made of an earlier run's: this makes them. Pure, as the planning is.

A changed plan is nowhere but here and in the files of plans, by which the runs can be had again. A drawn one is drawn
anew by its script and seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from shaketable.harness.nemesis.corpus import Corpus, Found
from shaketable.harness.nemesis.drawn import drawn_by
from shaketable.harness.nemesis.plan import Plan
from shaketable.harness.nemesis.searching import next_of
from shaketable.harness.pipeline.campaigns.cases import Cell
from shaketable.harness.pipeline.campaigns.corpora import RARE, Kept
from shaketable.node.config import Settings

SEARCHING: Final = 25
"""of a hundred runs after the first round, so many play a changed plan, as soon as there is one to be changed"""


class Changed(NamedTuple):
    cell: Cell
    plan: Plan


class Changing:
    def __init__(self, cells: Iterable[Cell]) -> None:
        self._cells: Mapping[tuple[str, str], Cell] = {cell.name: cell for cell in cells}
        self._made: dict[str, tuple[int, Plan]] = {}
        """by run, with its wave"""
        self._drawn: dict[str, Plan | None] = {}
        self._turn = 0
        """of the sweep"""

    def next(self, corpus: Corpus, known: int, seeds: Sequence[str]) -> list[Changed]:
        """A plan for each of these seeds; none if there is nothing to go on from. `known`: so many waves have a say in
        this corpus."""
        self._forget(corpus, known)
        found = list[Changed]()
        for seed in seeds:
            made = next_of(corpus, seed, self._turn, self._plan_of, self._settings_of)
            if made is None:
                return found
            self._turn += 1
            found.append(Changed(self._cell_of(made.after), made.plan))
        return found

    def plays(self, wave: int, run: str, plan: Plan) -> None:
        """A run of this wave plays this one."""
        self._made[run] = wave, plan

    def kept(self, corpus: Corpus) -> list[Kept]:
        """The plans of what few runs of plans have reached, those of the rarest marks first; each once."""
        kept: dict[str, Kept] = {}
        for mark in corpus.rare():
            for run in corpus.found[mark] if corpus.reached[mark] * 100 <= RARE * corpus.runs else ():
                plan = self._plan_of(run)
                if run.run not in kept and plan is not None:
                    kept[run.run] = Kept(run.script, plan, run.variant, mark)
        return list(kept.values())

    def _plan_of(self, run: Found) -> Plan | None:
        if run.run in self._made:
            return self._made[run.run][1]
        if run.run not in self._drawn:
            cell = self._cell_of(run)
            self._drawn[run.run] = drawn_by(cell.script, cell.options(run.seed))
        return self._drawn[run.run]

    def _cell_of(self, run: Found) -> Cell:
        return self._cells[run.script, run.variant]

    def _settings_of(self, run: Found) -> Settings:
        cell = self._cell_of(run)
        return cell.options(run.seed).settings(cell.script)

    def _forget(self, corpus: Corpus, known: int) -> None:
        """Plans that nobody will ask for any more."""
        kept = {run.run for runs in corpus.found.values() for run in runs}
        self._made = {run: (wave, plan) for run, (wave, plan) in self._made.items() if run in kept or wave >= known}
        self._drawn = {run: plan for run, plan in self._drawn.items() if run in kept}
