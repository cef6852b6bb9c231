"""Conditions over split-brain recovery: a node is on its way to another part, or has come over, or all nodes are
one."""

from __future__ import annotations

from shaketable.harness.conditions.cluster import Condition, settled, so_often
from shaketable.harness.seen.run import Observed


def one_cluster() -> Condition:
    """All that are awake have settled, in one and the same list."""
    have_settled = settled()

    def why_not(seen: Observed) -> str | None:
        awake = seen.awake()
        for node in awake:
            if not node.joined:
                return f"{node.name} has not joined"
            if node.version != awake[0].version or node.members != awake[0].members:
                return f"{awake[0].name} holds {seen.list_of(awake[0])}, {node.name} holds {seen.list_of(node)}"
        return have_settled.ask(seen)

    return Condition("all that run are one cluster", why_not)


def merging(who: str) -> Condition:
    """It is on its way to another part's cluster, and has not arrived."""

    def why_not(seen: Observed) -> str | None:
        node = seen.nodes[who]
        if not node.running:
            return f"{who} is not running ({node.state})"
        return None if node.merging.into is not None else f"{who} merges into nobody"

    return Condition(f"{who} merges", why_not)


def merged(who: str, count: int) -> Condition:
    """It has come over to another part's cluster exactly `count` times since its process began."""

    def why_not(seen: Observed) -> str | None:
        done = seen.nodes[who].merging.merges
        return None if done == count else f"{who} has merged {so_often(done)}"

    return Condition(f"{who} has merged {so_often(count)}", why_not)


def has_merged_into(who: str, whom: str) -> Condition:
    """Its present identity came over to the cluster that the other one led, and leads or has led as it is now."""

    def why_not(seen: Observed) -> str | None:
        node, other = seen.nodes[who], seen.nodes[whom]
        into = node.merging.merged_into
        if not node.running:
            return f"{who} is not running ({node.state})"
        if into is not None and into.uuid == other.incarnation:
            return None
        return f"{who} has merged into {'nobody' if into is None else seen.names_of([into])[0]}"

    return Condition(f"{who} has merged into {whom}", why_not)


def searches(now: Observed, who: str) -> Condition:
    """From now on a search of it for other parts has ended."""
    before = now.nodes[who].merging.searches

    def why_not(seen: Observed) -> str | None:
        return None if seen.nodes[who].merging.searches > before else f"{who} has ended no search since"

    return Condition(f"{who} has searched for other parts", why_not)


def puts_off(now: Observed, who: str) -> Condition:
    """From now on it was to go over to another part, and could not then."""
    before = now.nodes[who].merging.put_off

    def why_not(seen: Observed) -> str | None:
        return None if seen.nodes[who].merging.put_off > before else f"{who} has put off no merge since"

    return Condition(f"{who} puts off a merge", why_not)
