"""What a user plugs in, named by a setting and found by its name: services that keep data beside the maps, and policies
that decide on entries that merge.

From text 3.0.5: what such a service has to do is in partition/services.py (`MigrationAwareService`); what a policy has
to do in partition/merging/policies.py (`MergePolicy`)."""

from __future__ import annotations

import importlib
from typing import Any

from shaketable.node.cluster.partition.merging.policies import Decide
from shaketable.node.cluster.partition.services import MigrationAwareService
from shaketable.node.config import SettingError, Settings

NEEDED = (
    "before_migration", "commit_migration", "rollback_migration", "replication_data", "replicate", "promoted",
)  # fmt: skip


def check_plugged(settings: Settings) -> None:
    """SettingError: something that a setting names cannot be made. So it is told before anything is started."""
    plugged_services(settings)
    plugged_policies(settings)


def plugged_services(settings: Settings) -> list[MigrationAwareService]:
    """One of each, new: a member has its own."""
    return [_made("partition_services", name, "service", NEEDED) for name in settings.partition_services.split()]


def plugged_policies(settings: Settings) -> dict[str, Decide]:
    """By name, as the setting has it."""
    own = [name for name in settings.policies.values() if ":" in name]
    return {name: _made("merge_policies", name, "policy", ("merge",)).merge for name in own}


def _made(setting: str, name: str, what: str, needed: tuple[str, ...]) -> Any:
    module, _, called = name.partition(":")
    try:
        made: Any = getattr(importlib.import_module(module), called)()
    except Exception as error:  # whatever the user's own code may raise
        why = f"{type(error).__name__}: {error}"
        raise SettingError(f"{setting}: {name} cannot be made ({why}); give package.module:Class") from None
    lacking = [method for method in needed if not callable(getattr(made, method, None))]
    if lacking:
        raise SettingError(f"{setting}: {name} is no such {what}, it lacks {lacking[0]}()")
    return made
