"""Which members stay when some cannot talk to each other: the largest fully connected list.

From text 2.5. The first member is the master and always stays; a problem in one direction counts in both; the fewest
members leave. Of equally small sacrifices that one is made which keeps more data members, then more partition replicas,
then the oldest member in which two answers differ. So the answer is unique: every master computes the same, and the
order in which the reports came in does not matter.

The text's own algorithm, Bron and Kerbosch's, lists every maximal clique of who can talk to whom, and where twenty-five
broken pairs share no member there are 2^25 of them. But few pairs are broken among many members, so here the broken
pairs are the graph: whom to leave out so that none is left is a vertex cover of least weight. Rules that look at a few
members at a time decide most of it (reduction.py), the rest is searched below a bound (search.py, bound.py), a few ages
at a time (age.py). That has its limit too: three times as many random broken pairs as members are not decided in the
usual time, five seconds, beyond 200 to 250 members; then nobody leaves, and the master says so.

networkx and igraph answer the same for graphs of any kind, and make nothing of this: from a hundred or two hundred
members on they no longer come to an end on broken pairs, while this takes milliseconds. Only bare rack cuts are quicker
with igraph, which knows no rule for ties (tests/bench/cliques.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.node.cluster.cliques.age import unique
from shaketable.node.cluster.cliques.question import Question, Unclear
from shaketable.node.cluster.cliques.search import Meter, Run

__all__ = ["WORK_PER_SECOND", "Decision", "Question", "Resolution", "Unclear", "decide"]

WORK_PER_SECOND: Final = 1_000_000
"""About so much is done in a second. A constant: a decision must not depend on the machine that takes it."""


@dataclass(frozen=True, slots=True)
class Decision:
    stay: tuple[str, ...]
    """in the order of the list, the master first"""
    leave: tuple[str, ...]
    work: int


class Resolution:
    """A decision under way. `step` goes on with it, so that a node can see to its heartbeats in between.

    Once it is done there is a decision; if there is none, the budget has run out and nobody leaves. The answer depends
    on the question and the budget alone, not on how the work was cut into steps."""

    def __init__(self, question: Question, budget: int | None = None) -> None:
        self._question = question
        self._budget = budget
        self._meter = Meter()
        self._run = Run(unique(question.rivals, question.weights(), question.open, self._meter))
        self.done = False
        self.decision: Decision | None = None

    @property
    def work(self) -> int:
        return self._meter.work

    def step(self, work: int) -> bool:
        """Does about so much of it. False once there is nothing left to do."""
        until = self._meter.work + work
        while not self.done and self._meter.work < until:
            if not self._run.step():
                self.done = True
                self.decision = self._decided()
            elif self._budget is not None and self._meter.work > self._budget:
                self.done = True
        return not self.done

    def _decided(self) -> Decision:
        assert self._run.answer is not None, "to leave out everybody in question is an answer too"
        stay = self._question.staying(self._run.answer.chosen)
        return Decision(self._question.names(stay), self._question.names(~stay), self.work)


def decide(
    members: Sequence[str],
    broken: Iterable[tuple[str, str]],
    *,
    lite: Iterable[str] = (),
    replicas: Mapping[str, int] | None = None,
    budget: int | None = None,
) -> Decision | None:
    """The decision in one go; None if the budget is not enough."""
    resolution = Resolution(Question(members, broken, lite, replicas), budget)
    while resolution.step(WORK_PER_SECOND):
        pass
    return resolution.decision
