"""Makes the best answer unique: of two that weigh the same, the one that keeps the oldest vertex in which they differ.

Vertices are numbered by age. The ages of all at once, as bits below the weight, would do it in one search, but weights
that all differ blunt the reductions and the bound: it takes many times as long. A search for each vertex takes two to
five times as long as one for the weight alone. So it goes by a few of the oldest at a time: a search settles these, who
stays of them takes its rivals out of the game, and the rest falls into smaller parts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from shaketable.node.cluster.cliques.graph import Graph, bits, part_of, parts
from shaketable.node.cluster.cliques.search import Answer, Meter, Search, best

AT_ONCE: Final = 8


def unique(rivals: Sequence[int], weights: Sequence[int], among: int, meter: Meter) -> Search:
    """The best answer among these that keeps the oldest."""
    chosen = 0
    todo = parts(rivals, among)
    while todo:
        some = todo.pop()
        if some.bit_count() == 1:
            chosen |= some
            continue
        part = part_of(rivals, some)
        oldest = list(itertools.islice(bits(part.everybody), AT_ONCE))
        aged = [weights[v] << AT_ONCE for v in part.old]
        for place, v in enumerate(oldest, 1):
            aged[v] |= 1 << AT_ONCE - place
        answer = yield best(Graph(part.rivals, aged, part.everybody), 0, meter)
        assert answer is not None, "one vertex alone weighs more than nothing"
        settled = sum(1 << part.old[v] for v in oldest)
        staying = part.in_whole(answer.chosen) & settled
        chosen |= staying
        for v in bits(staying):
            settled |= rivals[v]
        todo += parts(rivals, some & ~settled)
    return Answer(sum(weights[v] for v in bits(chosen)), chosen)
