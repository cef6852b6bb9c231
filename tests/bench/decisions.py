"""How long it takes to decide who stays and who is to hold what, ours and the real Hazelcast's own classes.

Both get the same questions, and nothing else runs. A JVM is slow at first: "cold" is its first answer."""

from __future__ import annotations

import itertools
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.bench import cliques
from tests.bench.figure import Figure, median_of, number

from shaketable.harness.systems.hazelcast.system import jars
from shaketable.harness.systems.java import home_of_java
from shaketable.node.cluster.partition.planner import plan, prioritised
from shaketable.node.cluster.partition.repartitioning import repartitioned

ROUNDS: Final = 3
"""questions about who stays, and JVMs for the others"""
WARM: Final = 20
"""more rounds in each of these"""
PAIRS: Final = "as many random pairs as members"
MEMBERS: Final = 10
PARTITIONS: Final = 10_000
SOURCE: Final = Path(__file__).parent / "Decisions.java"
MAIN: Final = "com.hazelcast.internal.partition.impl.Decisions"
OUT: Final = "gave up"


def figures(version: str) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        classes = os.pathsep.join([jars(version).classpath(), folder])
        java = Path(home_of_java()) / "bin"
        subprocess.run([java / "javac", "-d", folder, "-cp", classes, SOURCE], check=True)
        command = [str(java / "java"), "-cp", classes, MAIN]
        for count in (50, 100):
            yield _stays(count, command)
        yield from _holds(command)


def _stays(count: int, command: Sequence[str]) -> Figure:
    members = [f"n{i}" for i in range(1, count + 1)]
    ours, questions = [], []
    for seed in range(ROUNDS):
        broken = cliques.FAMILIES[PAIRS][0](members, random.Random(f"{PAIRS} {count} {seed}"))
        ours.append(_milliseconds(cliques.ours(members, broken)))
        pairs = (f"{members.index(a)}-{members.index(b)}" for a, b in broken)
        questions.append(f"stay {count} {' '.join(pairs)}")
    theirs = [float(answer) for answer in _answers(command, questions) if answer != OUT]
    what = f"who stays: {count} members, {PAIRS}"
    return median_of(what, ours, "ms", hazelcast=_shown(theirs) if theirs else f"not in {cliques.LIMIT} s, its limit")


def _holds(command: Sequence[str]) -> Iterator[Figure]:
    names = [f"n{i}" for i in range(1, MEMBERS + 2)]
    current = repartitioned([()] * PARTITIONS, names[:-1])
    target = repartitioned(current, names)
    migrations = sum(len(plan(row, wanted)) for row, wanted in zip(current, target, strict=True))

    def planned() -> None:
        for row, wanted in zip(current, target, strict=True):
            prioritised(plan(row, wanted))

    questions = [f"join {MEMBERS} {PARTITIONS}"] * (1 + WARM)
    theirs = [[tuple(map(float, answer.split())) for answer in _answers(command, questions)] for _ in range(ROUNDS)]
    held = f"another member joins {MEMBERS}: who holds each of {number(PARTITIONS)} partitions"
    follows = f"the plan for it, of {number(migrations)} migrations"
    ours: Sequence[tuple[str, Callable[[], object]]]
    ours = ((held, lambda: repartitioned(current, names)), (follows, planned))
    for place, (what, decide) in enumerate(ours):
        cold = [rounds[0][place] for rounds in theirs]
        warm = [answer[place] for rounds in theirs for answer in rounds[1:]]
        yield median_of(
            what, [_milliseconds(decide) for _ in range(ROUNDS)], "ms",
            hazelcast=f"cold {_shown(cold)}, warm {_shown(warm)}",
        )  # fmt: skip
    counts = {answer[-1] for answer in itertools.chain.from_iterable(theirs)}
    assert counts == {migrations}, f"another plan than ours, of {counts} migrations"


def _answers(command: Sequence[str], questions: Sequence[str]) -> Sequence[str]:
    done = subprocess.run(command, input="\n".join(questions), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def _milliseconds(decide: Callable[[], object]) -> float:
    began = time.perf_counter()
    decide()
    return (time.perf_counter() - began) * 1000


def _shown(times: Sequence[float]) -> str:
    spread = f"{number(min(times))} to {number(max(times))} of {len(times)}"
    return f"{number(statistics.median(times))} ms ({spread})"
