"""One mastership claim as its candidate told it, and what is wrong with its end.

It does not use the harness's fold of claims (seen/claims.py). For each answer it keeps the record that proves it. A
member that only an answer names does not count as asked."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from shaketable.harness.checks.shared.older import older_than
from shaketable.harness.history.names import Names
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen
from shaketable.node.events import ClaimAnswered, ClaimFinished
from shaketable.node.messages import Member, Uuid

FINAL_ANSWERS: Final = ("refused", "silent")

Wrong = tuple[str, Record | None]
"""In words, and the record that shows it beside the claim's own."""


class KnownList(NamedTuple):
    version: int
    members: tuple[Member, ...]
    source: Record
    """the start of the claim, or the answer that brought it"""


class Claim:
    def __init__(self, start: Record, node: NodeSeen) -> None:
        self.start = start
        self.me = Member(node.address, start.incarnation)
        self.newest = KnownList(node.version, node.members, start)
        self.asked: dict[Uuid, Member] = {}
        self.accepted: dict[Uuid, Member] = {}
        self.denied: dict[Uuid, str] = {}
        """who refused for good or stayed silent"""
        self.doubted: dict[Uuid, bool] = dict.fromkeys(node.suspected, True)
        """suspected at some moment of the claim"""
        self._beside: list[KnownList] = []
        """other lists of the newest version: none of them is newer than the other"""
        self._to_ask: dict[Uuid, tuple[Member, Record]] = {}
        self._learn(self.newest)

    def take_answer(self, record: Record, event: ClaimAnswered) -> None:
        if event.answer in FINAL_ANSWERS:
            self.denied[event.peer.uuid] = event.answer
        elif event.answer == "accepted":
            self.accepted[event.peer.uuid] = event.peer
            known = KnownList(event.version or 0, event.members or (), record)
            if known.version > self.newest.version:
                self.newest = known
                self._beside.clear()
                self._learn(known)
            elif known.version == self.newest.version and known.members != self.newest.members:
                self._beside.append(known)

    def _learn(self, known: KnownList) -> None:
        older = {m.uuid: True for m in older_than(known.members, self.me)}
        for member in known.members:
            # A member that stood at the candidate's own address before the candidate cannot be asked any more.
            if member.uuid not in older and member.address != self.me.address:
                self._to_ask.setdefault(member.uuid, (member, known.source))

    def wrongs(self, end: ClaimFinished, suspected: Container[Uuid], names: Names) -> Iterator[Wrong]:
        """`suspected`: by the candidate at the end."""
        newest = {m.uuid: True for m in self.newest.members}
        yield from self._unasked(newest, suspected, names)
        yield from self._final_list(end, newest, suspected, names)
        yield from self._left_out(end, newest, names)
        yield from self._passed_over(end, newest, names)

    def _unasked(self, newest: Container[Uuid], suspected: Container[Uuid], names: Names) -> Iterator[Wrong]:
        for uuid, (member, source) in self._to_ask.items():
            passed_by = uuid in self.doubted and uuid not in newest
            if uuid not in self.asked and uuid not in suspected and not passed_by:
                answer = source.event if isinstance(source.event, ClaimAnswered) else None
                where = "its own list" if answer is None else f"an answer with v{answer.version}"
                name = names.member(member)
                said = f"never asks {name}, although {where} names {name} and it does not suspect {name}"
                yield said, None if answer is None else source

    def _final_list(
        self, end: ClaimFinished, newest: Container[Uuid], suspected: Container[Uuid], names: Names
    ) -> Iterator[Wrong]:
        said = f"ends its claim with v{end.version} {names.members(end.members)}"
        if end.version <= self.newest.version:
            where = "an answer" if self._source() is not None else "its own list"
            yield f"{said}, and {where} has v{self.newest.version}", self._source()
        if end.members[:1] != (self.me,):
            yield f"{said}, of which it is not the first", None
        beside = {m.uuid: True for known in self._beside for m in known.members}
        for member in end.members:
            name = names.member(member)
            if member == self.me:
                continue
            if member.uuid not in self.accepted:
                yield f"{said}, and {name} has not accepted it", None
            elif member.uuid in suspected:
                yield f"{said}, and suspects {name}", None
            elif member.uuid not in newest and member.uuid not in beside:
                yield f"{said}, and the newest list that it knows lacks {name}", self._source()
        places = {m.uuid: place for place, m in enumerate(self.newest.members)}
        order = [places[m.uuid] for m in end.members if m.uuid in places]
        if any(later <= earlier for earlier, later in pairwise(order)):
            yield f"{said}, in another order than the newest list {names.members(self.newest.members)}", self._source()

    def _left_out(self, end: ClaimFinished, newest: Container[Uuid], names: Names) -> Iterator[Wrong]:
        staying = {m.uuid: True for m in (*end.members, self.me)}
        reasons = {member.uuid: why for member, why in end.left_out}
        older = {m.uuid: True for m in older_than(self.newest.members, self.me)}
        for member, why in end.left_out:
            if member.uuid in staying:
                yield f"leaves out {names.member(member)} ({why}), and its final list has it", None
        gone = {m.uuid: m for m in (*self.newest.members, *self.accepted.values()) if m.uuid not in staying}
        for uuid, member in gone.items():
            name = names.member(member)
            if not reasons.get(uuid):
                yield f"leaves out {name} and reports no reason", None
            if uuid in older or uuid in self.doubted or member.address == self.me.address:
                continue
            if uuid in self.accepted:
                if uuid in newest:
                    yield f"leaves out {name}, although {name} accepted and it does not suspect {name}", None
            elif uuid in self.asked and uuid not in self.denied:
                yield f"leaves out {name} without waiting for an answer", None

    def _passed_over(self, end: ClaimFinished, newest: Container[Uuid], names: Names) -> Iterator[Wrong]:
        """A member that only the other one of two equal versions names: nothing says that it was ever taken off."""
        reported = {member.uuid: True for member, why in end.left_out if why}
        for version, members, source in self._beside:
            older = {m.uuid: True for m in older_than(members, self.me)}
            for member in members:
                settled = member.uuid in older or member.uuid in newest or member.address == self.me.address
                if not settled and not any(member.uuid in known for known in (self.asked, self.doubted, reported)):
                    name = names.member(member)
                    said = f"neither asks {name} nor says why it leaves it out: another list of v{version}, an answer,"
                    yield f"{said} names it", source

    def _source(self) -> Record | None:
        return self.newest.source if self.newest.source is not self.start else None
