"""The members that cannot stay with each other, as bit sets, and what has been decided about them so far.

A vertex is a member. Its rivals are the members with which it has a broken pair. An answer is a set of vertices in
which no two are rivals. It is kept as a mask: bit v is vertex v. Nothing here knows the rule by which one answer is the
best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


def bits(mask: int) -> Iterator[int]:
    """The vertices of a mask, in ascending order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


class Step(NamedTuple):
    """How an answer for what is left becomes one for what was there before: whose bits change, if `seen` is met."""

    seen: int
    met: int
    unmet: int
    before: Step | None


class Graph:
    """Vertices leave it, taken into the answer or dropped from it, until none is left.

    Its weights are positive. `gain` is the weight that the answer has already, besides that of the vertices that are
    still here."""

    __slots__ = ("alive", "gain", "rivals", "stale", "steps", "taken", "weight")

    def __init__(self, rivals: list[int], weight: list[int], alive: int, *, reduced: bool = False) -> None:
        self.rivals = rivals
        self.weight = weight
        self.alive = alive
        self.stale = 0 if reduced else alive
        """whose surroundings have changed since the reductions looked at them"""
        self.gain = 0
        self.taken = 0
        self.steps: Step | None = None

    def take(self, chosen: int) -> None:
        """These, no two of them rivals, are in the answer: their rivals are not."""
        weight = self.weight
        gone = chosen
        for v in bits(chosen):
            gone |= self.rivals[v]
            self.gain += weight[v]
        self.taken |= chosen
        self.drop(gone)

    def drop(self, gone: int) -> None:
        """These are out of the game."""
        rivals = self.rivals
        touched = 0
        for v in bits(gone):
            touched |= rivals[v]
        touched &= ~gone
        for v in bits(touched):
            rivals[v] &= ~gone
        self.alive &= ~gone
        self.stale = (self.stale | touched) & ~gone

    def undone_by(self, seen: int, met: int, unmet: int) -> None:
        self.steps = Step(seen, met, unmet, self.steps)

    def answer(self, chosen: int) -> int:
        """The answer for the graph as it was at first, from one for what is left of it."""
        chosen |= self.taken
        step = self.steps
        while step is not None:
            chosen ^= step.met if chosen & step.seen else step.unmet
            step = step.before
        return chosen

    def heaviness(self, mask: int) -> int:
        return sum(self.weight[v] for v in bits(mask))


def parts(rivals: Sequence[int], among: int) -> list[int]:
    """The connected parts, the smallest first: what is decided in one of them has no bearing on the others."""
    found = []
    while among:
        part = edge = among & -among
        while edge:
            low = edge & -edge
            new = rivals[low.bit_length() - 1] & among & ~part
            part |= new
            edge = edge ^ low | new
        found.append(part)
        among ^= part
    return sorted(found, key=int.bit_count)


class Part(NamedTuple):
    """Some of the vertices with their rivals among themselves."""

    rivals: list[int]
    old: Sequence[int]
    """their numbers in the whole"""
    everybody: int

    def in_whole(self, chosen: int) -> int:
        return sum(1 << self.old[v] for v in bits(chosen))


def part_of(rivals: Sequence[int], among: int) -> Part:
    """Numbered anew in the old order if that makes the masks much shorter, for they are what costs time."""
    if 2 * among.bit_count() > len(rivals):
        return Part([near & among for near in rivals], range(len(rivals)), among)
    old = list(bits(among))
    new = {v: 1 << i for i, v in enumerate(old)}
    return Part([sum([new[u] for u in bits(rivals[v] & among)]) for v in old], old, (1 << len(old)) - 1)
