"""The things that a member has told before it goes over to another part, leaves, or lets somebody join."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    AddressForgotten,
    AddressRemembered,
    ClaimStarted,
    CompletedDropped,
    EntriesSetAside,
    Event,
    JoinAddressesChanged,
    JoinAddressesChangeEnded,
    JoinBatched,
    JoinRequestIgnored,
    Leaving,
    MergeBegan,
    MergeDataDone,
    MergeJudged,
    MergePutOff,
    Merging,
    SplitBrainSearchBegan,
    SplitBrainSearchEnded,
    ViewInstalled,
)
from shaketable.node.messages import Address, Member, MergeValidation, Uuid
from shaketable.node.why import Why

OWN_ADMISSIONS: Final = (Why.JOINED, Why.SEVERAL_JOINED)
UNFINISHED: Final = (Why.MIGRATION_UNDER_WAY, Why.SEARCHING, Why.OWNERS_NOT_HEARD)
"""what a merge waits for: the next search comes as soon as it has ended"""
_WAITS_NO_MORE: Final = (Why.LOST_WHILE_IT_WAITED, Why.NOT_MASTER_ANY_MORE)


class Merges:
    def __init__(self) -> None:
        self.waiting: dict[Uuid, dict[Address, Member]] = {}
        """by master: the joiners that it lets wait for others"""
        self.asked_with: dict[Uuid, tuple[int, tuple[Member, ...]]] = {}
        """by master: the list with which it looked for other parts last"""
        self.asked_at: dict[Uuid, Micros] = {}
        """by master: when it looked for other parts last"""
        self.goes_since: dict[Uuid, Micros] = {}
        """by master that has its cluster go over: when it had asked"""
        self.goes_first: dict[Uuid, Micros] = {}
        """by master: since when it is to go over, and at most waits for a migration to end; none begins meanwhile"""
        self.searches_since: dict[Uuid, Micros | None] = {}
        """by master that put a merge off for a migration: since when all know that the last one has ended; a search
        follows. None: they do not know yet"""
        self.told_to_come: dict[Uuid, dict[Uuid, tuple[Uuid, Micros]]] = {}
        """by master: the members of parts that it has told to come, with their masters, and when"""
        self.sets_aside: dict[str, Uuid] = {}
        """by node: the identity that has set data aside of which not all is decided"""
        self.leaving: dict[Uuid, Micros] = {}
        """when each was told to leave"""
        self.remembered: dict[str, dict[Address, bool]] = {}
        """by node, through all its identities: where it remembers that another part is led"""
        self.empty_since: dict[str, dict[Address, Micros]] = {}
        """by node, through all its identities: addresses where members of its cluster were, or another part is led, and
        since when none is"""
        self.taken: dict[Uuid, dict[Uuid, tuple[Address, ...]]] = {}
        """by master: the addresses of it that each member took last"""
        self.taken_since: dict[Uuid, bool] = {}
        """masters of which somebody has taken addresses since their last change ended"""

    def spawned(self, node: str) -> None:
        """It begins without all that it had."""
        self.sets_aside.pop(node, None)
        self.remembered.pop(node, None)
        self.empty_since.pop(node, None)

    def learn(self, record: Record, node: NodeSeen) -> None:
        learn = LEARNS.get(type(record.event))
        if learn is not None:
            learn(self, record, record.event, node)

    def _installed(self, record: Record, event: ViewInstalled, node: NodeSeen) -> None:
        me = record.incarnation
        self._waits_no_more(record, event, node)
        empty = self._are_empty(record, node)
        for member in event.members:
            empty.pop(member.address, None)
        waiting = self.waiting.get(me)
        if waiting and event.why in OWN_ADMISSIONS:
            for member in event.members:
                if waiting.get(member.address) == member:
                    del waiting[member.address]

    def _are_empty(self, record: Record, node: NodeSeen) -> dict[Address, Micros]:
        empty = self.empty_since.setdefault(record.node, {})
        empty.update((m.address, record.time) for m in node.members if m.address != node.address)
        return empty

    def _goes_over(self, record: Record, event: Merging, node: NodeSeen) -> None:
        self._are_empty(record, node)

    def _is_to_leave(self, record: Record, event: Leaving, node: NodeSeen) -> None:
        self._waits_no_more(record, event, node)
        self.leaving[record.incarnation] = record.time

    def _lets_wait(self, record: Record, event: JoinBatched, node: NodeSeen) -> None:
        self._waits_no_more(record, event, node)
        self.waiting.setdefault(record.incarnation, {})[event.peer.address] = event.peer

    def _ignored(self, record: Record, event: JoinRequestIgnored, node: NodeSeen) -> None:
        if event.why in _WAITS_NO_MORE:
            self.waiting.get(record.incarnation, {}).pop(event.peer.address, None)

    def _remembers(self, record: Record, event: AddressRemembered, node: NodeSeen) -> None:
        self.remembered.setdefault(record.node, {})[event.address] = True
        self.empty_since.setdefault(record.node, {})[event.address] = record.time

    def _forgets(self, record: Record, event: AddressForgotten, node: NodeSeen) -> None:
        self.remembered.get(record.node, {}).pop(event.address, None)
        self.empty_since.get(record.node, {}).pop(event.address, None)

    def _looks(self, record: Record, event: SplitBrainSearchBegan, node: NodeSeen) -> None:
        self.asked_with[record.incarnation] = node.version, node.members
        self.asked_at[record.incarnation] = record.time
        self.searches_since.pop(record.incarnation, None)

    def _judged(self, record: Record, event: MergeJudged, node: NodeSeen) -> None:
        searched = record.cause is not None and record.cause.kind != MergeValidation.__name__
        self._waits_first(record, event.decision == "merge" and searched)
        if event.decision == "stay":
            self.searches_since.pop(record.incarnation, None)

    def _put_off(self, record: Record, event: MergePutOff, node: NodeSeen) -> None:
        self._waits_first(record, event.why in UNFINISHED)
        if event.why is Why.MIGRATION_UNDER_WAY:
            self.searches_since[record.incarnation] = None

    def _all_know(self, record: Record, event: CompletedDropped, node: NodeSeen) -> None:
        """They have the table of that end, so all who are owners by it serve."""
        parts, me = node.partitions, record.incarnation
        if me in self.searches_since and not parts.under_way and not parts.completed.keys() - set(event.migrations):
            self.searches_since[me] = record.time

    def _waits_first(self, record: Record, waits: bool) -> None:
        if waits:
            self.goes_first[record.incarnation] = record.time
        else:
            self.goes_first.pop(record.incarnation, None)

    def _waits_no_more(self, record: Record, event: Event, node: NodeSeen) -> None:
        self.goes_first.pop(record.incarnation, None)
        self.searches_since.pop(record.incarnation, None)

    def _goes(self, record: Record, event: MergeBegan, node: NodeSeen) -> None:
        self.goes_since[record.incarnation] = self.asked_at.get(record.incarnation, record.time)

    def _sets_aside(self, record: Record, event: EntriesSetAside, node: NodeSeen) -> None:
        if event.entries or event.not_brought:
            self.sets_aside[record.node] = record.incarnation

    def _has_brought(self, record: Record, event: MergeDataDone, node: NodeSeen) -> None:
        self.sets_aside.pop(record.node, None)

    def _took_addresses(self, record: Record, event: JoinAddressesChanged, node: NodeSeen) -> None:
        self.taken.setdefault(event.master.uuid, {})[record.incarnation] = event.addresses
        self.taken_since[event.master.uuid] = True

    def _addresses_ended(self, record: Record, event: JoinAddressesChangeEnded, node: NodeSeen) -> None:
        self.taken_since.pop(record.incarnation, None)


LEARNS: Final[Mapping[type[Event], Callable[[Merges, Record, Any, NodeSeen], None]]] = {
    ViewInstalled: Merges._installed,
    Leaving: Merges._is_to_leave,
    JoinBatched: Merges._lets_wait,
    JoinRequestIgnored: Merges._ignored,
    AddressRemembered: Merges._remembers,
    AddressForgotten: Merges._forgets,
    SplitBrainSearchBegan: Merges._looks,
    SplitBrainSearchEnded: Merges._waits_no_more,
    ClaimStarted: Merges._waits_no_more,
    CompletedDropped: Merges._all_know,
    MergeJudged: Merges._judged,
    MergePutOff: Merges._put_off,
    MergeBegan: Merges._goes,
    Merging: Merges._goes_over,
    EntriesSetAside: Merges._sets_aside,
    MergeDataDone: Merges._has_brought,
    JoinAddressesChanged: Merges._took_addresses,
    JoinAddressesChangeEnded: Merges._addresses_ended,
}
