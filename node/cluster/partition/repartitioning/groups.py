"""The member groups that keep replicas apart: the racks or hosts of the data members, or each member alone.

From the text on avoiding data loss on migration, "repartitioning", and the real system's partition groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final


class Groups:
    def __init__(self, members: Sequence[str], named: Mapping[str, str] | None) -> None:
        """Groups are in the order of their first members. A member that no group names is a group of its own."""
        number: dict[tuple[str, bool], int] = {}
        self.of: Final[dict[str, int]] = {}
        self.members_of: Final[list[list[str]]] = []
        for member in members:
            name = (named[member], True) if named and member in named else (member, False)
            group = number.setdefault(name, len(number))
            if group == len(self.members_of):
                self.members_of.append([])
            self.of[member] = group
            self.members_of[group].append(member)
        self.each_alone: Final = len(self.members_of) == len(self.of)
