"""Where nothing differs at all. Two runs of one fingerprint are the same, event by event: each measure of both is
equal, whether their histories are kept or not."""

from __future__ import annotations

from collections import Counter

from shaketable.harness.pipeline.comparing.columns import Runs, cell_of
from shaketable.harness.pipeline.comparing.facts import RunFacts

Scope = tuple[str, str | None]
"""A system as sentences call it, and a script; None: all scripts."""


def are_alike(before: RunFacts, now: RunFacts) -> bool:
    return before.history_hash == now.history_hash != ""


def all_alike(before: Runs, now: Runs) -> frozenset[Scope]:
    """All pairs there are alike, and at least half of the runs of one side are pairs: else the others decide. `now` by
    the keys of its pairs."""
    shared = {cell_of(key) for key in before} & {cell_of(key) for key in now}
    runs: tuple[Counter[Scope], ...] = Counter(), Counter()
    pairs, alike = Counter[Scope](), Counter[Scope]()
    for side, counted in zip((before, now), runs, strict=True):
        for key, run in side.items():
            if cell_of(key) not in shared:
                continue
            called = "" if run.system.is_ours else run.system.called
            scopes = (called, None), (called, key.script)
            counted.update(scopes)
            if side is before and key in now:
                pairs.update(scopes)
                alike.update(scopes if are_alike(run, now[key]) else ())
    return frozenset(
        scope
        for scope, many in pairs.items()
        if alike[scope] == many and 2 * many >= min(runs[0][scope], runs[1][scope])
    )
