"""Services of a user's own that keep data in partitions, beside the maps: named by a setting, found by their name.

From the text on avoiding data loss on migration, "User Interaction": what such a service has to do is in
partition/services.py (`MigrationAwareService`)."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from shaketable.node.config import SettingError, Settings
from shaketable.node.partition.services import MigrationAwareService

NEEDED = (
    "before_migration", "commit_migration", "rollback_migration", "replication_data", "replicate", "promoted",
)  # fmt: skip


def plugged_services(settings: Settings) -> list[MigrationAwareService]:
    """One of each, new: a member has its own."""
    return [_made(name) for name in settings.partition_services.split()]


def _made(name: str) -> MigrationAwareService:
    module, _, called = name.partition(":")
    try:
        make: Callable[[], MigrationAwareService] = getattr(importlib.import_module(module), called)
        service = make()
    except Exception as error:  # whatever the user's own code may raise
        why = f"{type(error).__name__}: {error}"
        raise SettingError(f"partition_services: {name} cannot be made ({why}); give package.module:Class") from None
    lacking = [method for method in NEEDED if not callable(getattr(service, method, None))]
    if lacking:
        raise SettingError(f"partition_services: {name} is no such service, it lacks {lacking[0]}()")
    return service
