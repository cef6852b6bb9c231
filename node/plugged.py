"""What a user plugs in, named by a setting and found by its name: services that keep data beside the maps, policies
that decide on entries that merge, and a member of one's own instead of ours.

From text 3.0.5: what such a service has to do is in partition/services.py (`MigrationAwareService`); what a policy has
to do in partition/merging/policies.py (`MergePolicy`)."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any, TypeVar

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.partition.merging.policies import Decide
from shaketable.node.cluster.partition.services import MigrationAwareService
from shaketable.node.config import GMS, NO_LEGACY_FAULT, SettingError, Settings
from shaketable.node.gms import GroupMember

NEEDED = (
    "before_migration", "commit_migration", "rollback_migration", "replication_data", "replicate", "promoted",
)  # fmt: skip
AnyMember = TypeVar("AnyMember", ClusterMember, GroupMember)


def check_plugged(settings: Settings) -> None:
    """SettingError: something that a setting names cannot be made. So it is told before anything is started."""
    plugged_services(settings)
    plugged_policies(settings)
    if settings.family == GMS:
        own_member(settings, GroupMember)
    else:
        own_member(settings, ClusterMember)


def plugged_services(settings: Settings) -> list[MigrationAwareService]:
    """One of each, new: a member has its own."""
    return [_made("partition_services", name, "service", NEEDED) for name in settings.partition_services.split()]


def plugged_policies(settings: Settings) -> dict[str, Decide]:
    """By name, as the setting has it."""
    own = [name for name in settings.policies.values() if ":" in name]
    return {name: _made("merge_policies", name, "policy", ("merge",)).merge for name in own}


def own_member(settings: Settings, ours: type[AnyMember]) -> type[AnyMember] | None:
    """The class that the setting names. It is one of ours but for what it does otherwise."""
    if not settings.own_member:
        return None
    if settings.legacy_fault != NO_LEGACY_FAULT:
        raise SettingError(f"own_member and legacy_fault = {settings.legacy_fault!r}: a node has one member; give one")
    own = found("own_member", settings.own_member, "Class")
    if not (isinstance(own, type) and issubclass(own, ours)):
        raise SettingError(f"own_member: {settings.own_member} is no class that is made of {ours.__name__}")
    return own


@cache
def found(setting: str, name: str, what: str) -> Any:
    """What `package.module:NAME` stands for; `what` is how an error calls that name."""
    module, _, called = name.partition(":")
    if not called:
        raise SettingError(f"{setting}: {name} lacks :{what} at its end, so nobody knows what of the module is meant")
    try:
        return getattr(importlib.import_module(module), called)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the user's own code may raise
        raise _unmade(setting, name, what, error) from None


def _unmade(setting: str, name: str, what: str, error: BaseException) -> SettingError:
    why = " ".join(f"{type(error).__name__}: {error}".split())
    instead = f"give package.module:{what}, installed or on PYTHONPATH"
    return SettingError(f"{setting}: {name} cannot be made ({why}); {instead}")


def _made(setting: str, name: str, what: str, needed: tuple[str, ...]) -> Any:
    kind = found(setting, name, "Class")
    try:
        made = kind()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # likewise
        raise _unmade(setting, name, "Class", error) from None
    lacking = [method for method in needed if not callable(getattr(made, method, None))]
    if lacking:
        raise SettingError(f"{setting}: {name} is no such {what}, it lacks {lacking[0]}()")
    return made
