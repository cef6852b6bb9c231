"""Whether a member leads, as far as it has told."""

from __future__ import annotations

from shaketable.harness.seen.run import NodeSeen


def follows_itself(node: NodeSeen) -> bool:
    return node.master is not None and node.master.uuid == node.incarnation


def leads(node: NodeSeen) -> bool:
    """It is master, claims nothing, and is not about to go over to another part."""
    return node.joined and follows_itself(node) and not node.claiming and node.merging.into is None
