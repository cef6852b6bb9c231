"""The migrations that the master has under way: what those ask that publish, let go, plan and decide."""

from __future__ import annotations

from dataclasses import dataclass, field

from shaketable.node.core.requests import Ask
from shaketable.node.messages import Member, MigrationInfo, Uuid
from shaketable.node.why import Because


@dataclass(slots=True)
class UnderWay:
    info: MigrationInfo
    destination: Member
    owner: Member
    ask: Ask | None = field(default=None)
    copied: bool = False
    committing: bool = False
    failed: tuple[Because, bool] | None = None
    """why, and whether somebody had left: it is to be rolled back"""


class MigrationsUnderWay:
    """Written by migrating.py alone."""

    def __init__(self) -> None:
        self.by_id: dict[str, UnderWay] = {}
        self.requested = 0
        """so many, ever"""

    def __len__(self) -> int:
        return len(self.by_id)

    def has_one_of(self, partition: int) -> bool:
        return any(each.info.partition == partition for each in self.by_id.values())

    def takes_part(self, member: Uuid) -> bool:
        """It sends the data, or gets them."""
        return any(member in (each.owner.uuid, each.destination.uuid) for each in self.by_id.values())

    @property
    def is_committing(self) -> bool:
        """A destination may have the next version of the table already: nothing else may become that version."""
        return any(each.committing for each in self.by_id.values())

    def told(self) -> tuple[tuple[str, ...], int]:
        """What others are told of them with each table."""
        return tuple(self.by_id), self.requested
