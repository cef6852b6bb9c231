"""Which parts of a cluster can find each other: the master of one knows an address at which a member of the other runs.

From the text on split-brain recovery. The master searches at the addresses of its join configuration, and at those that
it remembers. It remembers all members that were in its list since its process began, and masters that it was told of,
for the time of retention after they left. A follower that is asked points to its master. The part that should go over
learns of the other by its question. So it is enough that one of two masters knows a way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shaketable.harness.checks.merging.parts import Part, Parts
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import AddressesConfigured, NodeNamed, NodeSpawned
from shaketable.node.cluster.service.addresses import expanded
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import AddressRemembered, JoinAddressesChanged
from shaketable.node.messages import Address


class Ways:
    def __init__(self, history: History, parts: Parts, settings: Settings) -> None:
        self._history = history
        self._parts = parts
        self._settings = settings
        self._processes: dict[str, list[Process]] = {}
        for process in history.processes.values():
            self._processes.setdefault(process.node, []).append(process)

    def groups(self, nodes: Sequence[str], time: Micros, until: Micros) -> list[Part]:
        """The nodes of parts that can find each other, by what is known then and not forgotten before `until`."""
        parts = self._parts.at(nodes, time)
        parts += [(node,) for node in nodes if not any(node in part for part in parts)]  # on its way to one
        known = [self._known(part, time, until) for part in parts]
        at = [{self._history.address_of(node) or node for node in part} for part in parts]
        groups: list[set[int]] = []
        for number, part in enumerate(parts):
            mine = {number}
            rest = []
            for group in groups:
                found = any(known[number] & at[other] or known[other] & at[number] for other in group)
                if found and self._alike(part, [node for other in group for node in parts[other]]):
                    mine |= group
                else:
                    rest.append(group)
            groups = [*rest, mine]
        return sorted(tuple(sorted(node for number in group for node in parts[number])) for group in groups)

    def _alike(self, part: Part, others: Iterable[str]) -> bool:
        """They are of one cluster by their configuration."""
        return self._config(part[0]) == self._config(next(iter(others)))

    def _config(self, node: str) -> tuple[object, ...]:
        own = self._history.settings_of(node, self._settings)
        return own.cluster_name, own.partition_count, own.maps

    def _known(self, part: Part, time: Micros, until: Micros) -> set[Address]:
        """By its master, if all hold one list; else by everybody, for anybody may come to be master."""
        states = {node: self._parts.state(node, time) for node in part}
        keys = {state.install.key for state in states.values() if state.install is not None}
        knowing = list(part)
        if len(keys) == 1:
            installs = [state.install for state in states.values() if state.install is not None]
            master = self._history.names.place(installs[0].view.members[0].address)
            knowing = [master] if master in states else knowing
        known = [self._known_by(node, time, until) for node in knowing]
        return set.intersection(*known)

    def _known_by(self, node: str, time: Micros, until: Micros) -> set[Address]:
        spawned = (r.time for r in self._history.of(NodeSpawned) if r.event == NodeSpawned(node) and r.time <= time)
        began = max(spawned, default=0)
        return self._configured(node, began, time) | self._remembered(node, began, time, until)

    def _configured(self, node: str, began: Micros, time: Micros) -> set[Address]:
        changed = [r for r in self._history.of(JoinAddressesChanged) if r.node == node and began <= r.time <= time]
        if changed:
            last = changed[-1].event
            ports = self._history.settings_of(node, self._settings).port_try_count
            return {each for address in last.addresses for each in expanded(address, ports)}
        for record in self._history.of(AddressesConfigured):
            event = record.event
            if event.peer == node:
                return {address for name in event.knows if (address := self._history.address_of(name)) is not None}
        named = (r.event for r in self._history.of(NodeNamed) if r.time <= began)
        return {event.address for event in named if isinstance(event, NodeNamed)}

    def _remembered(self, node: str, began: Micros, time: Micros, until: Micros) -> set[Address]:
        retention = self._history.settings_of(node, self._settings).address_retention
        left: dict[Address, Micros] = {}
        for process in self._processes.get(node, ()):
            installs = [i for i in process.installs if began <= i.record.time <= time]
            last = process.ended.time if process.ended is not None else until
            for install, end in zip(installs, [*(i.record.time for i in installs[1:]), last], strict=False):
                left.update((member.address, end) for member in install.view.members)
        for record in self._history.of(AddressRemembered):
            if record.node == node and began <= record.time <= time and isinstance(record.event, AddressRemembered):
                left[record.event.address] = max(record.time, left.get(record.event.address, 0))
        return {address for address, since in left.items() if since + retention >= until}
