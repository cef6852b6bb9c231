"""The variants that `shaketable compare-detectors` compares, and how it makes the settings of both families comparable.

A group has a period P and bears K missed heartbeats. A cluster gets the same: its heartbeat interval is P, and its
heartbeat timeout is K x P. All other settings are as the user gave them. Merging is off, because it would only
disturb."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.node.config import (
    ALL_TO_ALL,
    BY_ORDER,
    BY_SENIORITY,
    BY_THE_RUN,
    CLUSTER,
    CORE,
    DEADLINE,
    DETECTIONS,
    ELECTIONS,
    GMS,
    INFERRED,
    LIFEGUARD,
    MASTER_AND_LIKELY,
    PHI_ACCRUAL,
    RING,
    SWIM,
    SettingError,
    Settings,
    by_our_names,
    read_settings,
)

IN_SHORT: Final[Mapping[str, str]] = {
    ALL_TO_ALL: "all",
    MASTER_AND_LIKELY: "likely",
    RING: "ring",
    INFERRED: "inferred",
    SWIM: "swim",
    LIFEGUARD: "lifeguard",
    BY_ORDER: "order",
    BY_SENIORITY: "seniority",
}
NOT_TO_BE_SET: Final[Mapping[str, str]] = {
    "family": "both families are compared",
    "gms_detection": "all ways are compared",
    "gms_election": "both ways are compared",
    "failure_detector": "both detectors are compared",
    "heartbeat_interval_seconds": "it is the group's, gms_heartbeat_period_seconds: set that",
    "heartbeat_timeout_seconds": "it is gms_max_missed x gms_heartbeat_period_seconds: set these",
    "discovery_uri_list": "members get each other's addresses from the run",
    "gms_member_type": "all members are core members",
    "merging": "whoever is wrongly removed is restarted",
    "lite_member": "nobody holds data",
    "legacy_fault": "what is compared is not broken on purpose",
}


@dataclass(frozen=True, slots=True)
class Variant:
    name: str
    settings: Settings

    @property
    def is_group(self) -> bool:
        return self.settings.family == GMS


def variants(preset: str, values: Mapping[str, object]) -> tuple[Variant, ...]:
    """All ways to watch by two ways to elect, then the cluster's two detectors."""
    base = _base(preset, values)
    group = [
        Variant(f"{IN_SHORT[way]}, {IN_SHORT[election]}", replace(base, gms_detection=way, gms_election=election))
        for way in DETECTIONS
        for election in ELECTIONS
    ]
    window = base.detection_window
    cluster = replace(base, family=CLUSTER, heartbeat_interval=base.gms_heartbeat_period, heartbeat_timeout=window)
    try:
        cluster.check()
    except SettingError:
        raise UserError(
            f"gms_max_missed = {base.gms_max_missed}: a cluster's heartbeat timeout is at least two intervals, so that "
            "the two families can be compared from 2 missed heartbeats on"
        ) from None
    detectors = [
        Variant(f"cluster, {detector}", replace(cluster, failure_detector=detector))
        for detector in (DEADLINE, PHI_ACCRUAL)
    ]
    return (*group, *detectors)


def _base(preset: str, values: Mapping[str, object]) -> Settings:
    try:
        ours = by_our_names(values)
        settings = read_settings(preset, ours)
    except SettingError as error:
        raise UserError(f"{error}; `shaketable settings` lists them all") from None
    for name, why in NOT_TO_BE_SET.items():
        if name in ours:
            raise UserError(f"--set {name}={ours[name]}: it is not to be set here, {why}")
    if settings.rest_enabled:
        raise UserError("--set rest_enabled=true: nobody asks these members anything by HTTP; leave it out")
    return replace(settings, family=GMS, merging=False, discovery_uri_list=BY_THE_RUN, gms_member_type=CORE)
