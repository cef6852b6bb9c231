"""Faults that the texts call broken, each a small override of the real member.

They show that the checks catch what they are for. The setting `legacy_fault` chooses one. The caller that begins a run
or a process hands `make_member` in, so nothing else has to know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import (
    CLEARED_BACKUPS,
    GMS,
    LATE_BACKUPS,
    LONE_DECISIONS,
    MISSED_REMOVAL,
    NO_LEGACY_FAULT,
    ONE_SIDED_SEARCH,
    ONLY_CONFIGURED,
    OWN_TABLES,
    SILENT_FOLLOWERS,
    STALE_OVERWRITE,
    STALE_TABLE,
    UNORDERED_UPDATES,
    Settings,
)
from shaketable.node.core.env import Env
from shaketable.node.gms import GroupMember
from shaketable.node.legacy.cleared_backups import ClearedBackups
from shaketable.node.legacy.groups import GROUP_MEMBERS
from shaketable.node.legacy.late_backups import LateBackups
from shaketable.node.legacy.lone_decisions import LoneDecisions
from shaketable.node.legacy.missed_removal import MissedRemoval
from shaketable.node.legacy.one_sided_search import OneSidedSearch
from shaketable.node.legacy.only_configured import OnlyConfigured
from shaketable.node.legacy.own_tables import OwnTables
from shaketable.node.legacy.silent_followers import SilentFollowers
from shaketable.node.legacy.stale_overwrite import StaleOverwrite
from shaketable.node.legacy.stale_table import StaleTable
from shaketable.node.legacy.unordered_updates import UnorderedUpdates
from shaketable.node.messages import Address
from shaketable.node.own_env import OwnEnv
from shaketable.node.plugged import own_member, plugged_policies, plugged_services

MEMBERS: Final[Mapping[str, type[ClusterMember]]] = {
    NO_LEGACY_FAULT: ClusterMember,
    UNORDERED_UPDATES: UnorderedUpdates,
    MISSED_REMOVAL: MissedRemoval,
    STALE_OVERWRITE: StaleOverwrite,
    OWN_TABLES: OwnTables,
    STALE_TABLE: StaleTable,
    LONE_DECISIONS: LoneDecisions,
    CLEARED_BACKUPS: ClearedBackups,
    LATE_BACKUPS: LateBackups,
    ONLY_CONFIGURED: OnlyConfigured,
    SILENT_FOLLOWERS: SilentFollowers,
    ONE_SIDED_SEARCH: OneSidedSearch,
}


def make_member(
    env: Env, address: Address, addresses: Sequence[Address], settings: Settings
) -> ClusterMember | GroupMember:
    """The real member of its family, unless the settings ask for a legacy fault or name a member of one's own."""
    if settings.family == GMS:
        if own_group_member := own_member(settings, GroupMember):
            return own_group_member(OwnEnv(env), address, addresses, settings)
        return GROUP_MEMBERS[settings.legacy_fault](env, address, addresses, settings)
    return make_cluster_member(env, address, addresses, settings)


def make_cluster_member(env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> ClusterMember:
    if own := own_member(settings, ClusterMember):
        member = own(OwnEnv(env), address, addresses, settings)
    else:
        member = MEMBERS[settings.legacy_fault](env, address, addresses, settings)
    member.partitions.plug_in(plugged_services(settings))
    member.partitions.taking.policies = plugged_policies(settings)
    return member
