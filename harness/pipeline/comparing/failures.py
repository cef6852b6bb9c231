"""Whether more runs fail. A pair in virtual time differs only by the code, so that one new failure is a fact. All else
may be chance, and is tested by draws: pairs of the real world by their signs, runs without a pair by the share that
fails of each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec
import numpy as np
from scipy import stats

from shaketable.harness.pipeline.comparing.answers import LIMIT
from shaketable.harness.pipeline.comparing.changing_sides import Sides
from shaketable.harness.pipeline.comparing.columns import SIMULATED, Runs, cell_of, draw_of
from shaketable.harness.pipeline.comparing.pairs import Key
from shaketable.harness.pipeline.comparing.within_cells import Layout
from shaketable.harness.verdicts.reasons import FAILED


class Shares(msgspec.Struct, frozen=True, kw_only=True):
    """Of runs without a pair, of cells that both have run."""

    failed_before: int
    runs_before: int
    failed_now: int
    runs_now: int
    more: bool
    """now, if each cell is compared with itself"""
    chance: float
    """that they differ so much by accident"""

    @property
    def worse(self) -> bool:
        return self.more and self.chance < LIMIT


def shares(before: Runs, now: Runs) -> Shares:
    sides = [[key for key in runs if key not in others] for runs, others in ((before, now), (now, before))]
    both = {cell_of(key) for key in sides[0]} & {cell_of(key) for key in sides[1]}
    told = [
        [(key, runs[key]) for key in keys if cell_of(key) in both]
        for keys, runs in zip(sides, (before, now), strict=True)
    ]
    failed = [np.array([run.outcome == FAILED for _, run in side], dtype=np.float64) for side in told]
    counts = [int(each.sum()) for each in failed]
    more, chance = False, 1.0
    if any(counts):
        cells, draws = dict[object, int](), dict[object, int]()
        layout = Layout(
            np.array([cells.setdefault(cell_of(key), len(cells)) for side in told for key, _ in side]),
            np.array(
                [
                    draws.setdefault((place, draw_of(*each)), len(draws))
                    for place, side in enumerate(told)
                    for each in side
                ]
            ),
            np.repeat([False, True], [len(side) for side in told]),
        )
        scores = layout.centred(np.concatenate(failed))
        more, chance = bool(scores[layout.now].sum() > 0), Sides(layout).chance(scores)
    return Shares(
        failed_before=counts[0],
        runs_before=len(told[0]),
        failed_now=counts[1],
        runs_now=len(told[1]),
        more=more,
        chance=chance,
    )


def chance_of_pairs(failures: Iterable[Key], fixed: Iterable[Key], before: Runs) -> float:
    """That so many more draws of the real world newly fail than are fixed, by accident."""
    told = Counter[tuple[object, ...]]()
    for keys, sign in ((failures, 1), (fixed, -1)):
        for key in keys:
            if key.world != SIMULATED:
                told[draw_of(key, before[key])] += sign
    worse, better = (sum(each * sign > 0 for each in told.values()) for sign in (1, -1))
    return float(stats.binomtest(worse, worse + better).pvalue) if worse + better else 1.0


def corrected(shares: Shares, of_pairs: float) -> tuple[Shares, float]:
    """Where there may be both, each is corrected for the other."""
    looked_at = [shares.chance < 1, of_pairs < 1]
    if not all(looked_at):
        return shares, of_pairs
    told = stats.false_discovery_control([shares.chance, of_pairs])
    return msgspec.structs.replace(shares, chance=float(told[0])), float(told[1])
