"""A campaign as waves: which cases each wave has. Pure: the same arguments and the same earlier waves, the same wave.

A wave is what is planned at once. How it is played, and when its runs are kept, is no matter of this module: the plan
hangs on what was asked, and not on how fast or how wide a machine is. The results of a wave are used two waves later,
so that the next wave can run meanwhile. An interrupted campaign plans its waves again from its store."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.pipeline.campaigns.cases import TWICE, Case, Cell, Dealer, is_drawn, run_name
from shaketable.harness.pipeline.campaigns.steering import LEANING, Reached, leaning
from shaketable.harness.runs.judging import subject_of
from shaketable.harness.verdicts.verdict import again, shown_file

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
        self._cases = 0
        self.planned = 0

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

    def _plan(self) -> list[Case]:
        count = min(self._asked.size, self._asked.runs - self._cases)
        lean: list[Cell] = []
        if self._cases >= len(self._asked.cells):
            lean = leaning(self._asked.cells, self._known(), count * LEANING // 100)
        dealt = self._dealer.deal(count - len(lean)) + self._dealer.more_of(lean)
        return [_case(self._cases + place, *each, self._asked.sample) for place, each in enumerate(dealt)]

    @property
    def _with_a_say(self) -> int:
        """So many waves, the first ones, in the next one."""
        return max(0, self.planned - LAG + 1)

    def _known(self) -> Reached:
        while self._merged < self._with_a_say:
            self._reached.merge(self._younger.popleft())
            self._merged += 1
        return self._reached


def _case(number: int, cell: Cell, seed: int, sample: int) -> Case:
    options, run = cell.options(seed), run_name(cell.script.name, cell.variant.name, seed)
    return Case(
        number=number,
        file=cell.script.file,
        script=cell.script.name,
        seed=seed,
        variant=cell.variant.name,
        preset=cell.variant.preset,
        values=dict(cell.variant.values),
        twice=is_drawn(run, "twice", TWICE),
        sample=is_drawn(run, "sample", sample),
        again=again(subject_of(cell.script, options), "sim", seed, options.preset_name),
        shown=shown_file(cell.script.file),
    )
