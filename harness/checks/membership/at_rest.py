"""Each thing that a member waits for or lacks, and how long it may, when nothing is broken and nothing happens."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.shared.leading import leads
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import Micros
from shaketable.node.messages import Address, Uuid

Open = tuple[str, Micros]
"""in words, and how long it may be so"""


def known_to_all(own: Bounds) -> Micros:
    """The newest list and table: each is published again and again."""
    return own.lost_publish + own.settings.partition_table_send_interval


def prompt(own: Bounds) -> Micros:
    """An operation, when nothing is in its way."""
    s = own.settings
    return s.backup_timeout + 2 * s.operation_retry + s.heartbeat_interval + own.allowance


def open_things(node: NodeSeen, own: Bounds, since: Micros, leaving: Container[Uuid]) -> Iterator[Open]:
    """`since`: when something happened last."""
    s, parts, told = own.settings, node.partitions, known_to_all(own)
    if not node.joined:
        batch = 0 if s.async_join else s.max_wait_before_join + s.wait_before_join
        target = s.max_join_merge_target if node.merging.into is not None else 0
        once = s.join_patience + s.startup_vote_timeout + s.join_retry
        yield "has not joined", 2 * once + batch + target + own.allowance
        return
    if node.claiming:
        yield "has not ended its claim", s.mastership_claim_timeout + own.allowance
    if node.incarnation in leaving:
        yield "has not left", told + 4 * s.leave_retry
    if node.merging.searching and (node.merging.last_search or 0) < since:
        yield "has not ended its search for other parts", 2 * s.merge_validation_timeout + own.allowance
    if node.merging.into is not None and node.incarnation != node.merging.into.uuid:
        yield "has not gone over to another part", told + s.max_join_merge_target
    if parts.searching:
        yield "has not ended its search for the newest table", told
    if parts.queue or parts.under_way:
        yield "has migrations to do", told + s.migration_pause
    if parts.active:
        yield "has a migration under way", told + s.migration_pause
    leads = node.master is not None and node.master.uuid == node.incarnation
    if leads and parts.completed and len(node.members) > 1:  # alone it tells nobody which it still keeps
        yield "has not learnt that all know of the migrations that it has completed", told
    if parts.safe is False:
        why = parts.why_not_safe
        yield f"does not say that all is safe ({why})", told + s.migration_pause + 2 * s.backup_sync_interval


def lacking(node: NodeSeen, own: Bounds, seen: Observed) -> Iterator[Open]:
    """By what its master has; or one that has admitted it, and is asked every so often."""
    for other in seen.awake() if not node.joined else ():
        if leads(other) and any(member.uuid == node.incarnation for member in other.members):
            yield f"has not joined, and the list of {other.name}, a master, has it", 3 * own.settings.join_retry
    master = seen.is_current(node.master) if node.master is not None and node.joined else None
    if master is None or master is node:
        return
    told = known_to_all(own)
    if (node.version, node.members) != (master.version, master.members):
        yield f"holds v{node.version}, and {master.name}, its master, v{master.version}", told
    if node.partitions.version != master.partitions.version:
        mine, its = node.partitions.version, master.partitions.version
        yield f"has version {mine} of the table, and {master.name}, its master, version {its}", told
    for each in node.suspected.values():
        peer = seen.is_current(each.peer)
        # Two that suspect each other tell each other nothing, so nothing ends that where no master decides.
        if peer is not None and node.incarnation not in peer.suspected:
            name = seen.names.get(each.peer.address, each.peer.address)
            yield f"suspects {name}, of its list", own.silence + own.settings.heartbeat_interval


def kept_links(node: NodeSeen, own: Bounds, seen: Observed, former: Mapping[Address, bool]) -> Iterator[Open]:
    """Links to where a member was, and none is any more."""
    for address, up in node.links_up.items():
        if up and address in former:
            yield f"has not hung up its link to {seen.names.get(address, address)}", 2 * own.hanging_up
