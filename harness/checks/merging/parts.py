"""The parts of a cluster in a calm: which node holds which list when, and which nodes could find each other again.

The checks of split-brain recovery share it. Two nodes are in one part if their lists have a member in common, or hang
together by the lists of others. A node without a list is in no part. A node goes on through its merges. No process
begins or ends in a calm, so the same nodes run all through it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from shaketable.harness.checks.shared.calms import Calm
from shaketable.harness.history.history import History, Install, Key, Process
from shaketable.node.core.env import Micros
from shaketable.node.events import Merging, Started
from shaketable.node.messages import Uuid


class State(NamedTuple):
    """Of a node, from then on."""

    time: Micros
    process: Process | None
    install: Install | None
    """the list that it holds; None: it is not a member, or between two identities"""


NOWHERE = State(0, None, None)
Part = tuple[str, ...]
"""names of nodes, in the order of the alphabet"""


class Parts:
    def __init__(self, history: History) -> None:
        self._states: dict[str, list[State]] = {}
        begun = {record.incarnation: record.time for record in history.of(Started)}
        for process in history.processes.values():
            states = self._states.setdefault(process.node, [])
            first = process.installs[0].record.time if process.installs else 0
            states.append(State(begun.get(process.uuid, first), process, None))
            states += [State(install.record.time, process, install) for install in process.installs]
            if process.ended is not None:
                goes_on = process if isinstance(process.ended.event, Merging) else None
                states.append(State(process.ended.time, goes_on, None))
            if process.gone is not None:
                states.append(State(process.gone.time, None, None))

    def running(self, calm: Calm) -> list[str]:
        """All through this calm, but for a moment at its beginning: a process takes some time to come up."""
        return sorted(node for node in self._states if self._runs(node, calm))

    def _runs(self, node: str, calm: Calm) -> bool:
        if self.state(node, calm.begin).process is not None:
            return True
        return any(time < calm.end and state.process for time, _, state in self.changes([node], calm.begin, calm.end))

    def begun(self, node: str, since: Micros) -> Micros:
        """When it told the first word since then."""
        return next((state.time for state in self._states[node] if state.time >= since), since)

    def state(self, node: str, time: Micros) -> State:
        states = self._states[node]
        place = bisect_right(states, time, key=lambda state: state.time)
        return states[place - 1] if place else NOWHERE

    def changes(self, nodes: Iterable[str], begin: Micros, end: Micros) -> list[tuple[Micros, str, State]]:
        """After `begin`, up to `end`, in their order."""
        found: list[tuple[Micros, str, State]] = []
        for node in nodes:
            states = self._states[node]
            place = bisect_right(states, begin, key=lambda state: state.time)
            found += [(state.time, node, state) for state in states[place:] if state.time <= end]
        return sorted(found, key=lambda change: change[0])

    def at(self, nodes: Sequence[str], time: Micros) -> list[Part]:
        return parts_of({node: self.state(node, time) for node in nodes})

    def course(self, nodes: Sequence[str], calm: Calm) -> Iterator[tuple[Micros, dict[str, State]]]:
        """What these hold at the beginning of the calm, and after each change; always the same dictionary."""
        now = {node: self.state(node, calm.begin) for node in nodes}
        yield calm.begin, now
        for time, node, state in self.changes(nodes, calm.begin, calm.end):
            now[node] = state
            yield time, now


def is_one(now: dict[str, State]) -> bool:
    """They hold one list, and are its members."""
    held = list(now.values())
    first = held[0].install
    if first is None or len(first.view.members) != len(held):
        return False
    uuids = {state.process.uuid for state in held if state.process is not None}
    return uuids == {m.uuid for m in first.view.members} and all(
        state.install is not None and state.install.key == first.key for state in held
    )


def parts_of(now: dict[str, State]) -> list[Part]:
    by_list: dict[Key, tuple[Install, list[str]]] = {}
    for node, state in now.items():
        if state.install is not None:
            by_list.setdefault(state.install.key, (state.install, []))[1].append(node)
    parts: list[tuple[set[Uuid], list[str]]] = []
    for install, nodes in by_list.values():
        uuids, names = {member.uuid for member in install.view.members}, list(nodes)
        apart = []
        for other in parts:
            if uuids.isdisjoint(other[0]):
                apart.append(other)
            else:
                uuids |= other[0]
                names += other[1]
        parts = [*apart, (uuids, names)]
    return sorted(tuple(sorted(names)) for _, names in parts)
