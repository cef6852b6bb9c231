"""The settings of a node (settings.py), how one is declared and read (fields.py), and the presets (presets.py)."""

from shaketable.node.config.fields import HIDDEN, UNITS, SettingError, outside_name
from shaketable.node.config.presets import DEFAULT, FAST, PRESETS, read_settings
from shaketable.node.config.rest import is_host, open_groups
from shaketable.node.config.settings import (
    CLEARED_BACKUPS,
    DEADLINE,
    LATE_BACKUPS,
    LEGACY_FAULTS,
    LONE_DECISIONS,
    MISSED_REMOVAL,
    NO_LEGACY_FAULT,
    OWN_TABLES,
    PHI_ACCRUAL,
    STALE_OVERWRITE,
    STALE_TABLE,
    UNORDERED_UPDATES,
    WITHOUT_EFFECT,
    Settings,
    by_our_names,
    without_secrets,
)

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
    "OWN_TABLES",
    "PHI_ACCRUAL",
    "PRESETS",
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
