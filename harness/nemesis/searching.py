"""The step of a search: of a corpus one run is chosen, and its plan changed, with what its neighbours have done."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, NamedTuple

from shaketable.harness.nemesis.corpus import Corpus, Found
from shaketable.harness.nemesis.mutating import mutated
from shaketable.harness.nemesis.plan import Plan
from shaketable.node.config import Settings

NEIGHBOURS: Final = 12
"""plans of the same script and variant from which deeds may be taken over"""


class Next(NamedTuple):
    after: Found
    """whose plan was changed"""
    plan: Plan


def next_of(
    corpus: Corpus,
    seed: str,
    turn: int,
    plan_of: Callable[[Found], Plan | None],
    settings_of: Callable[[Found], Settings],
) -> Next | None:
    """None: there is nothing to go on from yet. The same corpus, seed and turn of the sweep give the same plan."""
    after = corpus.chosen(random.Random(f"{seed}/searching"))
    plan = plan_of(after) if after is not None else None
    if after is None or plan is None:
        return None
    others = [other for run in corpus.near(after, NEIGHBOURS) if (other := plan_of(run)) is not None]
    return Next(after, mutated(plan, others, settings_of(after), seed, turn))
