"""What the settings that choose one of several choose from."""

from __future__ import annotations

from typing import Final

DEADLINE: Final = "deadline"
PHI_ACCRUAL: Final = "phi-accrual"

USUAL: Final = "usual"
VARYING: Final = "varying"
RANKED: Final = "ranked"
CHOSEN: Final = "chosen"
SCHEDULES: Final = (USUAL, VARYING, RANKED, CHOSEN)

NO_LEGACY_FAULT: Final = "none"
UNORDERED_UPDATES: Final = "unordered updates"
MISSED_REMOVAL: Final = "missed removal"
STALE_OVERWRITE: Final = "stale overwrite"
OWN_TABLES: Final = "own tables"
STALE_TABLE: Final = "stale table"
LONE_DECISIONS: Final = "lone decisions"
CLEARED_BACKUPS: Final = "cleared backups"
LATE_BACKUPS: Final = "late backups"
ONLY_CONFIGURED: Final = "only configured"
SILENT_FOLLOWERS: Final = "silent followers"
ONE_SIDED_SEARCH: Final = "one-sided search"
LEGACY_FAULTS: Final = (
    UNORDERED_UPDATES, MISSED_REMOVAL, STALE_OVERWRITE,
    OWN_TABLES, STALE_TABLE, LONE_DECISIONS, CLEARED_BACKUPS, LATE_BACKUPS,
    ONLY_CONFIGURED, SILENT_FOLLOWERS, ONE_SIDED_SEARCH,
)  # fmt: skip
"""With the first three opens the text on cluster service consistency, with the last three that on split-brain recovery,
with the others that on avoiding data loss on migration; `node/legacy/` has their code."""

STALE_NOTIFICATIONS: Final = "stale notifications"
UNSTORED_NOTIFICATIONS: Final = "unstored notifications"
UNVERIFIED_DOUBTS: Final = "unverified doubts"
LOST_FAILURE: Final = "lost failure"
TWO_TIE_BREAKS: Final = "two tie-breaks"
NO_ALL_CLEAR: Final = "no all-clear"
SWAPPED_MASTERS: Final = "swapped masters"
SERIAL_SENDER: Final = "serial sender"
GROUP_FAULTS: Final = (
    STALE_NOTIFICATIONS, UNSTORED_NOTIFICATIONS, UNVERIFIED_DOUBTS, LOST_FAILURE, TWO_TIE_BREAKS, NO_ALL_CLEAR,
    SWAPPED_MASTERS, SERIAL_SENDER,
)  # fmt: skip
"""What Shoal does, by its code, where the text on it without multicast is silent; `node/legacy/groups/` acts it out."""
