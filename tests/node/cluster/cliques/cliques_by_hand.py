"""Cases of partial disconnection, and two ways to decide them that are too simple to be wrong: all subsets of a small
member list, and Bron and Kerbosch's cliques of a larger one. They share no code with the decision."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Pair = tuple[str, str]
Rank = tuple[int, int, int, list[int]]


@dataclass(frozen=True)
class Case:
    members: list[str]
    broken: list[Pair]
    lite: list[str] = field(default_factory=list)
    replicas: dict[str, int] = field(default_factory=dict)

    def rank(self, stay: Sequence[str]) -> Rank:
        """The rule, written down once more: the greatest is the best."""
        data = sum(name not in self.lite for name in stay)
        replicas = sum(self.replicas.get(name, 0) for name in stay)
        return len(stay), data, replicas, [-place for place in sorted(self.members.index(name) for name in stay)]

    def connected(self) -> list[list[bool]]:
        broken = {frozenset(pair) for pair in self.broken}
        return [
            [one != other and frozenset((one, other)) not in broken for other in self.members] for one in self.members
        ]


def names(count: int) -> list[str]:
    return [f"n{i}" for i in range(1, count + 1)]


def case_by_chance(rng: random.Random, count: int, pairs: int, *, master: bool = False) -> Case:
    """Pairs in any order and direction, some of them twice; half of the cases with lite members, half with replicas."""
    members = names(count)
    possible = list(itertools.combinations(members if master else members[1:], 2))
    broken = rng.sample(possible, min(pairs, len(possible)))
    broken += [pair for pair in broken if rng.random() < 0.1]
    broken = [pair if rng.random() < 0.5 else pair[::-1] for pair in broken]
    rng.shuffle(broken)
    lite = [name for name in members if rng.random() < 0.3] if rng.random() < 0.5 else []
    most = rng.choice([0, 0, 1, 3, 100])
    replicas = {name: rng.randint(0, most) for name in members if name not in lite} if most else {}
    return Case(members, broken, lite, replicas)


def racks_by_chance(rng: random.Random, count: int, racks: int, pairs: int) -> Case:
    """Two of the racks cannot talk to each other, and besides these pairs of members."""
    case = case_by_chance(rng, count, pairs)
    rack = {name: rng.randrange(racks) for name in case.members[1:]}
    cut = [pair for pair in itertools.combinations(rack, 2) if {rack[pair[0]], rack[pair[1]]} == {0, 1}]
    return Case(case.members, case.broken + cut, case.lite, case.replicas)


def by_all_subsets(case: Case) -> list[list[str]]:
    """The largest answers, the best first."""
    connected = case.connected()
    masks = [1]
    for place, near in enumerate(connected[1:], 1):
        broken = sum(1 << other for other in range(place) if not near[other])
        masks += [mask | 1 << place for mask in masks if not mask & broken]
    size = max(map(int.bit_count, masks))
    largest = [mask for mask in masks if mask.bit_count() == size]
    stay = [[name for place, name in enumerate(case.members) if mask >> place & 1] for mask in largest]
    return sorted(stay, key=case.rank, reverse=True)


def by_bron_and_kerbosch(case: Case) -> list[str]:
    """The text's algorithm, without a pivot, and then the rule."""
    connected = case.connected()

    def cliques(clique: list[int], possible: list[int], seen: list[int]) -> Iterator[list[int]]:
        if not possible and not seen:
            yield clique
        while possible:
            place, *rest = possible
            near = connected[place]
            yield from cliques([*clique, place], [p for p in rest if near[p]], [p for p in seen if near[p]])
            possible, seen = rest, [*seen, place]

    with_master = [place for place in range(len(case.members)) if connected[0][place]]
    found = ([case.members[place] for place in clique] for clique in cliques([0], with_master, []))
    return max(found, key=case.rank)
