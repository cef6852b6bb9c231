"""What a world runs in a node: of one family a member through all its identities, of the other a member of a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from shaketable.node.cluster.identities import Identities
from shaketable.node.cluster.identities import MakeMember as MakeClusterMember
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import GMS, Settings
from shaketable.node.core.commands import Command
from shaketable.node.core.env import Env
from shaketable.node.gms import GroupMember
from shaketable.node.messages import Address, Member, Message

MakeMember = Callable[[Any, Address, Sequence[Address], Settings], ClusterMember | GroupMember]
"""How a node gets its member, in its Env: a test plants a bug here, and may know more of its world."""


class Node(Protocol):
    """A world calls it only through these; each call is one step."""

    @property
    def me(self) -> Member: ...
    def start(self) -> None: ...
    def command(self, command: Command) -> None: ...
    @property
    def receive(self) -> Callable[[Message], None]: ...
    @property
    def link_up(self) -> Callable[[Address], None]: ...
    @property
    def link_down(self) -> Callable[[Address], None]: ...


def node_of(env: Env, make: MakeMember, address: Address, addresses: Sequence[Address], settings: Settings) -> Node:
    if settings.family == GMS:
        return cast(GroupMember, make(env, address, addresses, settings))
    return Identities(env, cast(MakeClusterMember, make), address, addresses, settings)
