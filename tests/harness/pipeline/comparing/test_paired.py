"""Pairs by draws: against Wilcoxon's test and the medians of Walsh's averages, and by how often intervals are right."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import stats
from tests.lengths import cases

from shaketable.harness.pipeline.comparing.paired import Pairs


def pairs(before: list[float], now: list[float], draws: list[int] | None = None) -> Pairs:
    return Pairs(np.array(before), np.array(now), np.array(draws or range(len(now))))


def test_it_is_wilcoxon_s_test_of_draws_and_the_factor_that_balances_it() -> None:
    draw = random.Random(1)
    before = [draw.lognormvariate(0, 1) for _ in range(40)]
    now = [value * draw.lognormvariate(0.1, 0.05) for value in before]
    told = pairs(before, now)
    ratios = np.log(now) - np.log(before)
    assert told.chance() == pytest.approx(stats.wilcoxon(2 * np.tanh(ratios / 2)).pvalue)
    walsh = [(ratios[i] + ratios[j]) / 2 for i in range(40) for j in range(i, 40)]
    size, average = told.size()
    assert size.middle == pytest.approx(float(np.median(walsh)), abs=2e-3)
    assert not average
    assert size.low < size.middle < size.high


def test_a_draw_is_one_observation_however_many_pairs_it_has() -> None:
    draw = random.Random(2)
    before = [draw.random() + 1 for _ in range(30)]
    now = [value * (1.5 + draw.random() / 9) for value in before]
    assert pairs(before, now).chance() < 1e-6
    of_three = pairs(before, now, [place % 3 for place in range(30)])
    assert (of_three.n, of_three.differ, of_three.chance()) == (3, 3, 0.25)


def test_what_is_exactly_alike_tells_of_no_side() -> None:
    before = [float(value) for value in range(1, 21)]
    alike = pairs(before, before)
    assert (alike.differ, alike.chance(), alike.size()) == (0, 1.0, ((0.0, 0.0, 0.0), True))
    nothing = pairs([0.0] * 8, [0.0] * 8)
    assert (nothing.chance(), nothing.size()[0].high) == (1.0, 0.0)
    size, average = pairs(before, [*before[:15], *(2 * value for value in before[15:])]).size()
    assert average
    assert 0 < size.low < size.middle < size.high < math.log(1.5)


@cases(60, 300)
def test_intervals_hold_the_true_factor(count: int) -> None:
    draw, held = random.Random(4), 0
    for _ in range(count):
        before = [draw.lognormvariate(0, 1) for _ in range(24)]
        now = [1.2 * value * draw.lognormvariate(0, 0.4) for value in before]
        size, _ = pairs(before, now, [place % 12 for place in range(24)]).size()
        held += size.low <= math.log(1.2) <= size.high
    assert held >= count * 0.95 - 2 * math.sqrt(0.95 * 0.05 * count)


def test_what_only_one_side_has_is_without_a_bound() -> None:
    size, _ = pairs([0.0] * 10, [1.0] * 10).size()
    assert size.low == math.inf
