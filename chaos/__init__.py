"""Chaos scripts, one story a file. Each runs unchanged on real processes and in virtual time, or says why it cannot."""

from __future__ import annotations

from typing import Final

MERGING_OFF: Final = {"merging": False}
"""For stories of the cluster service alone: what splits stays split, and each part is judged as it is."""

RESOLVING: Final = {**MERGING_OFF, "partial_disconnection_heartbeat_count": 5}
"""And the master decides who stays, five heartbeat rounds after the last news of who cannot hear whom."""

LISTS: Final = (
    "view order", "view agreement", "view integrity", "one list a key", "single authority", "following", "settled",
)  # fmt: skip
"""The checks that every story of the member list is about."""
