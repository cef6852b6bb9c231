"""What a screen asks of one node beside what the harness's fold knows of it: the parts of its picture."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from shaketable.harness.seen.copies import alike
from shaketable.node import events as e
from shaketable.node.core.env import Micros
from shaketable.tui.model.folds import link_ends
from shaketable.tui.model.folds.membership import Membership
from shaketable.tui.model.folds.table_search import TableSearch

LAST_EVENTS: Final = 50
"""kept for each node"""
DECISIONS: Final = 5
"""that are kept"""


class Decision(NamedTuple):
    """Of a master, about who stays in a partial disconnection."""

    time: Micros
    place: int
    """of its event in the history"""
    event: e.DisconnectionResolved | e.DisconnectionUnresolved


@dataclass(slots=True)
class NodePicture:
    """A new incarnation starts from nothing."""

    last: deque[int] = field(default_factory=lambda: deque(maxlen=LAST_EVENTS))
    """places of its last events in the history; those of its earlier incarnations, too"""
    sends: link_ends.Ends = field(default_factory=dict)
    """its own outgoing links: "up", "down", "closed" """
    hears: link_ends.Ends = field(default_factory=dict)
    """the other direction: "heard", "silent" """
    decisions: tuple[Decision, ...] = ()
    """of a master, about who stays: the last few, the newest last"""
    search: TableSearch | None = None
    """of a new master: its last search for a table"""
    dropped: link_ends.Dropped = field(default_factory=dict)
    """by reason, how many frames that came to it were no use"""
    plan: e.PartitionsPlanned | None = None
    """of a master: its last one"""
    group: Membership | None = None
    """of a member of a group"""

    def copy(self) -> NodePicture:
        """It and this one no longer change each other."""
        other = alike(self)
        other.last = self.last.copy()
        other.sends, other.hears, other.dropped = dict(self.sends), dict(self.hears), dict(self.dropped)
        other.search = self.search.copy() if self.search is not None else None
        other.group = self.group.copy() if self.group is not None else None
        return other

    @property
    def membership(self) -> Membership:
        """To be read: of a node that has told nothing yet it is empty."""
        return self.group if self.group is not None else Membership()
