"""Noticing: whom a follower suspects is gone for its partition service at once, whatever the master says.

Several of the old behaviours that text 3.0.2 names rest on this: members notice a member that leaves at different
times, and each acts on that by itself."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.partitions import Partitions
from shaketable.node.cluster.service.mastership import Mastership
from shaketable.node.config import Settings
from shaketable.node.core.env import Env
from shaketable.node.messages import Address, Member


class Noticing(Partitions):
    def noticed(self, gone: Sequence[Member]) -> None:
        """A follower suspects these."""
        raise NotImplementedError


class NoticesFirst(Mastership):
    partitions: Noticing
    """given by its member"""

    def newly_suspected(self, members: Sequence[Member]) -> None:
        self.partitions.noticed(members)
        super().newly_suspected(members)


class NoticingMember(ClusterMember):
    claims = NoticesFirst

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        assert isinstance(self.partitions, Noticing), "it is made for one"
        assert isinstance(self.mastership, NoticesFirst), "it is made for one"
        self.mastership.partitions = self.partitions
