"""Values without pairs: against Mann and Whitney's test where there is one cell, by counting all ways to share out the
draws, and by how often chance alone is taken for more."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from tests.lengths import cases

from shaketable.harness.pipeline.comparing.changing_sides import Sides
from shaketable.harness.pipeline.comparing.unpaired import Unpaired, medians_of
from shaketable.harness.pipeline.comparing.within_cells import Layout, strata_of

Rows = list[tuple[int, int, bool, float]]
"""cell, draw, whether it is of `now`, value"""


def layout_of(rows: Rows) -> Layout:
    cells, draws, now, _ = zip(*rows, strict=True)
    return Layout(np.array(cells), np.unique(draws, return_inverse=True)[1], np.array(now))


def unpaired(rows: Rows) -> Unpaired:
    return Unpaired(layout_of(rows), np.array([value for *_, value in rows]))


def of_one_cell(before: list[float], now: list[float]) -> Rows:
    return [(0, place, place >= len(before), value) for place, value in enumerate([*before, *now])]


def test_of_one_cell_it_is_the_test_of_mann_and_whitney() -> None:
    draw = random.Random(1)
    before, now = ([draw.lognormvariate(more, 0.5) for _ in range(40)] for more in (0.0, 0.2))
    told = unpaired(of_one_cell(before, now))
    expected = stats.mannwhitneyu(before, now, method="asymptotic", use_continuity=False)
    assert told.chance() == pytest.approx(expected.pvalue)
    size, average = told.size()
    ratios = [math.log(other / one) for one in before for other in now]
    assert size.middle == pytest.approx(np.median(ratios), abs=1e-3)
    assert size.low < size.middle < size.high
    assert not average


def test_the_interval_holds_the_factors_that_the_test_does_not_refuse() -> None:
    draw = random.Random(2)
    before, now = ([draw.lognormvariate(more, 0.5) for _ in range(40)] for more in (0.0, 0.3))
    size, _ = unpaired(of_one_cell(before, now)).size()
    for factor, refused in ((size.low, 0.01), (size.high, -0.01)):
        for step in (refused, -refused):
            moved = [value * math.exp(factor - step) for value in before]
            chance = stats.mannwhitneyu(moved, now, method="asymptotic").pvalue
            assert (chance < 0.05) == (step == refused)


def test_of_few_draws_the_chance_is_that_of_counting_all_ways() -> None:
    """Draws with several cells, and two strata."""
    draw = random.Random(3)
    rows: Rows = [
        (cell, number, number % 2 == 1, draw.random() + number % 2 * 0.25) for number in range(10) for cell in (0, 1)
    ]
    rows += [(2, number, number % 2 == 1, draw.random() + number % 2 * 0.5) for number in range(10, 16)]
    layout = layout_of(rows)
    assert strata_of(layout).tolist() == [0] * 10 + [1] * 6
    scores = layout.centred(np.array([value for *_, value in rows]))
    by_draw = np.bincount(layout.draws, scores)
    own = by_draw[1::2].sum()
    sums = [
        sum(by_draw[list(some)]) + sum(by_draw[list(others)])
        for some in combinations(range(10), 5)
        for others in combinations(range(10, 16), 3)
    ]
    expected = np.mean(np.abs(sums) >= abs(own) - 1e-9)
    assert 0.001 < expected < 0.1
    assert Sides(layout).chance(scores) == pytest.approx(expected, abs=0.006)


def test_what_few_have_is_not_taken_for_more_because_one_side_is_small() -> None:
    """One of two, and none of twenty: one in eleven by chance."""
    rows = of_one_cell([0.0] * 20, [0.0, 3.0])
    assert unpaired(rows).chance() == pytest.approx(1 / 11, abs=0.01)


def many_cells(draw: random.Random, value: Callable[[], float]) -> Rows:
    """Each has one run of either side, or few."""
    rows: Rows = []
    for cell in range(40):
        for place in range(draw.randint(2, 4)):
            rows.append((cell, len(rows), place == 0 or draw.random() < 0.3, (1 + cell) * value()))
        if rows[-1][2]:
            rows.append((cell, len(rows), False, (1 + cell) * value()))
    return rows


def seeds_and_cells(draw: random.Random, value: Callable[[], float]) -> Rows:
    """Each draw has most of the cells, and its values lie together."""
    rows: Rows = []
    for number in range(18):
        lean = value()
        rows += [(cell, number, number % 3 == 0, lean * value() ** 0.3) for cell in range(6) if draw.random() < 0.8]
    return rows


def few(draw: random.Random, value: Callable[[], float]) -> Rows:
    return of_one_cell([float(draw.random() < 0.1) for _ in range(40)], [float(draw.random() < 0.1) for _ in range(6)])


@cases(200, 1000)
@pytest.mark.parametrize("made", [many_cells, seeds_and_cells, few])
def test_chance_alone_is_rarely_taken_for_more(
    made: Callable[[random.Random, Callable[[], float]], Rows], count: int
) -> None:
    draw = random.Random(4)
    chances = [unpaired(made(draw, lambda: draw.lognormvariate(0, 1))).chance() for _ in range(count)]
    assert np.mean(np.array(chances) < 0.05) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / count)


@cases(60, 200)
@pytest.mark.parametrize("made", [many_cells, seeds_and_cells])
def test_intervals_hold_the_true_factor(made: Callable[[random.Random, Callable[[], float]], Rows], count: int) -> None:
    draw, held = random.Random(5), 0
    for _ in range(count):
        rows = [
            (*where, now, value * (1.5 if now else 1))
            for *where, now, value in made(draw, lambda: draw.lognormvariate(0, 1))
        ]
        size, _ = unpaired(rows).size()  # type: ignore[arg-type]
        held += size.low <= math.log(1.5) <= size.high
    assert held >= count * 0.95 - 2 * math.sqrt(0.95 * 0.05 * count)


def test_what_one_side_has_alone_has_no_bound() -> None:
    size, _ = unpaired(of_one_cell([0.0] * 20, [5.0] * 20)).size()
    assert (size.low, size.high) == (math.inf, math.inf)
    nothing, average = unpaired(of_one_cell([0.0] * 20, [0.0] * 20)).size()
    assert (nothing.low, nothing.high, average) == (0.0, 0.0, True)


def test_medians_of_cells() -> None:
    values, cells = np.array([5.0, 1.0, 3.0, 8.0, 6.0, 7.0, 9.0]), np.array([0, 0, 0, 1, 1, 1, 1])
    assert medians_of(values, cells).tolist() == [3.0, 7.5]
