"""The true graph of links: which directed links were silent, by which faults, and when.

The checks of partial member disconnection compare with it. Only faults that let nothing pass are in it: a link that is
slow, a node that sleeps or a message that is dropped make pairs that it does not show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from shaketable.harness.checks.shared.circumstances import FOR_EVER
from shaketable.harness.faults.verb import FaultKind
from shaketable.harness.history.history import FaultFacts, History
from shaketable.node.core.env import Micros

Link = tuple[str, str]


class Silence(NamedTuple):
    """Of one link by one fault. It may be silent from `asked` to `ended`, and surely is from `took` to `end_asked`."""

    link: Link
    kind: FaultKind
    asked: Micros
    took: Micros
    end_asked: Micros
    ended: Micros


class TrueLinks:
    def __init__(self, history: History) -> None:
        self._silences: dict[Link, list[Silence]] = {}
        for facts in history.faults.values():
            for silence in _silences_of(facts):
                self._silences.setdefault(silence.link, []).append(silence)

    def among(self, nodes: Iterable[str]) -> Iterator[Silence]:
        """All silences of links between two of these."""
        some = frozenset(nodes)
        for (source, target), silences in self._silences.items():
            if source in some and target in some:
                yield from silences

    def between(self, one: str, other: str) -> Iterator[Silence]:
        """In either direction."""
        yield from self._silences.get((one, other), ())
        yield from self._silences.get((other, one), ())

    def surely_silent(self, begin: Micros, end: Micros) -> list[Link]:
        """All this time."""
        return [
            link
            for link, silences in self._silences.items()
            if any(silence.took <= begin and silence.end_asked >= end for silence in silences)
        ]


def _silences_of(facts: FaultFacts) -> Iterator[Silence]:
    asked = facts.asked.event
    if not asked.silences:
        return
    over = facts.ended or facts.without_effect
    ended = over.time if over is not None else FOR_EVER
    end_asked = facts.end_asked.time if facts.end_asked is not None else ended
    took = facts.took.time if facts.took is not None else FOR_EVER
    for link in asked.links:
        source, _, target = link.partition("->")
        yield Silence((source, target), facts.act, facts.asked.time, took, end_asked, ended)
