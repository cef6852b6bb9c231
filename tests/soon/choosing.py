"""Chooses the mutants by a rule that knows nothing of the ways which are compared.

Service after service gives the next of its mutants, in an order by chance, that a check notices in one of a few stories
and in no random plan of seed 0: a mutant that every run notices tells no two ways apart."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import TYPE_CHECKING, Final

from tests.mutants.judge import How, Try, judge
from tests.mutants.mutants import Mutant, Spot, files, known, made, spots
from tests.mutants.reached import PRESET, SEED, Reached
from tests.soon.player import plans

from shaketable.node.config import CLUSTER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STORIES: Final = 6
"""that are told of a mutant: those that know its function"""
TRIED: Final = 10
"""mutants of a service, until it is the next one's turn"""
MOST_TURNS: Final = 4
"""for each that is wanted: in many turns no mutant is chosen"""
CHANCE: Final = 1
HEAD: Final = """\
# The mutants of `make soon`: file function: before => after. `make soon ARGS="--choose N"` chooses them, by the rule of
# tests/soon/choosing.py.
"""
Candidate = tuple[Mutant, Sequence[Try]]


class Choosing:
    def __init__(self, reached: Reached) -> None:
        self._reached = reached
        self._spots: dict[str, list[Spot]] = {}
        every = [spot for file in files() for spot in spots(file)]
        random.Random(CHANCE).shuffle(every)
        for spot in every:
            self._spots.setdefault(Mutant(spot.file, "", 0, 0, "", "", "").service, []).append(spot)

    def lines(self, spark: SparkSession, wanted: int) -> list[str]:
        """A turn is a task, and two are under way at a time."""
        turns = MOST_TURNS * wanted
        asked = spark.sparkContext.parallelize(list(islice(self._turns(), turns)), turns)
        found = asked.map(first_chosen).toLocalIterator(prefetchPartitions=True)
        return list(islice((line for line in found if line), wanted))

    def _turns(self) -> Iterator[list[Candidate]]:
        for turn in count():
            for of in self._spots.values():
                mine = [self._candidate(spot) for spot in of[turn * TRIED : (turn + 1) * TRIED]]
                yield [each for each in mine if each is not None]

    def _candidate(self, spot: Spot) -> Candidate | None:
        """None if no story reaches it."""
        mutant = made(spot)
        if mutant is None:
            return None
        stories = [each.script for each in self._reached.by(mutant) if not each.random]
        told = [Try(name, SEED, PRESET) for name in stories[:STORIES]]
        return (mutant, told) if told else None


def first_chosen(candidates: Sequence[Candidate]) -> str:
    drawn = [Try(name, SEED, PRESET) for name in plans(CLUSTER)]
    for mutant, told in candidates:
        in_a_story = judge(mutant, told).how is How.CHECK
        if in_a_story and judge(mutant, drawn).how is not How.CHECK and known(mutant.named) == mutant:
            return mutant.named
    return ""
