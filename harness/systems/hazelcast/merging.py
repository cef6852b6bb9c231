"""A merge: which of two clusters goes over, and the new identity of each of its members."""

from __future__ import annotations

import re
from typing import Final

from shaketable.harness.systems.hazelcast.lines import Line
from shaketable.harness.systems.hazelcast.state import State
from shaketable.harness.systems.hazelcast.words import UUID, address_in
from shaketable.node.events import (
    MergeBegan,
    Merged,
    MergeFailed,
    MergeJudged,
    MergePutOff,
    Merging,
    SplitBrainSearchBegan,
    SplitBrainSearchEnded,
)
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.why import Because, Why, because

_OF_MESSAGE: Final = re.compile(rf"address=(?P<address>\[[^\]]+\]:\d+).*?uuid='?(?P<uuid>{UUID})'?", re.DOTALL)
_COUNTS: Final = re.compile(r"\[(\d+) > (\d+)\]")


class Merges:
    def __init__(self, state: State) -> None:
        self._state = state
        self.former: Uuid = ""
        """facts may still name it, for a moment"""
        self._into: Member | None = None
        self._wants_to = False
        """and has not frozen its cluster, which it does first"""
        self._in_the_way = Why.LIST_CHANGED
        self._uuids: dict[Address, Uuid] = {}
        """of masters of other clusters, as their messages named them"""
        self._searches = False

    def may_be(self, uuid: Uuid) -> bool:
        return uuid in (self._state.me.uuid, self.former)

    # It asks one address after the other. Each is told as a search of its own.

    def asks(self, line: Line) -> None:
        self.search_ends(line="")
        self._searches = True
        self._state.tell(SplitBrainSearchBegan(self._state.version, 1))

    def is_unanswered(self, line: Line) -> None:
        self.search_ends()

    def search_ends(self, answered: int = 0, line: str | None = None) -> None:
        if self._searches:
            self._searches = False
            why = because(Why.ALL_ANSWERED if answered else Why.SOME_SILENT)
            self._state.tell(SplitBrainSearchEnded(self._state.version, answered, *why), line)

    def compares(self, line: Line) -> None:
        self.search_ends(1)
        found = _OF_MESSAGE.search(line.said["message"])
        if found is not None:
            self._uuids[address_in(found["address"])] = found["uuid"]

    def would_merge(self, line: Line) -> None:
        self._judge(line, "merge")

    def stays(self, line: Line) -> None:
        self._judge(line, "stay")

    def lists_overlap(self, line: Line) -> None:
        self._state.tell(MergeJudged(self._peer(line), "no", *because(Why.LISTS_OVERLAP, "somebody")))

    def _judge(self, line: Line, decision: str) -> None:
        counts = _COUNTS.search(line.said["reason"])
        self._state.tell(MergeJudged(self._peer(line), decision, *_by(decision, counts)))

    def wants_to(self, line: Line) -> None:
        """The master of those who go over."""
        self._into, self._wants_to = self._peer(line), True
        self._in_the_way = Why.LIST_CHANGED

    def freezes(self, line: Line) -> None:
        mine = address_in(line.said["initiator"]) == self._state.me.address
        if mine and "newState=FROZEN" in line.said["change"]:
            self._begins()

    def _begins(self) -> None:
        if self._wants_to and self._into is not None:
            self._wants_to = False
            self._state.tell(MergeBegan(self._into, self._state.version, self._state.members))

    def cannot_freeze(self, line: Line) -> None:
        if "pending migration" in line.said["reason"]:
            self._in_the_way = Why.MIGRATION_UNDER_WAY

    def is_put_off(self, line: Line) -> None:
        into, self._into, self._wants_to = self._into, None, False
        if into is not None:
            self._state.tell(MergePutOff(into, *because(self._in_the_way)))

    def is_told_to(self, line: Line) -> None:
        self._begins()
        self._into = self._peer(line)

    def is_another(self, line: Line) -> None:
        state = self._state
        self.former = line.said["previous"]
        into = self._into or state.master or state.me
        state.tell(Merging(into))
        state.start(line.said["new"])

    def is_admitted(self, by: Member) -> None:
        if self._into is not None:
            self._into = None
            self._state.tell(Merged(by))

    def lifecycle(self, state: str) -> None:
        if state == "MERGE_FAILED":
            into, self._into = self._into, None
            self._state.tell(MergeFailed(*because(Why.NOT_ADMITTED, into.address if into is not None else "")))

    def _peer(self, line: Line) -> Member:
        address = address_in(line.said["address"])
        return Member(address, self._uuids.get(address) or self._state.uuid_at(address))


def _by(decision: str, counts: re.Match[str] | None) -> Because:
    if counts is None:
        return because(Why.LARGER_ADDRESS, "as many")
    more, fewer = counts[1], counts[2]
    return because(Why.DATA_MEMBERS, *((fewer, more) if decision == "merge" else (more, fewer)))
