"""From our settings to Hazelcast's configuration, as the agent takes it with the order to run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from shaketable.harness.systems.hazelcast.lines import LEVELS, UNHEARD
from shaketable.node.config import Settings
from shaketable.node.config.choices import NO_LEGACY_FAULT
from shaketable.node.config.fields import UNITS, outside_name
from shaketable.node.messages import Address
from shaketable.node.process import control

NEVER: Final = 10_000_000
"""seconds, for what it cannot switch off"""
_NO_PROPERTY: Final = frozenset({"cluster_name", "legacy_member_list_format", "merge_first_run_delay"})
"""settings whose name looks like a property of today's Hazelcast, and that are said otherwise or not needed"""
_POLICIES: Final[Mapping[str, str]] = {
    "put-if-absent": "com.hazelcast.spi.merge.PutIfAbsentMergePolicy",
    "latest-update": "com.hazelcast.spi.merge.LatestUpdateMergePolicy",
    "higher-hits": "com.hazelcast.spi.merge.HigherHitsMergePolicy",
    "pass-through": "com.hazelcast.spi.merge.PassThroughMergePolicy",
    "discard": "com.hazelcast.spi.merge.DiscardMergePolicy",
}


def why_not(settings: Settings) -> str:
    """Why a Hazelcast member cannot have these, "" if it can."""
    if settings.legacy_fault != NO_LEGACY_FAULT:
        return f"a Hazelcast member has no legacy fault: {settings.legacy_fault}"
    for name in ("own_member", "partition_services", "partition_groups"):
        if getattr(settings, name):
            return f"a Hazelcast member takes no setting {name}"
    if settings.rest_enabled:
        return "a Hazelcast member answers no HTTP requests of ours"
    if not settings.tcp_ip_join:
        return "a Hazelcast member finds others by the addresses of its join configuration alone"
    for field in dataclasses.fields(settings):
        unit, value = field.metadata["unit"], getattr(settings, field.name)
        if field.metadata["property"].startswith("hazelcast.") and unit in UNITS and value % UNITS[unit]:
            return f"Hazelcast takes whole {unit}: {outside_name(field)} = {value / UNITS[unit]:g}"
    own = next((policy for policy in settings.policies.values() if policy not in _POLICIES), "")
    return f"a Hazelcast member takes no merge policy in Python: {own}" if own else ""


def run_order(run: control.Run, settings: Settings, join: tuple[Address, ...]) -> dict[str, Any]:
    return {
        "do": "run",
        "address": run.address,
        "port": run.port,
        "join": list(join),
        "cluster": settings.cluster_name,
        "lite": settings.lite_member,
        "properties": properties(settings),
        "maps": maps(settings),
        "log": {"levels": dict(LEVELS), "unheard": list(UNHEARD)},
    }


def properties(settings: Settings) -> dict[str, str]:
    """Its times are whole seconds or milliseconds: parts of one count as one."""
    found = {}
    for field in dataclasses.fields(settings):
        name = field.metadata["property"]
        if name.startswith("hazelcast.") and field.name not in _NO_PROPERTY:
            found[name] = _said(field.metadata["unit"], getattr(settings, field.name))
    first, name = settings.merge_first_run_delay, "hazelcast.merge.first.run.delay.seconds"
    found[name] = _said("seconds", first) if settings.merging else str(NEVER)
    if settings.async_join:
        # Before 5.4 there is no such strategy: a joiner waits so long for more of them.
        found["hazelcast.wait.seconds.before.join"] = found["hazelcast.max.wait.seconds.before.join"] = "0"
    return found


def _said(unit: str, value: Any) -> str:
    if unit in UNITS:
        return str(-(-value // UNITS[unit]))
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def maps(settings: Settings) -> dict[str, dict[str, Any]]:
    found = {}
    for name, backups in settings.backup_counts.items():
        about: dict[str, Any] = {"backups": backups}
        policy = settings.policies.get(name)
        if policy is not None:
            about["merge"] = _POLICIES[policy]
        protected = settings.protected.get(name)
        if protected is not None:
            about["least"] = protected.least
            about["protects"] = "_".join(["READ"] * protected.reads + ["WRITE"] * protected.writes)
        found[name] = about
    return found
