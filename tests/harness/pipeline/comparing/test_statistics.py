"""Statistics against tables, against counting all cases, and by how often they cry wolf over pure chance."""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest

from shaketable.harness.pipeline.comparing.statistics import (
    MOST_EXACT,
    difference_interval,
    fisher,
    holm,
    mean_interval,
    rank_sum,
    sign,
    signed_rank,
)


def test_signed_rank_is_what_counting_all_signs_gives() -> None:
    for differences in ([1, 2, 3, 4, 5, 6], [1, -1, 2, 2, -3, 5, 5], [0, 0, 3, 1, 4, 4, 8], [-2.5, 1.5, 1.5, 7, 7, 7]):
        told = [each for each in differences if each]
        sizes = sorted(map(abs, told))
        ranks = [sum(i + 1 for i, s in enumerate(sizes) if s == abs(d)) / sizes.count(abs(d)) for d in told]

        def lean(signs: tuple[int, ...], ranks: list[float] = ranks) -> float:
            return abs(sum(s * r for s, r in zip(signs, ranks, strict=True)))

        own = lean(tuple(1 if each > 0 else -1 for each in told))
        every = list(product((1, -1), repeat=len(told)))
        assert signed_rank(differences) == pytest.approx(sum(lean(signs) >= own for signs in every) / len(every))
    assert signed_rank([0.0, 0.0]) == 1.0


def test_signed_rank_by_a_table_and_by_the_normal_distribution() -> None:
    assert signed_rank([-1, 2, 3, -4, 5, 6, 7, 8, 9, 10]) == pytest.approx(0.019531, abs=1e-6)  # sum 5 of 10 pairs
    draw = random.Random(1)
    values = [draw.gauss(0.3, 1) for _ in range(MOST_EXACT)]
    more = [*values, 1e-9]
    assert signed_rank(more) == pytest.approx(signed_rank(values), abs=0.01)


def test_rank_sum_and_fisher_by_tables() -> None:
    assert rank_sum([1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14]) == pytest.approx(0.00216, abs=1e-4)
    assert rank_sum([1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]) == 1.0
    assert fisher(8, 10, 1, 6) == pytest.approx(0.03497, abs=1e-5)
    assert fisher(0, 0, 3, 7) == fisher(0, 5, 0, 7) == 1.0
    assert sign(0, 6) == pytest.approx(0.03125)
    assert sign(3, 3) == sign(0, 0) == 1.0


def test_rank_sum_agrees_with_counting_all_orders() -> None:
    one, other = [1.0, 3, 4, 6, 9, 12, 14], [5.0, 10, 11, 13, 15, 16, 17]
    together = sorted([*one, *other])
    wins = [sum(o > c for o in together if o not in chosen for c in chosen) for chosen in combinations(together, 7)]
    own = sum(o > c for o in other for c in one)
    exact = sum(abs(each - 24.5) >= abs(own - 24.5) for each in wins) / len(wins)
    assert rank_sum(one, other) == pytest.approx(exact, abs=0.005)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_chance_alone_is_rarely_called_a_difference() -> None:
    """One in twenty, give or take what 400 trials allow; skewed values as times are."""
    draw = random.Random(5)
    pairs = [[draw.expovariate(1) - draw.expovariate(1) for _ in range(12)] for _ in range(400)]
    alone = [([draw.expovariate(1) for _ in range(9)], [draw.expovariate(1) for _ in range(11)]) for _ in range(400)]
    assert 0.02 <= sum(signed_rank(each) < 0.05 for each in pairs) / 400 <= 0.08
    assert 0.02 <= sum(rank_sum(*each) < 0.05 for each in alone) / 400 <= 0.08
    families = [holm([signed_rank([draw.gauss(0, 1) for _ in range(10)]) for _ in range(20)]) for _ in range(60)]
    assert sum(min(each) < 0.05 for each in families) <= 8


def test_a_true_difference_is_mostly_found() -> None:
    draw = random.Random(6)
    found = [signed_rank([draw.gauss(1, 1) for _ in range(15)]) < 0.05 for _ in range(100)]
    assert sum(found) >= 85


def test_intervals_mostly_hold_the_true_mean() -> None:
    draw = random.Random(7)
    drawn = [mean_interval([draw.gauss(3, 2) for _ in range(30)]) for _ in range(60)]
    assert sum(low <= 3 <= high for low, high in drawn) >= 50
    low, high = mean_interval([draw.gauss(3, 2) for _ in range(2000)])
    assert low < 3 < high < low + 0.2
    assert mean_interval([4.0]) == mean_interval([4.0] * 9) == (4.0, 4.0)
    low, high = difference_interval([1.0, 2, 3, 4, 5, 6], [4.0, 5, 6, 7, 8, 9])
    assert low < 3 < high
