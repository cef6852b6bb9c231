"""What the text on cluster service consistency opens with as broken, each fault a small override of the real member.

They show that the checks catch what they are for. The setting `legacy_fault` chooses one; a world makes its members
here, so that nothing else has to know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from shaketable.node.config import (
    MISSED_REMOVAL,
    NO_LEGACY_FAULT,
    STALE_OVERWRITE,
    UNORDERED_UPDATES,
    Settings,
)
from shaketable.node.env import Env
from shaketable.node.legacy.missed_removal import MissedRemoval
from shaketable.node.legacy.stale_overwrite import StaleOverwrite
from shaketable.node.legacy.unordered_updates import UnorderedUpdates
from shaketable.node.member import ClusterMember
from shaketable.node.messages import Address

MEMBERS: Final[Mapping[str, type[ClusterMember]]] = {
    NO_LEGACY_FAULT: ClusterMember,
    UNORDERED_UPDATES: UnorderedUpdates,
    MISSED_REMOVAL: MissedRemoval,
    STALE_OVERWRITE: StaleOverwrite,
}


def make_member(env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> ClusterMember:
    """The real member, unless the settings ask for a legacy fault."""
    return MEMBERS[settings.legacy_fault](env, address, addresses, settings)
