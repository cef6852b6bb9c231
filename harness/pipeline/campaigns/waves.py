"""A campaign as waves: which cases each wave has. Pure: the same arguments and the same earlier waves, the same wave.

The results of a wave are used two waves later, so that the next wave can run while they are written. An interrupted
campaign plans its waves again from its store, and goes on with the first one that is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from shaketable.harness.pipeline.campaigns.cases import TWICE, Case, Cell, Dealer, is_drawn, run_name
from shaketable.harness.pipeline.campaigns.steering import LEANING, Reached, leaning
from shaketable.harness.runs.judging import subject_of
from shaketable.harness.verdicts.verdict import again, shown_file

WAVE: Final = (320, 5000)
"""runs at least and at most: some twenty seconds of two cores, and enough at once for many"""
WAVES: Final = 32
"""of a campaign that is large enough: what is planned hangs on what was asked, not on how many cores there are"""
LAG: Final = 2
"""so many waves are under way at once; steering knows those before"""


class Ended(NamedTuple):
    """What planning has to know of a run that is over."""

    script: str
    marks: Iterable[str]


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
        return self.wave or min(max(WAVE[0], self.runs // WAVES), WAVE[1])

    @property
    def waves(self) -> int:
        return -(-self.runs // self.size)


class Planner:
    """To be asked for the waves in their order, and told of each when it is over, in the same order."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._dealer = Dealer(asked.cells, asked.first_seed)
        self._told: list[Sequence[Ended]] = []
        self._cases = 0
        self._next: list[Case] | None = None
        self.planned = 0

    def over(self, wave: Sequence[Ended]) -> None:
        self._told.append(wave)

    def peek(self) -> list[Case]:
        """What `next` will give."""
        if self._next is None:
            self._next = self._plan()
        return self._next

    def next(self) -> list[Case]:
        """The wave after the last one. Those that are too young to be known have no say in it."""
        cases, self._next = self.peek(), None
        self.planned += 1
        self._cases += len(cases)
        return cases

    def _plan(self) -> list[Case]:
        count = min(self._asked.size, self._asked.runs - self._cases)
        assert count > 0, "the campaign has no more waves"
        lean: list[Cell] = []
        if self._cases >= len(self._asked.cells):
            lean = leaning(self._asked.cells, self._known(), count * LEANING // 100)
        dealt = self._dealer.deal(count - len(lean)) + self._dealer.more_of(lean)
        return [_case(self._cases + place, *each, self._asked.sample) for place, each in enumerate(dealt)]

    def _known(self) -> Reached:
        reached = Reached()
        for wave in self._told[: max(0, self.planned - LAG + 1)]:
            for ended in wave:
                reached.add(ended.script, ended.marks)
        return reached


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
