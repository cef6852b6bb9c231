"""The handler of one node, whichever identity it has at the moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shaketable.node.cluster.identities import Identities
from shaketable.node.config import Settings
from shaketable.node.rest.handler import Rest


class _OfNode:
    def __init__(self, identities: Identities) -> None:
        self._identities = identities

    def member_list(self) -> Sequence[str]:
        return self._identities.member.addresses.configured

    def change_member_list(self, addresses: Sequence[str], done: Callable[[str], None]) -> None:
        self._identities.member.member_list.change(addresses, done)


def rest_of(node: object, settings: Settings, read_file: Callable[[], str]) -> Rest | None:
    """None: this node answers nobody; a member of a group has nothing to be asked."""
    if not settings.rest_enabled or not isinstance(node, Identities):
        return None
    return Rest(settings, _OfNode(node), read_file)
