"""The stale join guard: who joined lately, and who has left, by which a request of an earlier attempt is known.

A request may be under way for long, and arrive when its sender has been admitted, or has come and gone. The text is
silent; the real system drops the request of an identity that it saw joining a short while ago, and never lets one that
has left expel whoever has its address now. Every member remembers, since every member may become master."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.env import Micros
from shaketable.node.messages import Member, Uuid

MOST_LEFT: Final = 1000
"""members that left are remembered; a request that is older than so many departures is taken for a new one"""


class StaleJoins:
    def __init__(self, membership: Membership) -> None:
        self._membership = membership
        self._joined: dict[Uuid, Micros] = {}
        """when each was seen joining, in that order"""
        self._left: dict[Uuid, bool] = {}
        """in the order of leaving"""

    def joined_lately(self, uuid: Uuid) -> bool:
        at = self._joined.get(uuid)
        return at is not None and self._is_recent(at)

    def has_left(self, uuid: Uuid) -> bool:
        return uuid in self._left

    def members_changed(self, added: Iterable[Member], removed: Iterable[Member]) -> None:
        now = self._membership.env.now()
        for member in removed:
            self._left[member.uuid] = True
        for member in added:
            self._left.pop(member.uuid, None)  # it has only moved
            self._joined.pop(member.uuid, None)
            self._joined[member.uuid] = now
        while self._joined and not self._is_recent(self._joined[oldest := next(iter(self._joined))]):
            del self._joined[oldest]
        while len(self._left) > MOST_LEFT:
            del self._left[next(iter(self._left))]

    def _is_recent(self, at: Micros) -> bool:
        return self._membership.env.now() - at < self._membership.settings.stale_join_prevention
