"""In how many ways as few members can leave, and which part of the rule chose among them.

Each independent group of broken pairs is looked at by itself. That is exact: sizes, data members and replicas add up,
and a member's age counts only in its own group. There may be millions of equally large member lists, but a group has
few ways."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.explain.names import listed
from shaketable.node.cluster.cliques import WORK_PER_SECOND, Decision, Question
from shaketable.node.cluster.cliques.graph import bits
from shaketable.node.cluster.cliques.listing import largest

MOST_WAYS: Final = 12
"""of a group, and of whole member lists"""
Way = tuple[str, ...]
"""who of a group stays"""


@dataclass(frozen=True, slots=True)
class Group:
    members: tuple[str, ...]
    ways: list[Way]
    """the one that is taken, then the others"""
    complete: bool
    rule: str
    """what made the choice"""


class Ranking:
    """The rule once more, for ways of one size. The least is the best."""

    def __init__(self, question: Question) -> None:
        self.place = {name: place for place, name in enumerate(question.members)}
        self._question = question

    def data(self, way: Sequence[str]) -> int:
        return sum(self._question.data[self.place[name]] for name in way)

    def replicas(self, way: Sequence[str]) -> int:
        return sum(self._question.replicas[self.place[name]] for name in way)

    def __call__(self, way: Sequence[str]) -> tuple[int, int, list[int]]:
        return -self.data(way), -self.replicas(way), [self.place[name] for name in way]


def groups_of(question: Question, decision: Decision) -> list[Group]:
    """The one with the oldest member first. Takes about a second at the most."""
    found = question.groups()
    ranking = Ranking(question)
    stay = set(decision.stay)
    groups = []
    for members in found:
        alone = _alone(question, [ranking.place[name] for name in members])
        listing = largest(alone, MOST_WAYS, WORK_PER_SECOND // len(found))
        taken = tuple(name for name in members if name in stay)
        others = [way[1:] for way in listing.answers if way[1:] != taken]  # without the master
        if listing.complete:
            rule = _what_chose(ranking, taken, others)
        else:
            rule = _what_may_have_chosen(question, ranking.place, members)
        groups.append(Group(members, [taken, *others], listing.complete, rule))
    return groups


def _alone(question: Question, places: Sequence[int]) -> Question:
    """This group under its master, without the other groups. The sizes of the ways are a matter of pairs alone."""
    names = question.members
    mask = sum(1 << v for v in places)
    return Question(
        [names[0], *(names[v] for v in places)],
        [(names[v], names[u]) for v in places for u in bits(question.rivals[v] & mask)],
    )


def _what_chose(ranking: Ranking, taken: Way, others: list[Way]) -> str:
    """Each part of the rule leaves fewer ways, the last one leaves one."""
    parts = []
    for count, what in ((ranking.data, "data members"), (ranking.replicas, "replicas")):
        own = count(taken)
        if worse := [count(way) for way in others if count(way) < own]:
            parts.append(f"it keeps more {what} ({own:,} against {max(worse):,})")
            others = [way for way in others if count(way) == own]
    oldest = []
    for name in taken:
        if any(name not in way for way in others):
            oldest.append(name)
            others = [way for way in others if name in way]
    if len(oldest) == 1:
        parts.append(f"it keeps {listed(oldest)}, the oldest member in which they differ")
    elif oldest:
        parts.append(f"it keeps {listed(oldest)}, each the oldest member in which those that are left differ")
    return "; then ".join(parts)


def _what_may_have_chosen(question: Question, place: Mapping[str, int], members: Sequence[str]) -> str:
    parts = ["the oldest member in which two of them differ"]
    if any(question.replicas[place[name]] for name in members):
        parts.insert(0, "the most replicas")
    if not all(question.data[place[name]] for name in members):
        parts.insert(0, "the most data members")
    return f"it keeps {', then '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Lists:
    """Whole member lists that are equally large."""

    count: int
    complete: bool
    """whether there are no more"""
    shown: list[list[str]]
    """the one that is taken, then the others or some of them"""


def lists_of(question: Question, decision: Decision, groups: Sequence[Group]) -> Lists:
    ranking = Ranking(question)
    grouped = {name for group in groups for name in group.members}
    always = [name for name in decision.stay if name not in grouped]
    ways = itertools.islice(itertools.product(*(group.ways for group in groups)), MOST_WAYS)
    lists = [sorted([*always, *itertools.chain(*way)], key=ranking.place.__getitem__) for way in ways]
    count = math.prod(len(group.ways) for group in groups)
    complete = all(group.complete for group in groups)
    if complete and count <= MOST_WAYS:
        lists.sort(key=ranking)
    return Lists(count, complete, lists)
