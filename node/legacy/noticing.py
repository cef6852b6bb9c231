"""Noticing: whom a follower suspects is gone for its partition service at once, whatever the master says.

What several of the old behaviours rest on that the text on avoiding data loss on migration names: members notice a
member that leaves at different times, and each acts on that by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shaketable.node.member import ClusterMember
from shaketable.node.messages import Member
from shaketable.node.partitions import Partitions


class Noticing(Partitions):
    def noticed(self, gone: Sequence[Member]) -> None:
        """A follower suspects these."""
        raise NotImplementedError


class NoticingMember(ClusterMember):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.suspicion.newly_suspected = self._newly_suspected

    def _newly_suspected(self, members: Sequence[Member]) -> None:
        assert isinstance(self.partitions, Noticing), "it is made for one"
        self.partitions.noticed(members)
        self.mastership.newly_suspected(members)
