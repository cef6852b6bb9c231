"""What `compare` promises: over sound campaigns it cries wolf in less than one of twenty comparisons of two stores, it
notices what is slower, and it calls nothing no worse that may be.

SHAKETABLE_SPLITS=1000 splits a simulated campaign as often, one that holds data; a night does it with less."""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest
from tests.conftest import AsWritten
from tests.harness.pipeline.comparing.sound_campaigns import (
    Runs,
    drawn,
    each_its_own_draw,
    simulated,
    slower,
    split,
)
from tests.lengths import LONG, LONGEST, NIGHT, cases, one_in
from tests.where import DOCS, with_part

from shaketable.harness.pipeline.comparing.answers import DIFFERS, NO_WORSE, WORSE, Difference
from shaketable.harness.pipeline.comparing.comparing import compared

SEEDS, CELLS = 22, 17
SPLITS = int(os.environ.get("SHAKETABLE_SPLITS", 100))
STORMS = ["storm", "storm-with-data" if SPLITS >= 1000 else "storm-that-ends-in-one-cluster"]
"""of two files; those with data take twenty times as long"""
ALLOWED = 0.05
PAGE = DOCS / "pipeline-measures.md"


def alarms(runs: Runs, splits: int) -> int:
    """How many halves of one sound campaign are called worse than its others."""
    draw = random.Random(splits)
    return sum(compared(*split(runs, draw)).exit_code == 1 for _ in range(splits))


@cases(30, 100)
def test_halves_of_a_sound_campaign_are_rarely_called_worse(count: int) -> None:
    """Seeds differ more than the runs of one seed, so that these are no observations of their own."""
    runs = drawn(range(SEEDS), random.Random(1), CELLS, shared=0.5, own=0.2, present=0.8)
    assert alarms(runs, count) <= ALLOWED * count


@NIGHT
@LONGEST
def test_halves_of_a_simulated_campaign_are_rarely_called_worse() -> None:
    """Of two files, whose scripts draw the same plans."""
    runs = simulated(STORMS, range(1, SEEDS + 1))
    assert len(runs) >= SEEDS * CELLS
    assert alarms(runs, SPLITS) <= ALLOWED * SPLITS


def test_if_each_run_counted_alone_they_would_often_be() -> None:
    """So these campaigns can turn the tests above red."""
    runs = drawn(range(SEEDS), random.Random(1), CELLS, shared=0.5, own=0.2, present=0.8)
    assert alarms(each_its_own_draw(runs), 20) >= 8


@cases(20, 100)
def test_of_two_sound_campaigns_nothing_is_worse(count: int) -> None:
    """Of other seeds each; some measures are so steady that they are shown to be no worse."""
    draw, codes, differing = random.Random(count), Counter[int](), 0
    for _ in range(count):
        one, other = (drawn(range(first, first + 30), draw, 3, shared=0.3, own=0.2) for first in (0, 100))
        told = compared(one, other)
        codes[told.exit_code] += 1
        differing += bool(told.called)
        assert told.of_kinds(NO_WORSE)
    assert codes[1] <= differing <= ALLOWED * count
    assert codes[0] + codes[1] == count


def noticed(trials: int, seeds: int, cells: int, spread: float, draw: random.Random) -> float:
    """The share of trials in which a claim that takes 20 % longer is called worse."""
    found = 0
    for _ in range(trials):
        before, now = (
            drawn(range(first, first + seeds), draw, cells, shared=spread, own=spread / 2) for first in (0, 10_000)
        )
        told = compared(before, slower(now, "claim", 1.2))
        found += any(each.measure == "claim" and each.kind == WORSE for each in told.differences)
    return found / trials


@LONG
def test_what_is_a_fifth_slower_is_noticed_with_200_runs_of_either_side() -> None:
    assert noticed(20, 200, 1, 0.3, random.Random(2)) >= 0.8
    assert noticed(20, 50, 4, 0.15, random.Random(3)) >= 0.8


SPREADS = (1.1, 1.2, 1.35, 1.5, 2.0)
"""a seed takes so many times as long as another one; runs of one seed differ by half as much"""
SIZES = ((12, 17), (25, 8), (50, 4), (100, 2), (200, 1))
TRIALS = 100
"""With 20 of them a share of about 65 % came out as 80 %."""


def power(sizes: Iterable[tuple[int, int]]) -> Iterator[str]:
    yield f"| runs of a side | {' | '.join(f'{spread:g} times' for spread in SPREADS)} |"
    yield "|---|" + "---:|" * len(SPREADS)
    for seeds, cells in sizes:
        draw = random.Random(seeds)
        shares = [noticed(TRIALS, seeds, cells, math.log(spread), draw) for spread in SPREADS]
        under = f"{cells} variants" if cells > 1 else "1 variant"
        yield f"| {seeds} seeds under {under} | {' | '.join(f'{share:.0%}' for share in shares)} |"


@NIGHT
@LONGEST
def test_the_page_says_how_much_is_noticed(as_written: AsWritten, pytestconfig: pytest.Config) -> None:
    """At two rows of it."""
    if pytestconfig.getoption("--rewrite"):
        as_written(PAGE, with_part(PAGE, "power", "\n".join(power(SIZES))))
    page = PAGE.read_text(encoding="utf-8").splitlines()
    for row in power(SIZES[2::2]):
        assert row in page


@pytest.mark.parametrize("factor", one_in(3, [3.0, 1.5, 1.25]))
def test_what_is_slower_than_the_margin_is_hardly_ever_called_no_worse(factor: float) -> None:
    draw = random.Random(int(100 * factor))
    wrong = 0
    for _ in range(40):
        before, now = (drawn(range(first, first + 15), draw, 2, shared=0.2, own=0.1) for first in (0, 100))
        told = compared(before, slower(now, "claim", factor))
        wrong += any(each.measure == "claim" and each.kind == NO_WORSE for each in told.differences)
    assert wrong <= 2


def test_nothing_is_called_no_worse_whose_interval_reaches_beyond_the_margin() -> None:
    draw = random.Random(9)
    told = list[Difference]()
    for seeds in (4, 6, 12, 40):
        one, other = (drawn(range(first, first + seeds), draw, 3, shared=0.3, own=0.2) for first in (0, 100))
        told += compared(one, other).differences
    sure = [each for each in told if each.kind == NO_WORSE]
    assert sure
    for each in sure:
        assert each.high is not None
        assert each.bound is not None
        assert max(each.high, 0.0) <= each.bound <= 20.0
    assert {each.kind for each in told} - {NO_WORSE, *DIFFERS} == {"cannot say"}
