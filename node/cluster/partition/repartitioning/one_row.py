"""One target row with another member at one of its indexes: what that takes at the colder ones, without a cycle.

From text 3.3.2.1: a cycle would be cancelled, and so is never made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shaketable.node.cluster.partition.cycles import cycles_of
from shaketable.node.cluster.partition.repartitioning.groups import Groups
from shaketable.node.messages import Row

Target = list[str | None]


def with_member(row: Row, target: Target, index: int, member: str, groups: Groups, turn: int) -> Target | None:
    """The target with this member at this index, hotter ones as they are. None: not without a cycle, or it is hotter.

    `row` is the present one. `turn` is another number each time, so that not always the same newcomer is chosen."""
    place = place_of(target, groups.of[member], groups.of)
    if place is not None and place < index:
        return None
    ways = (
        _replaced(target, index, member) if place in (None, index) else _exchanged(target, index, member, groups, turn)
    )
    return next((way for way in ways if not cycles_of(row, tuple(way))), None)


def place_of(target: Target, group: int, of: Mapping[str, int]) -> int | None:
    for place, member in enumerate(target):
        if member is not None and of[member] == group:
            return place
    return None


def _replaced(target: Target, index: int, member: str) -> Iterator[Target]:
    changed = target.copy()
    changed[index] = member
    yield changed


def _exchanged(target: Target, index: int, member: str, groups: Groups, turn: int) -> Iterator[Target]:
    """Its group holds a colder index, which goes to the displaced member; or to somebody new; or to a third, whose own
    goes to the displaced member."""
    displaced = target[index]
    place = place_of(target, groups.of[member], groups.of)
    assert place is not None
    (changed,) = _replaced(target, index, member)
    changed[place] = displaced
    yield changed
    for newcomer in _newcomers(target, index, groups, turn):
        (changed,) = _replaced(target, index, member)
        changed[place] = newcomer
        yield changed
    for third in range(index + 1, len(target)):
        if third != place:
            (changed,) = _replaced(target, index, member)
            changed[third] = displaced
            changed[place] = target[third]
            yield changed


def _newcomers(target: Target, index: int, groups: Groups, turn: int) -> Iterator[str]:
    """Of groups that hold nothing else of the partition, that of the displaced member included."""
    taken = [groups.of[each] for place, each in enumerate(target) if each is not None and place != index]
    count = len(groups.members_of)
    for step in range(count):
        group = (turn + step) % count
        if group not in taken:
            yield from (member for member in groups.members_of[group] if member != target[index])
