"""One replica index after the other is made even: who holds it too often hands it on, in as few partitions as will do.

The second half of repartitioning (text 3.3.2 step 3), after all empty indexes are filled. Hotter indexes, which are
even already, are not touched any more; colder ones may be exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.node.cluster.partition.repartitioning.groups import Groups
from shaketable.node.cluster.partition.repartitioning.one_row import Target, place_of, with_member
from shaketable.node.messages import Row

ONLY_TO_NEWCOMERS: Final = 0
"""which changes nothing but this index"""
TO_ANYBODY: Final = 1

MOST_LOOKS: Final = 1000
LOOKS_A_PARTITION: Final = 100
"""The most tries of what another member would take. After them nothing is handed around by way of others any more, at
the colder indexes first. Rows that were made here need few tries. Others may need more than a master can spare."""


class Evening:
    """Of all indexes, to be called from the hottest on."""

    def __init__(self, current: Sequence[Row], targets: list[Target], free: Sequence[int], groups: Groups) -> None:
        self.current: Final = current
        self.targets: Final = targets
        self.free: Final = free
        """the partitions of which something can be changed"""
        self.groups: Final = groups
        self.hotter: Final = [0] * len(groups.members_of)
        """how much each group holds of the indexes that are even already: of two that hold the same of this one, more
        goes to the one that has less of those, or the coldest index would have to make up for it"""
        self.looks = MOST_LOOKS + LOOKS_A_PARTITION * len(free)

    def even(self, index: int) -> None:
        _Index(self, index).even()


class _Index:
    def __init__(self, evening: Evening, index: int) -> None:
        self._evening = evening
        self._index = index
        self._current = evening.current
        self._targets = evening.targets
        self._groups = evening.groups
        self._of = evening.groups.of
        self._members_of = evening.groups.members_of
        self._has_newcomers = not self._groups.each_alone or len(self._of) > len(self._targets[0])
        """Otherwise every partition is with all members."""
        self._loads = dict.fromkeys(self._of, 0)
        for target in self._targets:
            member = target[index]
            assert member is not None, "all empty indexes are filled first"
            self._loads[member] += 1
        self._group_loads = [sum(self._loads[member] for member in members) for members in self._members_of]
        self._held: dict[str, list[int]] = {}
        """by member, the partitions of which it holds this index; and some that it has handed on"""
        self._tried: dict[tuple[str, str, int], int] = {}
        """by giver, taker and in which way: how many of the giver's there is no use in looking at again"""

    def even(self) -> None:
        for all_of_them in (False, True):
            if not self._is_even():
                self._sort_out(all_of_them)
                if self._has_newcomers:
                    self._even_groups(ONLY_TO_NEWCOMERS)
                self._even_groups(TO_ANYBODY)
                if not self._groups.each_alone:
                    for members in self._members_of:
                        self._even_members(members)
        for group, load in enumerate(self._group_loads):
            self._evening.hotter[group] += load

    def _is_even(self) -> bool:
        if max(self._group_loads) - min(self._group_loads) > 1:
            return False
        if self._groups.each_alone:
            return True
        of_groups = [[self._loads[member] for member in members] for members in self._members_of]
        return all(max(loads) - min(loads) <= 1 for loads in of_groups)

    def _sort_out(self, all_of_them: bool) -> None:
        """Those where this index changes hands anyway come first, and if they will do nothing else is touched."""
        index = self._index
        moving: dict[str, list[int]] = {member: [] for member in self._of}
        staying: dict[str, list[int]] = {member: [] for member in self._of}
        for partition in self._evening.free:
            member = self._targets[partition][index]
            assert member is not None
            row = self._current[partition]
            stays = index < len(row) and row[index] == member
            (staying if stays else moving)[member].append(partition)
        self._held = {member: moving[member] + (staying[member] if all_of_them else []) for member in self._of}
        self._tried.clear()

    # Between groups

    def _even_groups(self, way: int) -> None:
        loads, hotter = self._group_loads, self._evening.hotter
        givers = [group for group, members in enumerate(self._members_of) if any(self._held[each] for each in members)]
        while givers:
            giver = max(givers, key=lambda group: (loads[group], hotter[group]))
            takers = sorted(
                (group for group in range(len(loads)) if loads[group] <= loads[giver] - 2),
                key=lambda group: (loads[group], hotter[group]),
            )
            if not takers:
                return
            if not (any(self._hand_on(giver, taker, way) for taker in takers) or self._hand_around(giver, way)):
                givers.remove(giver)

    def _hand_on(self, giver: int, taker: int, way: int) -> bool:
        step = self._step(giver, taker, way)
        if step:
            self._change(*step)
        return step is not None

    def _hand_around(self, giver: int, way: int) -> bool:
        """By way of others, who hand on as many as they get: as few others as will do."""
        came: dict[int, tuple[tuple[int, Target], int]] = {}
        queue = [giver]
        for group in queue:
            for other in range(len(self._members_of)):
                if other in came or other == giver or self._evening.looks < 0:
                    continue
                step = self._step(group, other, way)
                if step is None:
                    continue
                came[other] = (step, group)
                queue.append(other)
                if self._group_loads[other] <= self._group_loads[giver] - 2:
                    while other != giver:
                        step, other = came[other]
                        self._change(*step)
                    return True
        return False

    def _step(self, giver: int, taker: int, way: int) -> tuple[int, Target] | None:
        """A partition that goes from the one group to the other."""
        news = self._by_load(taker)
        for old in self._by_load(giver, most_first=True):
            for new in news:
                if step := self._first(old, new, way):
                    return step
        return None

    # Inside a group

    def _even_members(self, members: list[str]) -> None:
        loads = self._loads
        givers = list(members)
        while givers:
            giver = max(givers, key=loads.__getitem__)
            takers = sorted((each for each in members if loads[each] <= loads[giver] - 2), key=loads.__getitem__)
            if not takers:
                return
            step = next((step for taker in takers if (step := self._first(giver, taker, TO_ANYBODY))), None)
            if step:
                self._change(*step)
            else:
                givers.remove(giver)

    def _by_load(self, group: int, *, most_first: bool = False) -> list[str]:
        members = self._members_of[group]
        return members if len(members) == 1 else sorted(members, key=self._loads.__getitem__, reverse=most_first)

    # In one partition

    def _first(self, giver: str, taker: str, way: int) -> tuple[int, Target] | None:
        """The first of the giver's partitions where it can be done, and how."""
        index, held = self._index, self._held[giver]
        at = self._tried.get((giver, taker, way), 0)
        step = None
        while at < len(held):
            partition = held[at]
            if self._targets[partition][index] == giver:
                self._evening.looks -= 1
                if changed := self._with(partition, taker, way):
                    step = (partition, changed)
                    break
            at += 1
        self._tried[giver, taker, way] = at
        return step

    def _change(self, partition: int, changed: Target) -> None:
        old, new = self._targets[partition][self._index], changed[self._index]
        assert old is not None
        assert new is not None
        self._targets[partition] = changed
        self._loads[old] -= 1
        self._loads[new] += 1
        self._group_loads[self._of[old]] -= 1
        self._group_loads[self._of[new]] += 1
        self._held[new].append(partition)

    def _with(self, partition: int, member: str, way: int) -> Target | None:
        row, target = self._current[partition], self._targets[partition]
        if way == ONLY_TO_NEWCOMERS and place_of(target, self._of[member], self._of) not in (None, self._index):
            return None
        return with_member(row, target, self._index, member, self._groups, partition)
