"""An upper bound for the weight of the best answer: how much can stay at the very most?

The vertices are dealt out to groups without a common vertex: where all are rivals of each other one can stay, of a ring
of five two, of a pair one. A vertex gives a group as much of its weight as the lightest in it has left, and the rest to
others. Pairs alone give half of all, and each odd group saves half a member more. Of 250 members with 750 random broken
pairs 99 can stay: pairs alone say 126 at first, with the odd groups it is 114, and each that is saved takes more than a
third off the time of the search."""

from __future__ import annotations

from shaketable.node.cluster.cliques.graph import Graph, bits, lowest


class Bound:
    def __init__(self, graph: Graph, part: int) -> None:
        self._rivals = graph.rivals
        self._left = graph.weight[:]
        """the weight of each that no group has"""
        self._rest = part
        """who has some left"""
        self.total = 0
        self.work = 0
        self._order = sorted(bits(part), key=lambda v: self._rivals[v].bit_count())
        """who has the fewest rivals first: it has the fewest groups to choose from"""

    def reckon(self, floor: int | None = None) -> int:
        """The bound; where it cannot come down to the floor, which is all that the search asks then, a worse one."""
        self._cliques()
        left = sum(self._left[v] for v in bits(self._rest))
        if floor is not None and 5 * (self.total - floor) + 2 * left > 0:
            return self.total + left
        self._rings()
        if floor is not None:
            left = sum(self._left[v] for v in bits(self._rest))
            if 2 * (self.total - floor) + left > 0:
                return self.total + left
        self._pairs()
        return self.total

    def _group(self, group: list[int], stay: int) -> int:
        """Of this group so many can stay. Returns who has given all its weight."""
        left = self._left
        share = min([left[v] for v in group])
        self.total += stay * share
        spent = 0
        for v in group:
            left[v] -= share
            if not left[v]:
                spent |= 1 << v
        self._rest &= ~spent
        return spent

    def _cliques(self) -> None:
        for v in self._order:
            while self._rest >> v & 1 and (group := self._clique(v)):
                self._group(group, 1)

    def _clique(self, v: int) -> list[int]:
        """v and at least two others, all rivals of each other."""
        rivals = self._rivals
        rest = rivals[v] & self._rest
        while rest:
            low = rest & -rest
            rest ^= low
            self.work += 1
            common = rivals[low.bit_length() - 1] & rest
            if common:
                group = [v, low.bit_length() - 1]
                while common:
                    group.append(lowest(common))
                    common &= rivals[group[-1]]
                return group
        return []

    def _rings(self) -> None:
        for v in self._order:
            while self._rest >> v & 1 and (group := self._ring(v)):
                self._group(group, 2)

    def _ring(self, v: int) -> list[int]:
        """v, two rivals of it, and one of each one's, which are rivals. There are no cliques of three any more."""
        rivals, rest = self._rivals, self._rest
        near = rivals[v] & rest
        around = 0
        for u in bits(near):
            around |= rivals[u]
        around &= rest & ~(1 << v)
        self.work += 1
        for x in bits(around):
            beyond = rivals[x] & around
            if beyond:
                y = lowest(beyond)
                return [v, lowest(rivals[x] & near), x, y, lowest(rivals[y] & near)]
        return []

    def _pairs(self) -> None:
        """A vertex that has only one partner left comes first, and takes that partner. All have their turn again until
        nobody has weight left: who is heavier than its partner may have some when its turn is over."""
        rivals, left = self._rivals, self._left
        single = [v for v in self._order if self._rest >> v & 1 and self._partners(v) < 2]
        while self._rest:
            for first in self._order:
                single.append(first)
                while single:
                    v = single.pop()
                    if not self._rest >> v & 1:
                        continue
                    self.work += 1
                    partners = rivals[v] & self._rest
                    if not partners:
                        self.total += left[v]
                        self._rest &= ~(1 << v)
                        continue
                    u = min(bits(partners), key=self._partners)
                    touched = 0
                    for spent in bits(self._group([v, u], 1)):
                        touched |= rivals[spent]
                    single.extend(t for t in bits(touched & self._rest) if self._partners(t) < 2)

    def _partners(self, v: int) -> int:
        return (self._rivals[v] & self._rest).bit_count()
