"""Decides all that can be decided without trying: rules that keep the weight of the best answer, each with its proof.

They hold for any positive weights, so for ours, which put size, data members, replicas and age into one number. For an
answer I and a mask S, w(S) is the weight of S; a best answer is one of the greatest weight."""

from __future__ import annotations

from shaketable.node.cluster.cliques.graph import Graph, bits, lowest


def reduce(graph: Graph, most: int) -> int:
    """Applies the rules to whatever has changed, for about so much work. Returns how much it was."""
    work = 0
    while graph.stale and work < most:
        v = lowest(graph.stale)
        graph.stale &= graph.stale - 1
        work += 1 + graph.rivals[v].bit_count()
        if _has_twin(graph, v) or _among_rivals_of_each_other(graph, v) or _outweighs_rivals(graph, v):
            continue
        if graph.rivals[v].bit_count() == 2 and _outweighs_one_of_two(graph, v):
            continue
        if not unavoidable(graph, v):
            graph.drop(1 << v)
    return work


def _among_rivals_of_each_other(graph: Graph, v: int) -> bool:
    """All rivals of v are rivals of each other, so at most one of the whole group is in I.

    A rival that weighs no more than v can be exchanged for v: dropped. One of the others may be worth more than v, by
    the difference of their weights: v's own weight is gained in any case, and v is in I if none of them is."""
    near = graph.rivals[v]
    if not _all_rivals(graph, near):
        return False
    own = graph.weight[v]
    heavier = 0
    for u in bits(near):
        if graph.weight[u] > own:
            heavier |= 1 << u
    if not heavier:
        graph.take(1 << v)
        return True
    graph.drop(1 << v | near & ~heavier)
    graph.gain += own
    for u in bits(heavier):
        graph.weight[u] -= own
    graph.undone_by(heavier, 0, 1 << v)
    return True


def _all_rivals(graph: Graph, mask: int) -> bool:
    rest = mask
    while rest:
        low = rest & -rest
        rest ^= low
        if rest & ~graph.rivals[low.bit_length() - 1]:
            return False
    return True


def _outweighs_rivals(graph: Graph, v: int) -> bool:
    """v weighs as much as all its rivals: taken, for what I has of them can be exchanged for v.

    Or as much as all but the lightest, and no two of them are rivals: then I has all of them or, what is as good, v. So
    v and they become one vertex, which is in I if they are all in it, and v's own weight is gained in any case."""
    near, own = graph.rivals[v], graph.weight[v]
    rest, total, least = near, 0, own + 1  # a rival that outweighs v is no lightest one, and ends this at once
    while rest:
        low = rest & -rest
        rest ^= low
        weight = graph.weight[low.bit_length() - 1]
        total += weight
        if weight < least:
            least = weight
        if total - least > own:
            return False
    if own >= total:
        graph.take(1 << v)
        return True
    around = 0
    for u in bits(near):
        around |= graph.rivals[u]
    if around & near:
        return False
    graph.drop(near)
    around &= ~(1 << v)
    graph.rivals[v] = around
    for u in bits(around):
        graph.rivals[u] |= 1 << v
    graph.weight[v] = total - own
    graph.gain += own
    graph.undone_by(1 << v, 1 << v | near, 1 << v)
    return True


def _outweighs_one_of_two(graph: Graph, v: int) -> bool:
    """v has two rivals, not rivals of each other (the rules before this one have seen to that), and weighs as much as
    the lighter one, but less than the other.

    I has v, the heavier one or both of them, for the lighter one alone can be exchanged for v. So v's own weight is
    gained in any case, the heavier one is worth the rest of its own, and the lighter one can be had on top of it only:
    it becomes a rival of all the heavier one's rivals too. (In a best answer it then is on top of it, for whatever
    keeps the heavier one out keeps the lighter one out as well.) v is in I if the heavier one is not."""
    rivals, weight, own = graph.rivals, graph.weight, graph.weight[v]
    lighter, heavier = sorted(bits(rivals[v]), key=weight.__getitem__)
    if weight[lighter] > own:
        return False
    graph.drop(1 << v)
    graph.gain += own
    weight[heavier] -= own
    more = rivals[heavier] & ~rivals[lighter]
    rivals[lighter] |= more
    for u in bits(more):
        rivals[u] |= 1 << lighter
    graph.stale |= more | 1 << lighter | 1 << heavier
    graph.undone_by(1 << heavier, 0, 1 << v)
    return True


def _has_twin(graph: Graph, v: int) -> bool:
    """Others with the same rivals as v are in I with v or out with it: they become one vertex."""
    rivals, near = graph.rivals, graph.rivals[v]
    twins, rest = 0, rivals[lowest(near)] & ~(1 << v) if near else 0
    while rest:
        low = rest & -rest
        rest ^= low
        if rivals[low.bit_length() - 1] == near:
            twins |= low
    if not twins:
        return False
    graph.weight[v] += graph.heaviness(twins)
    graph.drop(twins)
    graph.stale |= 1 << v
    graph.undone_by(1 << v, twins, 0)
    return True


def unavoidable(graph: Graph, v: int) -> int:
    """The vertices that are in every best answer, if v is in every one. If v is not, there are none.

    Suppose that all best answers have v, and that they all have a set S. At first S is v alone. Take a rival u of S
    that weighs no less than the rivals that it has in S. If u had no other rivals in I, then exchanging those in S for
    u would make a best answer that lacks some of S. So u has a rival in I that is outside S and is not a rival of S. If
    no vertex can be that rival, then there is a best answer without v after all. If only one vertex can, then it is in
    all best answers and joins S."""
    rivals, weight = graph.rivals, graph.weight
    inside = 1 << v
    closed = inside | rivals[v]
    todo = rivals[v]
    while todo:
        low = todo & -todo
        todo ^= low
        u = low.bit_length() - 1
        others = rivals[u] & ~closed
        if others & (others - 1):
            continue  # two others or more
        own = weight[u]
        near = rivals[u] & inside
        while near:
            low = near & -near
            near ^= low
            own -= weight[low.bit_length() - 1]
        if own < 0:
            continue
        if not others:
            return 0
        inside |= others
        closed |= others | rivals[others.bit_length() - 1]
        todo = closed & ~inside
    return inside
