"""All the largest answers, for a user who asks why: then the rule shows as a choice among them.

Slow where there are many: each is found by asking, member by member, whether the size can still be reached."""

from __future__ import annotations

from typing import NamedTuple

from shaketable.node.cluster.cliques.graph import Graph, bits, lowest, part_of
from shaketable.node.cluster.cliques.question import Question
from shaketable.node.cluster.cliques.search import Meter, Run, best


class Listing(NamedTuple):
    answers: tuple[tuple[str, ...], ...]
    """who stays: the best answer first, if all are there; otherwise as they were found, who keeps the oldest first"""
    complete: bool


def largest(question: Question, most: int, budget: int) -> Listing:
    """At most so many of them, with about so much work."""
    found: list[int] = []
    try:
        complete = _find(question, most, budget, found)
    except _OutOfBudget:
        complete = False
    if complete:
        weights = question.weights()
        found.sort(key=lambda chosen: -sum(weights[v] for v in bits(chosen)))
    return Listing(tuple(question.names(question.staying(chosen)) for chosen in found), complete)


class _OutOfBudget(Exception):
    pass


def _find(question: Question, most: int, budget: int, found: list[int]) -> bool:
    """Whether these are all."""
    meter = Meter()

    def can_stay(among: int, floor: int) -> int:
        """How many of these, if more than the floor, otherwise 0."""
        part = part_of(question.rivals, among)
        run = Run(best(Graph(part.rivals, [1] * len(part.old), part.everybody), floor, meter))
        while run.step():
            if meter.work > budget:
                raise _OutOfBudget
        return run.answer.weight if run.answer else 0

    todo = [(question.open, 0, can_stay(question.open, 0))]
    while todo and len(found) < most:
        undecided, chosen, missing = todo.pop()
        if not missing:
            found.append(chosen)
            continue
        v = lowest(undecided)
        leaving, staying = undecided ^ 1 << v, undecided & ~question.rivals[v] & ~(1 << v)
        if can_stay(leaving, missing - 1) >= missing:
            todo.append((leaving, chosen, missing))
        if can_stay(staying, missing - 2) >= missing - 1:
            todo.append((staying, chosen | 1 << v, missing - 1))
    return not todo
