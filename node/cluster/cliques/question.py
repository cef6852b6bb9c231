"""The member list and its broken pairs as a graph, and the rule that weighs the answers, as one number for each member.

Fewest leave, then most data members stay, then most replicas are held by those that stay: sums that are compared one
after the other are one sum, in which a unit of each outweighs all that can come after it. Age is not in it (age.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shaketable.node.cluster.cliques.graph import lowest, parts


class Unclear(ValueError):
    """Names a member that is not in the list, or contradicts itself."""


class Question:
    def __init__(
        self,
        members: Sequence[str],
        broken: Iterable[tuple[str, str]],
        lite: Iterable[str] = (),
        replicas: Mapping[str, int] | None = None,
    ) -> None:
        self.members = tuple(members)
        self._places = {name: place for place, name in enumerate(self.members)}
        if not members or len(self._places) < len(members):
            raise Unclear("a member list names each member once, the master first")
        self.rivals = self._pairs(broken)
        """with whom each has a broken pair, whichever of the two says so, by places in the list"""
        self.data = [True] * len(members)
        for name in lite:
            self.data[self._place(name)] = False
        self.replicas = [0] * len(members)
        for name, count in (replicas or {}).items():
            if count < 0:
                raise Unclear(f"{name} cannot hold {count} replicas")
            self.replicas[self._place(name)] = count
        self.open = sum(1 << v for v, near in enumerate(self.rivals) if near) & ~self.rivals[0] & ~1
        """whose staying is in question: who has a broken pair, but not with the master, which always stays"""

    def weights(self) -> list[int]:
        members, held = len(self.members) + 1, sum(self.replicas) + 1
        return [(members + data) * held + own for data, own in zip(self.data, self.replicas, strict=True)]

    def staying(self, chosen: int) -> int:
        """All who stay, if of those in question these do."""
        everybody = (1 << len(self.members)) - 1
        return everybody & ~self.rivals[0] & ~self.open | chosen

    def names(self, mask: int) -> tuple[str, ...]:
        return tuple(name for place, name in enumerate(self.members) if mask >> place & 1)

    # Why

    def cut_off(self, name: str, stay: Iterable[str]) -> tuple[str, ...]:
        """The members that stay and have a broken pair with this one. A member that leaves has at least one, or it
        could stay too."""
        near = self.rivals[self._place(name)]
        return tuple(other for other in stay if near >> self._place(other) & 1)

    def groups(self) -> list[tuple[str, ...]]:
        """The groups of members that hang together by broken pairs, without the members that cannot talk to the master.
        Each group is decided on its own. The group with the oldest member comes first."""
        groups = [self.names(part) for part in sorted(parts(self.rivals, self.open), key=lowest)]
        return [group for group in groups if len(group) > 1]

    def _place(self, name: str) -> int:
        if name not in self._places:
            raise Unclear(f"{name} is not in the member list")
        return self._places[name]

    def _pairs(self, broken: Iterable[tuple[str, str]]) -> list[int]:
        bit = {name: 1 << place for name, place in self._places.items()}
        near = dict.fromkeys(self.members, 0)
        try:
            for one, other in broken:
                near[one] |= bit[other]
                near[other] |= bit[one]
        except KeyError as unknown:
            raise Unclear(f"{unknown.args[0]} is not in the member list") from None
        for name in self.members:
            if near[name] & bit[name]:
                raise Unclear(f"{name} cannot have a broken pair with itself")
        return list(near.values())
