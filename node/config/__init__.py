"""The settings of a node (settings.py), how one is declared and read (fields.py), and the presets (presets.py)."""

from shaketable.node.config.choices import (
    CLEARED_BACKUPS,
    DEADLINE,
    LATE_BACKUPS,
    LEGACY_FAULTS,
    LONE_DECISIONS,
    MISSED_REMOVAL,
    NO_LEGACY_FAULT,
    ONE_SIDED_SEARCH,
    ONLY_CONFIGURED,
    OWN_TABLES,
    PHI_ACCRUAL,
    SILENT_FOLLOWERS,
    STALE_OVERWRITE,
    STALE_TABLE,
    UNORDERED_UPDATES,
)
from shaketable.node.config.fields import HIDDEN, UNITS, SettingError, outside_name
from shaketable.node.config.names import WITHOUT_EFFECT
from shaketable.node.config.presets import DEFAULT, FAST, PRESETS, read_settings
from shaketable.node.config.rest import is_host, open_groups
from shaketable.node.config.settings import Settings, by_our_names, without_secrets

__all__ = [
    "CLEARED_BACKUPS",
    "DEADLINE",
    "DEFAULT",
    "FAST",
    "HIDDEN",
    "LATE_BACKUPS",
    "LEGACY_FAULTS",
    "LONE_DECISIONS",
    "MISSED_REMOVAL",
    "NO_LEGACY_FAULT",
    "ONE_SIDED_SEARCH",
    "ONLY_CONFIGURED",
    "OWN_TABLES",
    "PHI_ACCRUAL",
    "PRESETS",
    "SILENT_FOLLOWERS",
    "STALE_OVERWRITE",
    "STALE_TABLE",
    "UNITS",
    "UNORDERED_UPDATES",
    "WITHOUT_EFFECT",
    "SettingError",
    "Settings",
    "by_our_names",
    "is_host",
    "open_groups",
    "outside_name",
    "read_settings",
    "without_secrets",
]
