"""Which parts of one group can find each other: by the addresses of the discovery list, or of members declared failed.

Only masters, and members that follow nobody, ask around. The member that is asked says who its master is (rulings
5.2)."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.checks.groups.at_rest import AtRest
from shaketable.harness.checks.groups.reading import FAILURE
from shaketable.harness.history.history import History
from shaketable.harness.records import AddressesConfigured, NodeNamed, NodeSpawned
from shaketable.node.config import BY_THE_RUN, Settings, discovery_addresses
from shaketable.node.core.env import Micros
from shaketable.node.events import NotificationPublished
from shaketable.node.messages import Address, Uuid


class Known:
    def __init__(self, history: History, settings: Settings) -> None:
        self._history = history
        self._settings = settings
        self._failed: dict[Uuid, list[tuple[Micros, Address]]] = {}
        """by the member that declared it"""
        for record in history.of(NotificationPublished):
            event = record.event
            if event.change == FAILURE and event.peer is not None:
                self._failed.setdefault(record.incarnation, []).append((record.time, event.peer.address))

    def together(self, sides: Sequence[Sequence[AtRest]], now: Micros) -> list[list[AtRest]]:
        """Sides that can find each other, as one."""
        known = [self._known(side, now) for side in sides]
        at = [{each.process.member.address for each in side if each.process.member is not None} for side in sides]
        sets: list[list[int]] = []
        for number, side in enumerate(sides):
            near, far = [number], []
            for group in sets:
                meet = any(known[number] & at[other] or known[other] & at[number] for other in group)
                if meet and self._group(side) == self._group(sides[group[0]]):
                    near += group
                else:
                    far.append(group)
            sets = [*far, near]
        return [[each for number in sorted(group) for each in sides[number]] for group in sets]

    def asks(self, who: AtRest, whom: AtRest, now: Micros) -> bool:
        """The one looks for a master at the address of the other, which is of the same group."""
        assert whom.process.member is not None
        return whom.process.member.address in self._known([who], now) and self._group([who]) == self._group([whom])

    def _group(self, side: Sequence[AtRest]) -> tuple[str, str]:
        own = self._history.settings_of(side[0].process.node, self._settings)
        return own.gms_domain, own.gms_group

    def _known(self, side: Sequence[AtRest], now: Micros) -> set[Address]:
        """By its master, or by a member that has none."""
        known: set[Address] = set()
        for each in side:
            if each.leads or each.master is None:
                own = self._history.settings_of(each.process.node, self._settings)
                failed = self._failed.get(each.process.uuid, ())
                known |= self.configured(each.process.node, own)
                known |= {address for time, address in failed if time + own.gms_failed_member_memory > now}
        return known

    def configured(self, node: str, own: Settings) -> set[Address]:
        """Its discovery list. Without one of its own these are the nodes that had a name when it was first spawned."""
        if own.discovery_uri_list != BY_THE_RUN:
            return set(discovery_addresses(own.discovery_uri_list))
        for record in self._history.of(AddressesConfigured):
            event = record.event
            if event.peer == node:
                return {address for name in event.knows if (address := self._history.address_of(name)) is not None}
        spawned = next((r.sequence for r in self._history.of(NodeSpawned) if r.event == NodeSpawned(node)), None)
        named = self._history.of(NodeNamed)
        return {each.event.address for each in named if spawned is None or each.sequence < spawned}
