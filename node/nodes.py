"""What a world runs in a node: of one family a member through all its identities, of the other a member of a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from shaketable.node.cluster.identities import Identities
from shaketable.node.cluster.identities import MakeMember as MakeClusterMember
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import GMS, SettingError, Settings
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
    """SettingError: no member can be made by these settings. If the member itself raises while it is made, that is told
    by the first step, so that the node fails as with any step that raises."""
    try:
        if settings.family == GMS:
            return cast(GroupMember, make(env, address, addresses, settings))
        return Identities(env, cast(MakeClusterMember, make), address, addresses, settings)
    except SettingError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the user's own code may raise
        return _Unmade(address, error)


class _Unmade:
    def __init__(self, address: Address, error: BaseException) -> None:
        self.me = Member(address, "")
        self._error = error

    def start(self) -> None:
        raise self._error

    def command(self, command: Command) -> None:
        """As the rest: it comes to nobody, for the first step has ended the node."""

    def receive(self, message: Message) -> None: ...

    def link_up(self, address: Address) -> None: ...

    def link_down(self, address: Address) -> None: ...
