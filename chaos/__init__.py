"""Chaos scripts, one story a file. Each runs unchanged on real processes and in virtual time, or says why it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable import SECOND, Settings

MERGING_OFF: Final = {"merging": False}
"""For stories of the cluster service alone: what splits stays split, and each part is judged as it is."""

RESOLVING: Final = {**MERGING_OFF, "partial_disconnection_heartbeat_count": 5}
"""And the master decides who stays, five heartbeat rounds after the last news of who cannot hear whom."""


def merging_soon(run: Settings) -> Mapping[str, object]:
    """For stories of split-brain recovery: masters look for each other once in each heartbeat timeout, from the second
    on, so that a run on real processes takes seconds."""
    timeout = run.heartbeat_timeout / SECOND
    return {"merge_first_run_delay_seconds": 2 * timeout, "merge_next_run_delay_seconds": timeout}


def forgetting_soon(run: Settings) -> Mapping[str, object]:
    """And a member that has left is remembered for a heartbeat timeout."""
    return {**merging_soon(run), "address_retention_seconds": run.heartbeat_timeout / SECOND}


LISTS: Final = (
    "view order", "view agreement", "view integrity", "one list a key", "single authority", "following", "settled",
)  # fmt: skip
"""The checks that every story of the member list is about."""


def answering(run: Settings) -> Mapping[str, object]:
    """Requests are answered; a member that takes no new list is named well before it is suspected."""
    return {
        "rest_enabled": True,
        "rest_groups": "CLUSTER_READ CLUSTER_WRITE",
        "cluster_password": "only for this run",
        "member_list_change_timeout_seconds": run.heartbeat_timeout / SECOND / 4,
    }


def resolving_and_merging(run: Settings) -> Mapping[str, object]:
    """Members that the master has sent away come back by themselves."""
    return {**merging_soon(run), "partial_disconnection_heartbeat_count": 5}
