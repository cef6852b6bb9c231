"""How long the decision about a partial disconnection takes, beside networkx and igraph on the same broken pairs.

Each may take as long as the real system gives its own search, five seconds, counted in CPU time, and gets the members
in"""

from __future__ import annotations

import importlib
import itertools
import math
import random
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.bench.figure import number

from shaketable.node.cluster.cliques import WORK_PER_SECOND, Question, decide
from shaketable.node.cluster.cliques.graph import bits

LIMIT = 5
"""seconds, the default of the text's `...algorithm.timeout.seconds`"""

SEEDS = 3
SIZES: Final = (20, 50, 100, 200, 300, 500)

Pairs = list[tuple[str, str]]
Family = Callable[[list[str], random.Random], Pairs]


def rack_cut(racks: int) -> Family:
    """Nobody in the first rack can talk to anybody in the second."""

    def broken(members: list[str], rng: random.Random) -> Pairs:
        rack = {name: rng.randrange(racks) for name in members[1:]}
        return [pair for pair in itertools.combinations(rack, 2) if {rack[pair[0]], rack[pair[1]]} == {0, 1}]

    return broken


def disjoint(per_member: float) -> Family:
    def broken(members: list[str], rng: random.Random) -> Pairs:
        shuffled = rng.sample(members[1:], len(members) - 1)
        return list(zip(shuffled[::2], shuffled[1::2], strict=False))[: int(per_member * len(members))]

    return broken


def at_random(per_member: float) -> Family:
    def broken(members: list[str], rng: random.Random) -> Pairs:
        possible = list(itertools.combinations(members[1:], 2))
        return rng.sample(possible, min(len(possible), int(per_member * len(members))))

    return broken


def both(one: Family, other: Family) -> Family:
    return lambda members, rng: one(members, rng) + other(members, rng)


BARE_CUTS: Final[Mapping[str, tuple[Family, float]]] = {
    "two racks, cut": (rack_cut(2), 0.05),
    "three racks, two of them cut": (rack_cut(3), 0.05),
    "five racks, two of them cut": (rack_cut(5), 0.05),
}
FAMILIES: Final[Mapping[str, tuple[Family, float]]] = {
    **BARE_CUTS,
    "disjoint pairs, half of the members": (disjoint(1 / 4), 0.05),
    "half as many random pairs as members": (at_random(0.5), 0.05),
    "as many random pairs as members": (at_random(1), 0.05),
    "twice as many random pairs": (at_random(2), LIMIT),
    "three times as many random pairs": (at_random(3), LIMIT),
    "a cut of three racks, and 1/4 as many random pairs": (both(rack_cut(3), at_random(0.25)), LIMIT),
    "a cut of three racks, and as many random pairs": (both(rack_cut(3), at_random(1)), LIMIT),
}
"""with the longest that a decision should take, in seconds"""


# Deciders: each gets ready outside the clock, and then says how many can stay of those in question


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


Decider = Callable[[list[str], Pairs], Decide]

OURS: Final = "shaketable"
FOR_BARE_CUTS: Final[Mapping[str, Decider]] = {
    OURS: ours,
    "networkx": networkx_enumerated,
    "igraph": igraph_independent,
}
FOR_THE_REST: Final[Mapping[str, Decider]] = {
    OURS: ours,
    "networkx": networkx_weighted,
    "igraph": igraph_largest,
}
WHO: Final = tuple(FOR_BARE_CUTS)


def decider_of(who: str, family: str) -> Decider:
    return (FOR_BARE_CUTS if family in BARE_CUTS else FOR_THE_REST)[who]


def certain(question: Question) -> int:
    return question.staying(0).bit_count()


def connected(question: Question) -> list[tuple[int, int]]:
    pairs = itertools.combinations(bits(question.open), 2)
    return [(a, b) for a, b in pairs if not question.rivals[a] >> b & 1]


# Measuring: each decider in a process of its own, which the system ends when it has used up its time


def decide_each(who: str, family: str) -> None:
    """Prints the members, the milliseconds and the answer of one case after the other, 0 where the budget ran out.

    In the thread's time: once there is a limit, Linux tells the process's to the clock tick only."""
    for size in SIZES:
        members = [f"n{i}" for i in range(1, size + 1)]
        out = False
        for seed in range(SEEDS):
            broken = FAMILIES[family][0](members, random.Random(f"{family} {size} {seed}"))
            answer = decider_of(who, family)(members, broken)
            begun = time.thread_time()
            used = time.process_time()
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used) + LIMIT, resource.RLIM_INFINITY))
            stay = answer()
            sys.stdout.write(f"{size} {(time.thread_time() - begun) * 1000} {stay}\n")
            sys.stdout.flush()
            resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            out |= not stay
        if out:
            return


@dataclass(frozen=True, slots=True)
class Times:
    """Of one decider, for one family and size."""

    milliseconds: tuple[float, ...]
    answers: tuple[int, ...]
    """how many of those in question can stay, 0 where the budget ran out"""

    @property
    def found(self) -> list[float]:
        return [ms for ms, answer in zip(self.milliseconds, self.answers, strict=True) if answer]

    @property
    def out(self) -> int:
        """How often it ran out of time; one that was ended by the system is not asked about the remaining seeds."""
        return SEEDS - len(self.found)

    def __str__(self) -> str:
        if not self.found:
            return "out"
        shown = f"{number(statistics.median(self.found))} ({number(max(self.found))})"
        return f"{shown}, {self.out} of {SEEDS} out" if self.out else shown


def times(who: str, family: str) -> dict[int, Times]:
    """By the number of members, as far as it came. A process that is ended has said nothing about the one it was at."""
    command = [sys.executable, "-m", "tests.bench.cliques", who, family]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, -signal.SIGXCPU):
        raise RuntimeError(f"{who}, {family}: exit code {done.returncode}\n{done.stderr}")
    lines = [line.split() for line in done.stdout.splitlines()]
    found: dict[int, Times] = {}
    for size in SIZES:
        own = [line for line in lines if int(line[0]) == size]
        found[size] = Times(tuple(float(line[1]) for line in own), tuple(int(line[2]) for line in own))
        if found[size].out:
            break
    return found


EXPLAINED: Final = f"""\
Milliseconds, the median of {SEEDS} seeds and (the worst). "out": not done after {LIMIT} s, and not asked about more
members. The aim is for our worst. networkx is asked by find_cliques about bare rack cuts and by max_weight_clique about
all else, igraph by largest_independent_vertex_sets and largest_cliques; only networkx's weighted one knows the rule for
ties."""


@dataclass(frozen=True, slots=True)
class Row:
    family: str
    size: int
    aim: float
    """milliseconds"""
    times: Mapping[str, Times]
    """of whom was asked"""

    @property
    def reached(self) -> bool:
        own = self.times.get(OURS)
        return own is not None and not own.out and max(own.found) <= self.aim

    @property
    def cells(self) -> Sequence[str]:
        """Nobody is asked who was out with fewer members."""
        return [str(self.times[who]) if who in self.times else "" for who in WHO]


def rows() -> Iterator[Row]:
    for family, (_, aim) in FAMILIES.items():
        measured = {who: times(who, family) for who in WHO}
        for size in SIZES:
            asked = {who: found[size] for who, found in measured.items() if size in found}
            for seed in range(SEEDS):
                answers = {one.answers[seed] for one in asked.values() if seed < len(one.answers)} - {0}
                assert len(answers) <= 1, f"{family}, {size} members, seed {seed}: {answers}"
            yield Row(family, size, aim * 1000, asked)


if __name__ == "__main__":
    decide_each(sys.argv[1], sys.argv[2])
