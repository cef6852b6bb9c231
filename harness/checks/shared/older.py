"""The members that are older than another one: a list has its members by age."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.messages import Member


def older_than(members: Sequence[Member], member: Member) -> Sequence[Member]:
    """The members that stand before this one. A list that lacks it has none."""
    return members[: members.index(member)] if member in members else ()
