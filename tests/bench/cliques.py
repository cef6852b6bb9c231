"""How long the decision about a partial disconnection takes, beside networkx and igraph on the same broken pairs.

`python -m tests.bench.cliques` prints all of it; whoever is not installed is left out. Each may take as long as the
real system gives its own search, five seconds, counted in CPU time, and gets the members in question only. Nobody who
ran out of time is asked about more members of that family."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import math
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.bench.figure import Figure

from shaketable.node.cluster.cliques import WORK_PER_SECOND, Question, decide
from shaketable.node.cluster.cliques.graph import bits

LIMIT = 5
"""seconds, the default of the text's `...algorithm.timeout.seconds`"""

SEEDS = 5
SIZES = (20, 50, 100, 200, 300, 500)

Pairs = list[tuple[str, str]]
Family = Callable[[list[str], random.Random], Pairs]


def rack_cut(racks: int) -> Family:
    """Nobody in the first rack can talk to anybody in the second."""

    def broken(members: list[str], rng: random.Random) -> Pairs:
        rack = {name: rng.randrange(racks) for name in members[1:]}
        return [pair for pair in itertools.combinations(rack, 2) if {rack[pair[0]], rack[pair[1]]} == {0, 1}]

    return broken


def disjoint(members: list[str], rng: random.Random) -> Pairs:
    shuffled = rng.sample(members[1:], len(members) - 1)
    return list(zip(shuffled[::2], shuffled[1::2], strict=False))


def at_random(per_member: float) -> Family:
    def broken(members: list[str], rng: random.Random) -> Pairs:
        possible = list(itertools.combinations(members[1:], 2))
        return rng.sample(possible, min(len(possible), int(per_member * len(members))))

    return broken


def both(one: Family, other: Family) -> Family:
    return lambda members, rng: one(members, rng) + other(members, rng)


FAMILIES: dict[str, tuple[Family, float]] = {
    "two racks, cut": (rack_cut(2), 0.05),
    "three racks, two of them cut": (rack_cut(3), 0.05),
    "five racks, two of them cut": (rack_cut(5), 0.05),
    "disjoint pairs, all members": (disjoint, 0.05),
    "half as many random pairs as members": (at_random(0.5), 0.05),
    "as many random pairs as members": (at_random(1), 0.05),
    "twice as many random pairs": (at_random(2), LIMIT),
    "three times as many random pairs": (at_random(3), LIMIT),
    "rack cut of three, a quarter as many random pairs": (both(rack_cut(3), at_random(0.25)), LIMIT),
    "rack cut of three, as many random pairs": (both(rack_cut(3), at_random(1)), LIMIT),
}
"""with the longest that a decision should take, in seconds"""


# Who decides: each gets ready outside the clock, and then says how many can stay of those in question


Decide = Callable[[], int]


def ours(members: list[str], broken: Pairs) -> Decide:
    """From the names on, as the protocol asks it; the others have their graphs made for them."""

    always = certain(Question(members, broken))

    def answer() -> int:
        decision = decide(members, broken, budget=LIMIT * WORK_PER_SECOND)
        return len(decision.stay) - always if decision else 0

    return answer


def networkx_weighted(members: list[str], broken: Pairs) -> Decide:
    """The only one that takes weights, so that it follows the whole rule: age is in them."""
    networkx: Any = importlib.import_module("networkx")
    question = Question(members, broken)
    weights = question.weights()
    graph = networkx.Graph()
    for place in bits(question.open):
        graph.add_node(place, weight=weights[place] << len(members) | 1 << len(members) - place)
    graph.add_edges_from(connected(question))
    return lambda: len(networkx.max_weight_clique(graph)[0])


def networkx_enumerated(members: list[str], broken: Pairs) -> Decide:
    networkx: Any = importlib.import_module("networkx")
    question = Question(members, broken)
    graph = networkx.Graph()
    graph.add_nodes_from(bits(question.open))
    graph.add_edges_from(connected(question))
    return lambda: max(map(len, networkx.find_cliques(graph)), default=0)


def igraph_largest(members: list[str], broken: Pairs) -> Decide:
    igraph: Any = importlib.import_module("igraph")
    question = Question(members, broken)
    graph = igraph.Graph(n=len(members), edges=connected(question)).subgraph(list(bits(question.open)))
    return lambda: len(graph.largest_cliques()[0])


def igraph_independent(members: list[str], broken: Pairs) -> Decide:
    """On the broken pairs themselves, as ours."""
    igraph: Any = importlib.import_module("igraph")
    question = Question(members, broken)
    pairs = [(a, b) for a in bits(question.open) for b in bits(question.rivals[a]) if a < b]
    graph = igraph.Graph(n=len(members), edges=pairs).subgraph(list(bits(question.open)))
    return lambda: len(graph.largest_independent_vertex_sets()[0])


DECIDERS: dict[str, tuple[str, Callable[[list[str], Pairs], Decide]]] = {
    "ours": ("shaketable", ours),
    "networkx max_weight_clique": ("networkx", networkx_weighted),
    "networkx find_cliques": ("networkx", networkx_enumerated),
    "igraph largest_cliques": ("igraph", igraph_largest),
    "igraph largest_independent_vertex_sets": ("igraph", igraph_independent),
}
"""with the package that each needs"""


def certain(question: Question) -> int:
    return question.staying(0).bit_count()


def connected(question: Question) -> list[tuple[int, int]]:
    pairs = itertools.combinations(bits(question.open), 2)
    return [(a, b) for a, b in pairs if not question.rivals[a] >> b & 1]


# Measuring: each decider in a process of its own, which the system ends when it has used up its time


def decide_each(decider: str, family: str, size: int) -> None:
    """Prints the milliseconds and the answer of one seed after the other.

    In the thread's time: once there is a limit, Linux tells the process's to the clock tick only."""
    members = [f"n{i}" for i in range(1, size + 1)]
    cases = [FAMILIES[family][0](members, random.Random(f"{family} {size} {seed}")) for seed in range(SEEDS)]
    for broken in cases:
        answer = DECIDERS[decider][1](members, broken)
        begun = time.thread_time()
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(begun) + LIMIT, resource.RLIM_INFINITY))
        stay = answer()
        sys.stdout.write(f"{(time.thread_time() - begun) * 1000} {stay}\n")
        sys.stdout.flush()


@dataclass(frozen=True, slots=True)
class Times:
    milliseconds: tuple[float, ...]
    sizes: tuple[int, ...]
    """of the answers, 0 where the budget ran out"""

    @property
    def out(self) -> int:
        """How often it ran out of time; who was ended by the system is not asked about the remaining seeds."""
        return SEEDS - len(self.sizes) + self.sizes.count(0)

    def __str__(self) -> str:
        found = [ms for ms, size in zip(self.milliseconds, self.sizes, strict=True) if size]
        if not found:
            return "out of time"
        times = f"{statistics.median(found):.3g} ({max(found):.3g}) ms"
        return f"{times}, {SEEDS - len(found)} of {SEEDS} out of time" if self.out else times


def times(decider: str, family: str, size: int) -> Times:
    command = [sys.executable, "-m", "tests.bench.cliques", decider, family, str(size)]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return Times(tuple(float(line.split()[0]) for line in lines), tuple(int(line.split()[1]) for line in lines))


def figures() -> Iterator[Figure]:
    """Ours, at the largest size of each family: the worst of some seeds, with its aim. Out of time is no figure."""
    for family, (_, aim) in FAMILIES.items():
        measured = times("ours", family, SIZES[-1])
        worst = math.inf if measured.out else max(measured.milliseconds)
        what = f"clique decision, {SIZES[-1]} members, {family}"
        yield Figure(what, worst, "ms", at_most=aim * 1000, spread=str(measured))


def main() -> None:
    deciders = [name for name, (package, _) in DECIDERS.items() if importlib.util.find_spec(package)]
    for family in FAMILIES:
        sys.stdout.write(f"{family}\n")
        tired: list[str] = []
        for size in SIZES:
            found: dict[str, Times] = {}
            for decider in deciders:
                if decider not in tired:
                    found[decider] = times(decider, family, size)
                    if found[decider].out:
                        tired.append(decider)
            for seed, answers in enumerate(zip(*(measured.sizes for measured in found.values()), strict=False)):
                assert len({*answers} - {0}) <= 1, f"{family}, {size} members, seed {seed}: {answers}"
            for decider, measured in found.items():
                sys.stdout.write(f"  {size:4} members  {decider:40} {measured}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) == 4:
        decide_each(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        main()
