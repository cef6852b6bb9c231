"""Cycles between a partition's present replicas and its new ones: no step of one can be done while all copies are kept.

From text 3.3.2.1: cyclic migrations are cancelled out, and the replicas concerned stay where they are."""

from __future__ import annotations

from shaketable.node.messages import Row


def without_cycles(current: Row, target: Row) -> Row:
    """The target, in which the members of each cycle keep their present indexes."""
    cycles = cycles_of(current, target)
    if not cycles:
        return target
    kept = list(target)
    for cycle in cycles:
        for index in cycle:
            kept[index] = current[index]
    return tuple(kept)


def cycles_of(current: Row, target: Row) -> list[list[int]]:
    """The indexes of each. A cycle is a set of indexes, filled in both rows, whose holders are only exchanged among
    themselves; a chain with an empty index or a newcomer at its end is none, for there one can begin."""
    goes_to = {member: index for index, member in enumerate(target) if member is not None}
    cycles = []
    seen = 0
    for start in range(min(len(current), len(target))):
        way: list[int] = []
        index = start
        while index < len(current) and not seen >> index & 1:
            seen |= 1 << index
            way.append(index)
            member = current[index]
            if member is None or member not in goes_to:
                break
            index = goes_to[member]
        else:
            if len(way) > 1 and index == start:
                cycles.append(way)
    return cycles
