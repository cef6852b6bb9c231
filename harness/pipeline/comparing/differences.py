"""What differs between the measures of two stores: by pairs, or, where most draws are none, by the values of each side
within their cells. Times and amounts of two systems are never compared."""

from __future__ import annotations

from math import exp, inf
from typing import NamedTuple

import msgspec
import numpy as np

from shaketable.harness.pipeline.comparing.alike import all_alike
from shaketable.harness.pipeline.comparing.answers import (
    CANNOT_SAY,
    NEUTRAL,
    NO_WORSE,
    Asked,
    Difference,
    Found,
    answer,
    corrected,
    more_draws,
    per_cent,
)
from shaketable.harness.pipeline.comparing.columns import Column, Compare, Runs, comparisons
from shaketable.harness.pipeline.comparing.paired import FEWEST_PAIRS, Pairs
from shaketable.harness.pipeline.comparing.shifting import Floats, Ints, Size, factor_of, part
from shaketable.harness.pipeline.comparing.unpaired import FEWEST_DRAWS, Unpaired, medians_of
from shaketable.harness.pipeline.comparing.within_cells import Layout


class _Compared(NamedTuple):
    """One comparison before it is known how many there are."""

    of: Compare
    found: Found
    paired: bool
    differ: int
    before: float
    now: float
    average: bool


def differences(before: Runs, now: Runs, asked: Asked) -> tuple[Difference, ...]:
    """`now` by the keys of its pairs."""
    told = [each for of in comparisons(before, now) if (each := _compared(of)) is not None]
    chances = corrected([each.found for each in told])
    many = sum(each.found.could_be_told for each in told)
    alike = all_alike(before, now)
    answers = [_answered(each, chance, asked, many) for each, chance in zip(told, chances, strict=True)]
    return tuple(_equal(each) if (each.system, each.script) in alike else each for each in answers)


def _equal(of: Difference) -> Difference:
    """All pairs are alike, event by event: that needs no test, and not many draws."""
    return msgspec.structs.replace(
        of, differ=0, percent=0.0, low=0.0, high=0.0, chance=1.0, kind=NO_WORSE, bound=0.0, more=0
    )


def _answered(of: _Compared, chance: float, asked: Asked, many: int) -> Difference:
    neutral = of.of.measure in NEUTRAL
    kind, size = answer(of.found, chance, asked, neutral), of.found.size
    largest = max(size.high, -size.low) if neutral else max(size.high, 0.0)
    return Difference(
        measure=of.of.measure,
        script=of.of.script,
        system=of.of.system,
        paired=of.paired,
        draws=of.found.draws,
        differ=of.differ,
        before=of.before,
        now=of.now,
        average=of.average,
        percent=per_cent(size.middle),
        low=per_cent(size.low),
        high=per_cent(size.high),
        chance=chance,
        kind=kind,
        bound=100 * (exp(largest) - 1) if kind == NO_WORSE else None,
        more=more_draws(of.found, asked, many) if kind == CANNOT_SAY else 0,
    )


def _compared(of: Compare) -> _Compared | None:
    """None: the two have nothing in common."""
    shared = np.intersect1d(of.before.numbers.cells, of.now.numbers.cells)
    before, now = (side.of(np.flatnonzero(np.isin(side.numbers.cells, shared))) for side in (of.before, of.now))
    if not len(shared):
        return None
    _, left, right = np.intersect1d(before.numbers.runs, now.numbers.runs, assume_unique=True, return_indices=True)
    in_pairs = len(np.unique(before.numbers.draws[left]))
    fewer = min(len(np.unique(side.numbers.draws)) for side in (before, now))
    if in_pairs and (in_pairs == fewer or (in_pairs >= FEWEST_PAIRS and 2 * in_pairs >= fewer)):
        return _by_pairs(of, before.of(left), now.of(right))
    return _by_cells(of, before, now, fewer)


def _by_pairs(of: Compare, before: Column, now: Column) -> _Compared:
    pairs = Pairs(before.values, now.values, before.numbers.draws)
    size, average = pairs.size()
    if pairs.n < FEWEST_PAIRS:
        size = Size(size.middle, -inf, inf)
    usual = np.mean if average else np.median
    return _Compared(
        of,
        Found(size, pairs.differ >= FEWEST_PAIRS, pairs.chance(), pairs.n, FEWEST_PAIRS),
        paired=True,
        differ=pairs.differ,
        before=float(usual(before.values)),
        now=float(usual(now.values)),
        average=average,
    )


def _by_cells(of: Compare, before: Column, now: Column, fewer: int) -> _Compared:
    is_now = np.repeat([False, True], [len(before.values), len(now.values)])
    cells = np.unique(np.concatenate([before.numbers.cells, now.numbers.cells]), return_inverse=True)[1]
    draws = np.concatenate([2 * before.numbers.draws, 2 * now.numbers.draws + 1])  # those of one side are no others
    layout = Layout(cells, np.unique(draws, return_inverse=True)[1], is_now)
    values = np.concatenate([before.values, now.values])
    tested = Unpaired(layout, values)
    enough = tested.could_be_told()
    size, average = tested.size() if enough else (Size(0.0, -inf, inf), False)
    shown = [_usual(values[is_now == side], cells[is_now == side], layout, average) for side in (False, True)]
    if not enough:
        size = size._replace(middle=factor_of(float(part(*(np.array([each]) for each in shown))[0])))
    return _Compared(
        of,
        Found(size, enough, tested.chance() if enough else 1.0, fewer, FEWEST_DRAWS),
        paired=False,
        differ=fewer,
        before=shown[0],
        now=shown[1],
        average=average,
    )


def _usual(values: Floats, cells: Ints, layout: Layout, average: bool) -> float:
    """Of one side: the mean over the cells, which have the same weight on both sides."""
    of_cells = np.bincount(cells, values) / np.bincount(cells) if average else medians_of(values, cells)
    share = layout.of_now()
    weights = np.bincount(layout.cells) * share * (1 - share)
    return float(np.average(of_cells, weights=weights))
