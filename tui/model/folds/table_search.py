"""The search of a new master for the most recent partition table: whom it asked, and what each of them had."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from shaketable.node.core.env import Micros
from shaketable.node.events import TableFetched, TableSearchBegan, TableSearchEnded
from shaketable.node.messages import Member, Uuid


class Fetched(NamedTuple):
    peer: Member
    time: Micros
    version: int
    completed: tuple[str, ...]
    active: tuple[str, ...]


@dataclass(slots=True)
class TableSearch:
    since: Micros
    asked: tuple[Member, ...]
    fetched: dict[Uuid, Fetched] = field(default_factory=dict)
    ended: Micros | None = None
    version: int | None = None
    """the newest that was found"""
    found_at: Member | None = None
    committed: tuple[str, ...] = ()
    rolled_back: tuple[str, ...] = ()

    @property
    def waiting(self) -> list[Member]:
        return [member for member in self.asked if member.uuid not in self.fetched] if self.ended is None else []

    def copy(self) -> TableSearch:
        return replace(self, fetched=dict(self.fetched))


def began(time: Micros, event: TableSearchBegan) -> TableSearch:
    return TableSearch(time, event.members)


def fetched(search: TableSearch, time: Micros, event: TableFetched) -> None:
    search.fetched[event.peer.uuid] = Fetched(event.peer, time, event.version, event.completed, event.active)


def ended(search: TableSearch, time: Micros, event: TableSearchEnded) -> None:
    search.ended, search.version, search.found_at = time, event.version, event.peer
    search.committed, search.rolled_back = event.committed, event.rolled_back
