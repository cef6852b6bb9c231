"""Splits whose links are whole again: which nodes are to be one cluster, by when, and whether they came to be.

From rulings 4.7. A calm proves nothing if a fault is active in it, or a clock was set before. The same holds for nodes
that were told not to merge, and for parts that know no way to each other (ways.py)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.merging.parts import Part, Parts, State, is_one, parts_of
from shaketable.harness.checks.merging.ways import Ways
from shaketable.harness.checks.shared.calms import Calm, calms
from shaketable.harness.checks.shared.circumstances import outside, span_of
from shaketable.harness.history.history import History
from shaketable.harness.records import NodeSpawned, Record
from shaketable.node.core.env import Micros
from shaketable.node.events import JoinAddressesChanged, Merged

MOST_PROOF: Final = 5


@dataclass(slots=True)
class Group:
    """Nodes that are to be one cluster, in one calm."""

    calm: Calm
    nodes: Part
    parts: list[Part]
    """the most that there were at once"""
    due: Micros
    one_since: Micros | None
    """when they first were one, after they had been several"""
    at_end: dict[str, State]
    """what each holds when the calm ends"""

    @property
    def was_split(self) -> bool:
        return len(self.parts) > 1

    @property
    def one_at_end(self) -> bool:
        return is_one(self.at_end)


class Splits:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self._history = history
        self._bounds = bounds
        self._parts = Parts(history)
        self._ways = Ways(history, self._parts, bounds.settings)

    def groups(self) -> Iterator[Group]:
        """Of each calm in which nothing stands against it."""
        since: Micros | None = None
        for calm in judged_calms(self._history) if self._bounds.settings.merging else ():
            if self.in_the_way(calm):
                since = calm.begin if since is None else since
            else:
                yield from self.groups_in(calm, since)
                since = None

    def groups_in(self, calm: Calm, since: Micros | None = None) -> Iterator[Group]:
        """`since`: from then until this calm something stood against it."""
        nodes = self._parts.running(calm)
        if not nodes or self.in_the_way(calm):
            return
        settled = min(calm.end, calm.begin + self._bounds.settle())
        for group in self._ways.groups(nodes, settled, calm.begin + self._bounds.converge(len(nodes))):
            if all(self._history.settings_of(node, self._bounds.settings).merging for node in group):
                yield self._judged(calm, group, since)

    def in_the_way(self, calm: Calm) -> str:
        """The fault because of which nothing can be expected in this calm."""
        for number, facts in self._history.faults.items():
            span = span_of(facts)
            if span.begin <= calm.begin and (span.end >= calm.end > span.begin or span.kind.sets_clock):
                stays = "had put a clock wrong" if span.kind.sets_clock else "was not over at the end of the run"
                return f"fault {number} ({span.verb}) {stays}"
        if any(span.links and span.begin <= calm.begin and span.end >= calm.end for span in outside(self._history)):
            return "the links had been broken from outside"
        return ""

    def _judged(self, calm: Calm, nodes: Part, since: Micros | None) -> Group:
        settled = calm.begin + self._bounds.settle()
        most = self._healed_early(calm, nodes, since)
        at_once = 1
        one_since: Micros | None = None
        now: dict[str, State] = {}
        for time, now in self._parts.course(nodes, calm):
            parts = parts_of(now)
            if len(parts) > len(most):
                most = parts
            if time <= settled:
                at_once = max(at_once, len(parts))
            if len(most) > 1 and one_since is None and is_one(now):
                one_since = time
        return Group(calm, nodes, most, self._due(calm, nodes, at_once), one_since, dict(now))

    def _healed_early(self, calm: Calm, nodes: Part, since: Micros | None) -> list[Part]:
        """The parts that there were before: links are whole, and parts may meet, before the receipt of it."""
        most: list[Part] = [nodes]
        merged = [r for r in self._history.of(Merged) if r.node in nodes and (since or 0) < r.time <= calm.begin]
        if since is not None and merged:
            for _, now in self._parts.course(nodes, Calm(since, calm.begin)):
                most = max(most, parts_of(now), key=len)
        return most

    def _due(self, calm: Calm, nodes: Part, clusters: int) -> Micros:
        """By the member that has run for the shortest time, and is the most patient."""
        return calm.begin + max(self._bound(calm, node, clusters) for node in nodes)

    def _bound(self, calm: Calm, node: str, clusters: int) -> Micros:
        spawned = (r.time for r in self._history.of(NodeSpawned) if r.event == NodeSpawned(node) and r.time < calm.end)
        began = self._parts.begun(node, max(spawned, default=0))
        own = Bounds(self._history.settings_of(node, self._bounds.settings), self._bounds.allowance)
        return own.converge(clusters, max(0, calm.begin - began))


def judged_calms(history: History) -> Iterator[Calm]:
    """A change of the join configuration may show a way that nobody knew before."""
    return calms(history, JoinAddressesChanged)


def who_holds_what(history: History, group: Group) -> str:
    """ "n1 n2 hold v7 [n1 n2], n4 holds v6 [n4], n5 holds no list"."""
    holding: dict[str, list[str]] = {}
    for node, state in sorted(group.at_end.items()):
        view = state.install.view if state.install is not None else None
        held = "no list" if view is None else f"v{view.version} {history.names.members(view.members)}"
        holding.setdefault(held, []).append(node)
    return ", ".join(f"{' '.join(who)} {'holds' if len(who) == 1 else 'hold'} {what}" for what, who in holding.items())


def proof_of(history: History, group: Group) -> list[Record]:
    """The lists that are held when the calm ends, each once."""
    lists = {s.install.key: s.install.record for s in group.at_end.values() if s.install is not None}
    return list(lists.values())[:MOST_PROOF] or [history.records[-1]]
