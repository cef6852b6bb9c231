"""One replica index after the other is made even: who holds it too often hands it on, in as few partitions as will do.

The second half of repartitioning (text on avoiding data loss on migration, 3.2 step 3), after all empty indexes are
filled. Hotter indexes, which are even already, are not touched any more; colder ones may be exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from shaketable.node.partition.cycles import cycles_of
from shaketable.node.partition.repartitioning.groups import Groups
from shaketable.node.partition.rows import Row

Target = list[str | None]

ONLY_TO_NEWCOMERS: Final = 0
"""which changes nothing but this index"""
TO_ANYBODY: Final = 1


class Evening:
    def __init__(self, current: Sequence[Row], targets: list[Target], free: Sequence[int], groups: Groups) -> None:
        self._current = current
        self._targets = targets
        self._free = free
        """the partitions of which something can be changed"""
        self._groups = groups
        self._hotter = [0] * len(groups.members_of)
        """how much each group holds of the indexes that are even already: of two that hold the same of this one, more
        goes to who has less of those, or the coldest index would have to make up for it"""

    def even(self, index: int) -> None:
        _Index(index, self._current, self._targets, self._free, self._groups, self._hotter).even()


class _Index:
    def __init__(
        self,
        index: int,
        current: Sequence[Row],
        targets: list[Target],
        free: Sequence[int],
        groups: Groups,
        hotter: list[int],
    ) -> None:
        self._index = index
        self._current = current
        self._targets = targets
        self._free = free
        self._of = groups.of
        self._members_of = groups.members_of
        self._each_alone = groups.each_alone
        self._hotter = hotter
        self._loads = dict.fromkeys(groups.of, 0)
        for target in targets:
            member = target[index]
            assert member is not None, "all empty indexes are filled first"
            self._loads[member] += 1
        self._group_loads = [sum(self._loads[member] for member in members) for members in groups.members_of]
        self._held: dict[str, list[int]] = {}
        """by member, the partitions of which it holds this index; and some that it has handed on"""
        self._tried: dict[tuple[str, str, int], int] = {}
        """by giver, taker and in which way: how many of the giver's there is no use in looking at again"""

    def even(self) -> None:
        if not self._is_even():
            self._sort_out()
            self._even_groups()
            if not self._each_alone:
                for members in self._members_of:
                    self._even_members(members)
        for group, load in enumerate(self._group_loads):
            self._hotter[group] += load

    def _is_even(self) -> bool:
        if max(self._group_loads) - min(self._group_loads) > 1:
            return False
        if self._each_alone:
            return True
        of_groups = [[self._loads[member] for member in members] for members in self._members_of]
        return all(max(loads) - min(loads) <= 1 for loads in of_groups)

    def _sort_out(self) -> None:
        """First those where the index changes hands anyway."""
        index = self._index
        moving: dict[str, list[int]] = {member: [] for member in self._of}
        staying: dict[str, list[int]] = {member: [] for member in self._of}
        for partition in self._free:
            member = self._targets[partition][index]
            assert member is not None
            row = self._current[partition]
            stays = index < len(row) and row[index] == member
            (staying if stays else moving)[member].append(partition)
        self._held = {member: moving[member] + staying[member] for member in self._of}

    # Between groups

    def _even_groups(self) -> None:
        loads, hotter = self._group_loads, self._hotter
        givers = list(range(len(loads)))
        while givers:
            giver = max(givers, key=lambda group: (loads[group], hotter[group]))
            takers = sorted(
                (group for group in range(len(loads)) if loads[group] <= loads[giver] - 2),
                key=lambda group: (loads[group], hotter[group]),
            )
            if not takers:
                return
            if not (any(self._hand_on(giver, taker) for taker in takers) or self._hand_around(giver)):
                givers.remove(giver)

    def _hand_on(self, giver: int, taker: int) -> bool:
        for way in (ONLY_TO_NEWCOMERS, TO_ANYBODY):
            for old in self._by_load(giver, most_first=True):
                for new in self._by_load(taker):
                    if self._give(old, new, way):
                        return True
        return False

    def _hand_around(self, giver: int) -> bool:
        """By way of others, who hand on as many as they get: as few others as will do."""
        came: dict[int, tuple[int, Target, int]] = {}
        queue = [giver]
        for group in queue:
            for partition in self._partitions_of(group):
                for other in range(len(self._members_of)):
                    if other in came or other == giver:
                        continue
                    changed = self._with_one_of(partition, other)
                    if changed is None:
                        continue
                    came[other] = (partition, changed, group)
                    queue.append(other)
                    if self._group_loads[other] <= self._group_loads[giver] - 2:
                        while other != giver:
                            partition, changed, previous = came[other]
                            self._change(partition, changed)
                            other = previous
                        return True
        return False

    def _partitions_of(self, group: int) -> Iterator[int]:
        for member in self._members_of[group]:
            for partition in self._held[member]:
                if self._targets[partition][self._index] == member:
                    yield partition

    def _with_one_of(self, partition: int, group: int) -> Target | None:
        for member in self._by_load(group):
            if changed := self._with(partition, member):
                return changed
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
            if not any(self._give(giver, taker, TO_ANYBODY) for taker in takers):
                givers.remove(giver)

    def _by_load(self, group: int, *, most_first: bool = False) -> list[str]:
        members = self._members_of[group]
        return members if len(members) == 1 else sorted(members, key=self._loads.__getitem__, reverse=most_first)

    # In one partition

    def _give(self, giver: str, taker: str, way: int) -> bool:
        """In the first partition where it can be done."""
        index, targets, held, group = self._index, self._targets, self._held[giver], self._of[taker]
        at = self._tried.get((giver, taker, way), 0)
        found = False
        while at < len(held) and not found:
            partition = held[at]
            target = targets[partition]
            at += 1
            if target[index] != giver or (way == ONLY_TO_NEWCOMERS and self._place(target, group) is not None):
                continue
            if changed := self._with(partition, taker):
                self._change(partition, changed)
                found = True
        self._tried[giver, taker, way] = at
        return found

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

    def _with(self, partition: int, member: str) -> Target | None:
        """The target row with this member at this index, hotter ones as they are; None if it would make a cycle."""
        index, target = self._index, self._targets[partition]
        place = self._place(target, self._of[member])
        if place is None or place == index:
            changed = target.copy()
            changed[index] = member
            return changed if self._is_possible(partition, changed) else None
        if place < index:
            return None
        return next(
            (way for way in self._exchanged(partition, member, place) if self._is_possible(partition, way)), None
        )

    def _exchanged(self, partition: int, member: str, place: int) -> Iterator[Target]:
        """Its group holds a colder index: that goes to who is displaced, to somebody new, or to a third, whose place
        goes to who is displaced."""
        index, target = self._index, self._targets[partition]
        displaced = target[index]
        changed = target.copy()
        changed[index] = member
        changed[place] = displaced
        yield changed
        for newcomer in self._newcomers(partition, member):
            changed = target.copy()
            changed[index] = member
            changed[place] = newcomer
            yield changed
        for third in range(index + 1, len(target)):
            if third != place:
                changed = target.copy()
                changed[index] = member
                changed[third] = displaced
                changed[place] = target[third]
                yield changed

    def _newcomers(self, partition: int, member: str) -> Iterator[str]:
        """Not always the same first."""
        taken = [self._of[each] for each in self._targets[partition] if each is not None]
        taken.remove(self._of[self._targets[partition][self._index] or ""])
        count = len(self._members_of)
        if count == len(taken) + 1 and self._each_alone:
            return
        for step in range(count):
            group = (partition + step) % count
            if group not in taken:
                yield from self._by_load(group)

    def _place(self, target: Target, group: int) -> int | None:
        of = self._of
        for place, member in enumerate(target):
            if member is not None and of[member] == group:
                return place
        return None

    def _is_possible(self, partition: int, changed: Target) -> bool:
        return not cycles_of(self._current[partition], tuple(changed))
