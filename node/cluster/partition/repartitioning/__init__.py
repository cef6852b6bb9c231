"""The target rows: which members are to hold each partition's replicas.

From text 3.3.2 step 3 ("run regular repartitioning algorithm"). The text says only that the algorithm keeps the
distribution balanced. These rules hold for the answer:

- There are as many replicas as members (or groups, if they are configured), at most seven. No two replicas of a
  partition are on one member, or in one group.
- Owners are within one of the average for each group, and inside a group for each member, as far as rows can change at
  all. Where there are no more groups than replicas, each partition is with all groups. A row with no empty index, no
  newcomer and nobody who leaves stays as it is: an exchange is a cycle (text 3.3.2.1), and would be cancelled.
- Each backup index is balanced in the same way, except the coldest one where there are no more groups than replicas.
  That one is what the hotter ones leave over, at most one off for each of them. Other indexes can be off too, with
  hardly more partitions than members or after migrations that were broken off.
- Nothing moves that balance does not need. Every member stays at its index. After a join, owners move to the joiner
  only. An empty index goes to a member that holds nothing of the partition. That is one COPY. To move colder replicas
  up would copy as much in more steps, and would disturb the balance of backups. Nothing makes a cycle.
- The answer depends on the rows and on the order of the members, and on nothing else."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence

from shaketable.node.cluster.partition.repartitioning.evening import Evening
from shaketable.node.cluster.partition.repartitioning.groups import Groups
from shaketable.node.cluster.partition.rows import promoted
from shaketable.node.messages import MOST_REPLICAS, Row


def repartitioned(rows: Sequence[Row], members: Sequence[str], groups: Mapping[str, str] | None = None) -> list[Row]:
    """`members`: the data members that stay, in the order of the member list. `groups` says of each in which it is (a
    rack, a host); without it each is one of its own. Without members nobody can take anything, and all stays."""
    if not members or not rows:
        return list(rows)
    return _Repartitioning(rows, Groups(members, groups)).targets()


class _Repartitioning:
    def __init__(self, rows: Sequence[Row], groups: Groups) -> None:
        self._groups = groups
        self._width = min(len(groups.members_of), MOST_REPLICAS)
        self._current = [row if row and row[0] is not None else promoted(row) for row in rows]
        self._free: list[int] = []
        """the partitions of which something can be changed"""
        self._targets = self._kept()

    def targets(self) -> list[Row]:
        for index in range(self._width):
            self._fill(index)
        evening = Evening(self._current, self._targets, self._free, self._groups)
        for index in range(self._width):
            evening.even(index)
        return [tuple(target) for target in self._targets]

    # The members that stay

    def _kept(self) -> list[list[str | None]]:
        group_of, width = self._groups.of, self._width
        alone = self._groups.each_alone
        no_others = alone and len(group_of) == width
        known = frozenset(group_of)
        kept: list[list[str | None]] = []
        for partition, row in enumerate(self._current):
            if alone and len(row) == width and known.issuperset(row):
                kept.append(list(row))
                if not no_others:
                    self._free.append(partition)
            else:
                kept.append(self._kept_of(row))
                self._free.append(partition)
        return kept

    def _kept_of(self, row: Row) -> list[str | None]:
        """Everybody at its index; a member that has none any more takes the hottest that is empty."""
        kept: list[str | None] = [None] * self._width
        surplus = []
        taken: set[int] = set()
        for index, member in enumerate(row):
            group = self._groups.of.get(member) if member is not None else None
            if group is None or group in taken:
                continue
            taken.add(group)
            if index < self._width:
                kept[index] = member
            else:
                surplus.append(member)
        for member in surplus:
            kept[kept.index(None)] = member
        return kept

    # The members that come

    def _fill(self, index: int) -> None:
        """The empty indexes, with those who have the fewest at this index and nothing of the partition."""
        empty = [partition for partition in self._free if self._targets[partition][index] is None]
        if not empty:
            return
        of = self._groups.of
        held = Counter(target[index] for target in self._targets)
        loads = [sum(held[member] for member in members) for members in self._groups.members_of]
        beside = Counter((target[0], target[1]) for target in self._targets) if index == 1 else None
        queue = [(load, _spread(load, index, group), group) for group, load in enumerate(loads)]
        heapq.heapify(queue)
        for partition in empty:
            target = self._targets[partition]
            taken = [of[member] for member in target if member is not None]
            if beside is None:
                passed = []
                while queue[0][2] in taken:
                    passed.append(heapq.heappop(queue))
                load, _, group = queue[0]
                heapq.heapreplace(queue, (load + 1, _spread(load + 1, index, group), group))
                for entry in passed:
                    heapq.heappush(queue, entry)
            else:
                group = self._backup_beside(target[0], beside, loads, taken)
                loads[group] += 1
            member = min(self._groups.members_of[group], key=held.__getitem__)
            held[member] += 1
            target[index] = member
            if beside is not None:
                beside[target[0], member] += 1

    def _backup_beside(
        self, owner: str | None, beside: Counter[tuple[str | None, str | None]], loads: list[int], taken: list[int]
    ) -> int:
        """The first backup becomes the owner when that one is lost. So each owner's are spread over all others: then
        balance is kept, or nearly, without a further move."""
        members_of = self._groups.members_of
        return min(
            (group for group in range(len(loads)) if group not in taken),
            key=lambda group: (
                loads[group],
                sum(beside[owner, member] for member in members_of[group]),
                _spread(loads[group], 1, group),
            ),
        )


def _spread(load: int, index: int, group: int) -> int:
    """An order that is another one each time, so that not always the same hold partitions together. No more than that:
    it need not be random."""
    return ((load * 7919 + index * 104_729 + group * 1_299_709) * 2_654_435_761 >> 7) % 65_521
