"""What a screen asks of one node beside what the harness's fold knows of it: the parts of its picture."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from shaketable.node import events as e
from shaketable.node.messages import Uuid
from shaketable.tui.model import claim as claims
from shaketable.tui.model import link_ends
from shaketable.tui.model import reports as reporting
from shaketable.tui.model.claim import Claim
from shaketable.tui.model.membership import Membership
from shaketable.tui.model.suspicions import Suspicion
from shaketable.tui.model.table_search import TableSearch

LAST_EVENTS: Final = 50
"""kept for each node"""


@dataclass(slots=True)
class NodePicture:
    """A new incarnation starts from nothing."""

    suspicions: dict[Uuid, Suspicion] = field(default_factory=dict)
    last: deque[int] = field(default_factory=lambda: deque(maxlen=LAST_EVENTS))
    """places of its last events in the history; those of its earlier incarnations, too"""
    claim: Claim | None = None
    """its last one; `runs` says whether it still does"""
    said: dict[Uuid, claims.Said] = field(default_factory=dict)
    """by candidate, what it has answered to a claim last"""
    sends: link_ends.Ends = field(default_factory=dict)
    """its own outgoing links: "up", "down", "closed" """
    hears: link_ends.Ends = field(default_factory=dict)
    """the other direction: "heard", "silent" """
    reports: reporting.Reports = field(default_factory=dict)
    """of a master: by follower, whom that one suspects"""
    decisions: tuple[reporting.Decision, ...] = ()
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
        return NodePicture(
            dict(self.suspicions),
            self.last.copy(),
            self.claim.copy() if self.claim is not None else None,
            dict(self.said),
            dict(self.sends),
            dict(self.hears),
            dict(self.reports),
            self.decisions,
            self.search.copy() if self.search is not None else None,
            dict(self.dropped),
            self.plan,
            self.group.copy() if self.group is not None else None,
        )

    @property
    def membership(self) -> Membership:
        """To be read: of who has told nothing yet it is empty."""
        return self.group if self.group is not None else Membership()
