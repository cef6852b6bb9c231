"""An independent solver: the members that have to leave so that no broken pair stays.

It shares no code with the code that it judges. From the text on partial member disconnection and its tie rules. One sum
compares two answers. A member that leaves costs more than all data members together, a data member more than all
partition replicas, and a replica more than all ages. The older half of any two ages costs more than all younger ones.
So there is only one cheapest answer. The solver takes out the member with the most broken pairs, or all members that it
cannot talk to. It solves each part that falls apart by itself, and only once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from shaketable.node.messages import Member, Uuid

MOST_WORK: Final = 20_000
"""parts that are looked at until it is given up: about a second"""

Pair = tuple[Uuid, Uuid]


class TooMuchWork(Exception):
    """The question is beyond this solver: nothing can be said about the answer."""


def fewest_leave(
    members: Sequence[Member], broken: Iterable[Pair], replicas: Sequence[int] = (), most_work: int | None = None
) -> tuple[Member, ...]:
    """In the order of the list. The first member is the master: it stays, and a member that cannot talk to it leaves.
    `replicas`: how many each member holds; nobody any, if it is empty."""
    place = {member.uuid: number for number, member in enumerate(members)}
    near = [0] * len(members)
    for one, other in broken:
        near[place[one]] |= 1 << place[other]
        near[place[other]] |= 1 << place[one]
    without_master = near[0]
    open_ = sum(1 << number for number, pairs in enumerate(near) if pairs) & ~without_master & ~1
    cheapest = _Cheapest(
        near, _costs(members, replicas or [0] * len(members)), MOST_WORK if most_work is None else most_work
    )
    leaving = without_master | cheapest.of(open_)[1]
    return tuple(member for number, member in enumerate(members) if leaving >> number & 1)


def _costs(members: Sequence[Member], replicas: Sequence[int]) -> list[int]:
    many = len(members)
    replica = 1 << many
    data = (sum(replicas) + 1) * replica
    anybody = (many + 1) * data
    return [
        anybody + (0 if member.lite else data) + held * replica + (1 << (many - 1 - number))
        for number, (member, held) in enumerate(zip(members, replicas, strict=True))
    ]


class _Cheapest:
    """Sets of members are the bits of a number."""

    def __init__(self, near: Sequence[int], costs: Sequence[int], most_work: int) -> None:
        self._near = near
        self._costs = costs
        self._work = most_work
        self._known: dict[int, tuple[int, int]] = {}

    def of(self, some: int) -> tuple[int, int]:
        """Of these members: what it costs, and who leaves."""
        cost = leaving = 0
        for part in self._parts(some):
            part_cost, part_leaving = self._of_part(part)
            cost, leaving = cost + part_cost, leaving | part_leaving
        return cost, leaving

    def _of_part(self, part: int) -> tuple[int, int]:
        if part & part - 1 == 0:
            return 0, 0  # it has no broken pair left
        known = self._known.get(part)
        if known is not None:
            return known
        self._work -= 1
        if self._work < 0:
            raise TooMuchWork
        most = max(_each(part), key=lambda number: (self._near[number] & part).bit_count())
        cost, leaving = self.of(part & ~(1 << most))
        best = cost + self._costs[most], leaving | 1 << most
        gone = self._near[most] & part
        paid = sum(self._costs[number] for number in _each(gone))
        if paid < best[0]:
            cost, leaving = self.of(part & ~gone & ~(1 << most))
            best = min(best, (cost + paid, leaving | gone))
        self._known[part] = best
        return best

    def _parts(self, some: int) -> Iterable[int]:
        """Those of them that hang together by broken pairs."""
        while some:
            part = fresh = some & -some
            while fresh:
                reached = 0
                for number in _each(fresh):
                    reached |= self._near[number]
                fresh = reached & some & ~part
                part |= fresh
            yield part
            some &= ~part


def _each(some: int) -> Iterable[int]:
    while some:
        lowest = some & -some
        yield lowest.bit_length() - 1
        some ^= lowest
