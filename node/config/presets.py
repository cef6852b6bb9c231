"""The two presets, and how settings are read: a preset and what a user changes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.node.config.fields import SettingError, outside_name, shown, to_inside
from shaketable.node.config.names import shown_by_name
from shaketable.node.config.settings import BY_OUTSIDE_NAME, BY_PROPERTY, Settings, named
from shaketable.node.core.env import MILLISECOND, SECOND

DEFAULT: Final = Settings()
"""The values of the texts. Simulated campaigns use it: virtual time is free."""

FAST: Final = Settings(
    heartbeat_interval=250 * MILLISECOND,
    heartbeat_timeout=3 * SECOND,
    member_list_publish_interval=3 * SECOND,
    mastership_claim_timeout=6 * SECOND,
    mastership_claim_longest_retry=25 * MILLISECOND,
    master_confirmation_interval=1500 * MILLISECOND,
    master_confirmation_timeout=7500 * MILLISECOND,
    wait_before_join=250 * MILLISECOND,
    max_wait_before_join=1 * SECOND,
    stale_join_prevention=1500 * MILLISECOND,
    # A tenth of the default, no twentieth: how often to ask is set by how soon a real process can answer.
    join_retry=100 * MILLISECOND,
    # A real process needs this long for its links to come up; a twentieth of the default made joiners found clusters.
    join_patience=800 * MILLISECOND,
    startup_vote_timeout=500 * MILLISECOND,
    max_join=15 * SECOND,
    graceful_shutdown_max_wait=30 * SECOND,
    leave_retry=50 * MILLISECOND,
    # Not so often that tables alone fill a thin link.
    partition_table_send_interval=2 * SECOND,
    backup_sync_interval=1500 * MILLISECOND,
    # No twentieth: the data of a partition have to get through a thin link in this time.
    migration_timeout=60 * SECOND,
    migration_pause=150 * MILLISECOND,
    merge_first_run_delay=15 * SECOND,
    merge_next_run_delay=6 * SECOND,
    # A real process on a busy machine has to come up at the target in this time.
    merge_validation_timeout=1 * SECOND,
    max_join_merge_target=5 * SECOND,
    address_retention=720 * SECOND,
    # Here too: so long a real process may need to answer.
    member_list_change_timeout=3 * SECOND,
    merge_data_patience=15 * SECOND,
    operation_timeout=10 * SECOND,
    operation_retry=25 * MILLISECOND,
    # A real process on a busy machine may need a good part of this to answer.
    backup_timeout=500 * MILLISECOND,
    # A tenth of the default: who is silent is probed, but a busy machine must not make that the rule.
    gms_heartbeat_period=300 * MILLISECOND,
    # As long as a real process on a busy machine may need to answer; a link known to be down fails at once.
    gms_probe_timeout=1 * SECOND,
    gms_verify_timeout=300 * MILLISECOND,
    # With the pings of others it is as long as a real process may need to answer.
    swim_ping_timeout=300 * MILLISECOND,
    # Here too a real process's links have to come up first.
    discovery_timeout=800 * MILLISECOND,
    discovery_retry=100 * MILLISECOND,
    # More detection windows than the default has, or on a busy machine nothing is left when a gap is seen.
    gms_resend_history=9 * SECOND,
    gms_failed_member_memory=180 * SECOND,
    gms_group_start_limit=30 * SECOND,
    gms_group_start_delay=150 * MILLISECOND,
    gms_shutdown_patience=3 * SECOND,
)
"""For real runs in demos and CI: about 20 times shorter, the same ratios except what the machine sets."""

PRESETS: Final[Mapping[str, Settings]] = {"default": DEFAULT, "fast": FAST}


def read_settings(preset: str, values: Mapping[str, object]) -> Settings:
    if preset not in PRESETS:
        raise SettingError(f"preset = {preset!r}: give one of {', '.join(PRESETS)}")
    return PRESETS[preset].with_values(values)


def by_our_names(values: Mapping[str, object]) -> dict[str, object]:
    """Hazelcast's property names become ours, so that of two sources the stronger wins by whichever name. A wrong value
    is told by the name that was given."""
    ours: dict[str, object] = {}
    for f, name, value in named(values):
        to_inside(f, name, value)
        ours[outside_name(f)] = value
    return ours


def without_secrets(values: Mapping[str, object]) -> dict[str, object]:
    """Settings as they were given by name, for people."""
    known = {**BY_PROPERTY, **BY_OUTSIDE_NAME}
    return {
        name: shown(known[name], value) if name in known else shown_by_name(name, value)
        for name, value in values.items()
    }
