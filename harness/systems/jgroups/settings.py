"""From our settings to the times of a JGroups stack, in the words of the order to run."""

from __future__ import annotations

from collections.abc import Iterator

from shaketable.node.config import DEADLINE, Settings
from shaketable.node.config.choices import NO_LEGACY_FAULT
from shaketable.node.core.env import MILLISECOND, Micros


def why_not(settings: Settings) -> str:
    """Why a JGroups member cannot have these, "" if it can."""
    if settings.legacy_fault != NO_LEGACY_FAULT:
        return f"a JGroups member has no legacy fault: {settings.legacy_fault}"
    for name in ("own_member", "partition_services"):
        if getattr(settings, name):
            return f"a JGroups member takes no setting {name}"
    if settings.partial_disconnection_wait:
        return "a JGroups member leaves nobody out for a link that is broken between two others"
    if settings.failure_detector != DEADLINE:
        return f"a JGroups member has no failure detector {settings.failure_detector}"
    if settings.lite_member:
        return "a JGroups member is never a lite one"
    if settings.rest_enabled:
        return "a JGroups member answers no HTTP requests of ours"
    if not settings.tcp_ip_join:
        return "a JGroups member finds others by the addresses of its join configuration alone"
    if not settings.cluster_name.isprintable():
        return "the name of a JGroups cluster is of printable characters here"
    return ""


def words(settings: Settings) -> Iterator[str]:
    yield f"cluster={settings.cluster_name}"
    yield f"interval={_millis(settings.heartbeat_interval)}"
    yield f"timeout={_millis(settings.heartbeat_timeout)}"
    yield f"verify={_millis(settings.gms_verify_timeout)}"
    yield f"join={_millis(settings.join_patience)}"
    yield f"join-attempts={max(1, settings.max_join // settings.join_patience)}"
    most = _millis(settings.merge_next_run_delay) if settings.merging else 0
    yield f"merge-least={most // 2}"
    yield f"merge-most={most}"


def _millis(time: Micros) -> int:
    return max(1, time // MILLISECOND)
