"""A campaign as waves: which cases each wave has. Pure: the same arguments and the same earlier waves, the same wave.

A wave is what is planned at once. How it is played, and when its runs are kept, is no matter of this module: the plan
hangs on what was asked, and not on how fast or how wide a machine is. The results of a wave are used two waves later,
so that the next wave can run meanwhile. An interrupted campaign plans its waves again from its store."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from shaketable.harness.nemesis.corpus import Corpus
from shaketable.harness.nemesis.mutating import mended
from shaketable.harness.nemesis.plan import to_json
from shaketable.harness.nemesis.plan_files import place
from shaketable.harness.pipeline.campaigns.cases import TWICE, Case, Cell, Dealer, is_drawn, run_name
from shaketable.harness.pipeline.campaigns.changing import SEARCHING, Changed, Changing
from shaketable.harness.pipeline.campaigns.corpora import MOST, Kept
from shaketable.harness.pipeline.campaigns.steering import LEANING, Reached, leaning
from shaketable.harness.pipeline.campaigns.variants import Value
from shaketable.harness.runs.judging import subject_of
from shaketable.harness.verdicts.verdict import ScriptSubject, again, shown_file

LEAST: Final = 320
"""runs of a wave"""
WAVES: Final = 32
"""of a campaign that is large enough: two of them are enough at once for as many cores as such a campaign is given"""
LAG: Final = 2
"""so many waves may be under way at once; steering knows those before"""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a campaign is to do."""

    cells: Sequence[Cell]
    runs: int
    first_seed: int
    sample: int
    """of a hundred runs that pass, so many histories are kept"""
    wave: int = 0
    """runs; 0: by how many there are"""
    search: bool = True
    """some runs play plans that are made of earlier ones"""
    plans: str = "plans"
    """the folder in which those are kept"""
    earlier: Sequence[Kept] = ()
    """plans that an earlier campaign has kept: they are played first"""

    @property
    def size(self) -> int:
        return self.wave or max(LEAST, self.runs // WAVES)

    @property
    def waves(self) -> int:
        return -(-self.runs // self.size)


class Planner:
    """To be asked for the waves in their order, and told of each when it is over, in the same order."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._dealer = Dealer(asked.cells, asked.first_seed)
        self._reached = Reached()
        """by the waves that have a say in the next one"""
        self._younger = deque[Reached]()
        """waves that are over and have none yet"""
        self._merged = 0
        self._told: dict[tuple[str, str], _Told] = {}
        """by the name of a cell"""
        self._cases = 0
        self._changing = Changing(asked.cells)
        self._earlier = deque(_of_cells(asked.earlier, asked.cells))
        self.planned = 0
        self.made: Callable[[Path, Sequence[str]], None] = lambda file, plans: None
        """is told of the changed plans of each wave, before it is played"""

    @property
    def is_ready(self) -> bool:
        """Whether there is one more wave, and those that have a say in it are over."""
        return self.planned < self._asked.waves and self._with_a_say <= self._merged + len(self._younger)

    def over(self, wave: Reached) -> None:
        self._younger.append(wave)

    def next(self) -> list[Case]:
        """The wave after the last one. Those that are too young to be known have no say in it."""
        assert self.is_ready, "the campaign has no more waves, or it is too soon"
        cases = self._plan()
        self.planned += 1
        self._cases += len(cases)
        return cases

    def kept(self, corpus: Corpus) -> list[Kept]:
        """What the next campaign goes on from: the plans of what few runs have reached, by all runs that are over, and
        those of an earlier campaign that were not played yet."""
        waiting = [Kept(each.cell.script.name, each.plan, each.cell.variant.name) for each in self._earlier]
        return [*self._changing.kept(corpus), *waiting][:MOST]

    def _plan(self) -> list[Case]:
        count = min(self._asked.size, self._asked.runs - self._cases)
        lean: list[Cell] = []
        changed = self._of_before(count)
        if self._cases >= len(self._asked.cells):
            known = self._known()
            lean = leaning(self._asked.cells, known, count * LEANING // 100)
            changed += self._made(known, min(count * SEARCHING // 100, count - len(lean) - len(changed)))
        dealt = self._dealer.deal(count - len(lean) - len(changed)) + self._dealer.more_of(lean)
        cases = [self._case(place, *each) for place, each in enumerate(dealt)]
        return [*cases, *self._with_plans(len(cases), changed)]

    def _of_before(self, count: int) -> list[Changed]:
        """What an earlier campaign has kept: half of a wave, until all has been played."""
        return [self._earlier.popleft() for _ in range(min(len(self._earlier), count // 2))]

    def _made(self, known: Reached, count: int) -> list[Changed]:
        if not self._asked.search:
            return []
        seeds = [f"{self._asked.first_seed} {self._cases} {number}" for number in range(count)]
        return self._changing.next(known.corpus, self._with_a_say, seeds)

    def _with_plans(self, first: int, changed: Sequence[Changed]) -> list[Case]:
        file, cases = Path(self._asked.plans) / f"{self._cases:08}.jsonl", []
        plans = [to_json(each.plan) for each in changed]
        for number, ((cell, plan), text) in enumerate(zip(changed, plans, strict=True)):
            ((_, seed),) = self._dealer.more_of([cell])
            cases.append(self._case(first + number, cell, seed, text, place(file, number)))
            self._changing.plays(self.planned, cases[-1].run, plan)
        if plans:
            self.made(file, plans)
        return cases

    def _case(self, number: int, cell: Cell, seed: int, plan: str = "", plan_at: str = "") -> Case:
        told = self._told.get(cell.name) or self._told.setdefault(cell.name, _told_of(cell))
        subject = subject_of(cell.script, cell.options(seed, plan_at)) if plan_at else told.subject
        run = run_name(cell.script.name, cell.variant.name, seed)
        return Case(
            number=self._cases + number,
            file=cell.script.file,
            script=cell.script.name,
            seed=seed,
            variant=cell.variant.name,
            preset=cell.variant.preset,
            values=told.values,
            twice=is_drawn(run, "twice", TWICE),
            sample=is_drawn(run, "sample", self._asked.sample),
            again=again(subject, "sim", seed, told.preset),
            shown=told.shown,
            plan=plan,
            plan_at=plan_at,
        )

    @property
    def _with_a_say(self) -> int:
        """So many waves, the first ones, in the next one."""
        return max(0, self.planned - LAG + 1)

    def _known(self) -> Reached:
        while self._merged < self._with_a_say:
            self._reached.merge(self._younger.popleft())
            self._merged += 1
        return self._reached


def _of_cells(kept: Iterable[Kept], cells: Iterable[Cell]) -> Iterator[Changed]:
    """Those for which there are still a script and a variant."""
    by_name = {cell.name: cell for cell in cells}
    for each in kept:
        cell = by_name.get((each.script, each.variant))
        if cell is not None and cell.options(0).settings(cell.script).family == each.plan.family:
            yield Changed(cell, mended(each.plan))


class _Told(NamedTuple):
    """What all cases of a cell have in common: made once, since a large campaign has hundreds of cases of each."""

    subject: ScriptSubject
    preset: str
    shown: str
    values: dict[str, Value]


def _told_of(cell: Cell) -> _Told:
    options = cell.options(seed=0)
    subject = subject_of(cell.script, options)
    return _Told(subject, options.preset_name, shown_file(cell.script.file), dict(cell.variant.values))
