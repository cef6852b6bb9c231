"""Finds the answer of the greatest weight: reduces, splits into parts, bounds, and tries a vertex out and in.

Each search is a generator that hands out smaller ones and is told their answers: the depth costs no stack, and between
any two of them the whole can pause for the node's other work."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, NamedTuple

from shaketable.node.cluster.cliques.bound import Bound
from shaketable.node.cluster.cliques.graph import Graph, Part, bits, part_of, parts
from shaketable.node.cluster.cliques.reduction import reduce, unavoidable


class Answer(NamedTuple):
    weight: int
    chosen: int


class Meter:
    """The work done so far, in looks at a vertex or so: the same on every machine."""

    def __init__(self) -> None:
        self.work = 0


Search = Generator["Search | None", Answer | None, Answer | None]
"""Hands out a smaller search, or nothing where it only pauses."""

AT_A_TIME: Final = 1000
"""after so much work of reducing it pauses: a millisecond or two"""


def best(graph: Graph, floor: int, meter: Meter) -> Search:
    """The best answer, if it weighs more than the floor. Uses the graph up."""
    meter.work += 1
    while graph.stale:
        meter.work += reduce(graph, AT_A_TIME)
        yield None
    pieces = parts(graph.rivals, graph.alive)
    bounds = []
    for piece in pieces:
        bound = Bound(graph, piece)
        bounds.append(bound.reckon(floor - graph.gain if len(pieces) == 1 else None))
        meter.work += bound.work
    weight, chosen = graph.gain + sum(bounds), 0
    for piece, most in zip(pieces, bounds, strict=True):
        if weight <= floor:
            return None
        found = yield _tried(graph, piece, floor - weight + most, meter)
        if found is None:
            return None
        weight += found.weight - most
        chosen |= found.chosen
    return Answer(weight, graph.answer(chosen)) if weight > floor else None


def _tried(graph: Graph, among: int, floor: int, meter: Meter) -> Search:
    """The best answer among these, if it weighs more than the floor, by deciding about one of them."""
    part = part_of(graph.rivals, among)
    weight = [graph.weight[v] for v in part.old]
    without = Graph(part.rivals[:], weight[:], part.everybody, reduced=True)
    v = _most_telling(part)
    needed = unavoidable(without, v)
    without.drop(1 << v)
    found = yield best(without, floor, meter)
    if needed:
        with_it = Graph(part.rivals, weight, part.everybody, reduced=True)
        with_it.take(needed)
        better = yield best(with_it, found.weight if found else floor, meter)
        found = better or found
    return found and Answer(found.weight, part.in_whole(found.chosen))


def _most_telling(part: Part) -> int:
    """The vertex that has most rivals. Rivals with at most three rivals count twice: these can be decided once it is
    out."""
    few = sum(1 << v for v in bits(part.everybody) if part.rivals[v].bit_count() <= 3)
    return max(bits(part.everybody), key=lambda v: part.rivals[v].bit_count() + (part.rivals[v] & few).bit_count())


class Run:
    """A search under way."""

    def __init__(self, search: Search) -> None:
        self._stack = [search]
        self.answer: Answer | None = None
        """once it is done"""

    @property
    def depth(self) -> int:
        return len(self._stack)

    def step(self) -> bool:
        """Goes on to the next smaller search, or back from it. False once all is done."""
        try:
            smaller = self._stack[-1].send(self.answer)
        except StopIteration as done:
            self._stack.pop()
            self.answer = done.value
        else:
            self.answer = None
            if smaller is not None:
                self._stack.append(smaller)
        return bool(self._stack)
