"""What messages are made of: addresses, identities, members and their lists."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

Address = str
"""Logical, the same in both worlds: "127.0.0.1:5701". Never a socket's port of the day."""

Uuid = str
"""The identity of one incarnation of a member; a restart or a merge renews it."""

_MOST: Final = 1 << 60
"""So that what is computed from a number off the wire still fits the 64 bits of a history's columns."""

Number = Annotated[int, msgspec.Meta(ge=0, le=_MOST)]
Time = Annotated[int, msgspec.Meta(ge=-_MOST, le=_MOST)]
"""Of the cluster's clock, which is another node's and may stand before the beginning of mine."""


class Member(msgspec.Struct, frozen=True, eq=False, array_like=True, forbid_unknown_fields=True, gc=False):
    """A member is an address and a uuid: both must match for two mentions to mean the same member."""

    address: Address
    uuid: Uuid
    lite: bool = False
    """it holds no data; not part of its identity, and not every mention of a member says it"""

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Member) and self.uuid == other.uuid and self.address == other.address
        )

    def __ne__(self, other: object) -> bool:  # a struct would else compare by its own rules
        return not self == other

    def __hash__(self) -> int:
        return hash((self.address, self.uuid))


class MemberList(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One version of the member list, oldest member first, and the uuid of the member that made it.

    No address and no uuid is in it twice. Version 0 is the empty list of a node that has not joined; it is never
    sent."""

    version: Number
    author: Uuid
    members: tuple[Member, ...]

    def __post_init__(self) -> None:
        count = len(self.members)
        if len({m.address for m in self.members}) != count or len({m.uuid for m in self.members}) != count:
            raise ValueError("a member list names an address or a uuid twice")
        if (self.version == 0) != (count == 0):
            raise ValueError("only version 0 of a member list is empty")


class Identity(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A member as it was known when a message about it was sent: a stale message no longer matches it."""

    member: Member
    master: Address | None
    version: Number


class ConfigCheck(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """What all members of a cluster must have in common: who joins says what it has."""

    cluster: str
    partition_count: Number
    maps: str = "data=1"
    """in the order of the alphabet, each with its number of backups, its merge policy and its protection, then the
    services beside them"""
    groups: str = ""
    """the partition groups of more than one address, in the order of the alphabet"""


class Message(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    sender: Member
