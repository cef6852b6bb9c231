"""A mastership claim, as its candidate's log tells it.

Answers are not logged. Known are the members of the final list, those that it leaves out, and each newer list that an
answer brought: so answers are inferred when the claim ends, and told just before its end."""

from __future__ import annotations

from shaketable.harness.systems.hazelcast.lines import Line
from shaketable.harness.systems.hazelcast.state import State
from shaketable.harness.systems.hazelcast.words import Named, address_in, list_in, members_in
from shaketable.node.events import ClaimAnswered, ClaimAsked, ClaimFinished, ClaimStarted
from shaketable.node.messages import Address, Member
from shaketable.node.why import Why, because, or_nothing


class Claim:
    def __init__(self, state: State) -> None:
        self._state = state
        self._own = Named(state.version, state.members)
        self._asked: dict[Address, Member] = {}
        self._answers: dict[Address, Named] = {}
        """the newer lists that answers brought"""
        self._suspected: dict[Address, bool] = {}
        state.follow(state.me, because(Why.OWN_CLAIM))
        state.tell(ClaimStarted(state.version, state.members))

    def asks(self, line: Line) -> None:
        for peer in members_in(line.said["asked"]):
            self._ask(peer)

    def asks_another(self, line: Line) -> None:
        """By its address alone: an answer has named it."""
        address = address_in(line.said["address"])
        newer = [peer for answer in self._answers.values() for peer in answer.members]
        for peer in (*newer, *self._own.members):
            if peer.address == address:
                self._ask(peer)
                return
        self._state.troubles.append(f"its claim asks {address}, which no list has named")

    def _ask(self, peer: Member) -> None:
        self._asked[peer.address] = self._state.known(peer)
        self._state.tell(ClaimAsked(self._asked[peer.address]))

    def learns(self, line: Line) -> None:
        tail = list_in(line.said["list"])
        older = self._own.members[: self._own.members.index(self._state.me)]
        head = () if older and older[0] in tail.members else older
        self._answers[address_in(line.said["peer"])] = Named(tail.version, (*head, *tail.members))

    def leaves_out(self, line: Line) -> None:
        self._suspected[address_in(line.said["peer"])] = True

    def finish(self, version: int, members: tuple[Member, ...]) -> None:
        state = self._state
        newest = max((self._own, *self._answers.values()), key=lambda answer: answer.version)
        for address, peer in self._asked.items():
            if peer in members:
                answer = self._answers.get(address, self._own)
                state.tell(ClaimAnswered(peer, "accepted", *answer, *or_nothing(None)))
            elif not self._is_suspected(peer):
                state.tell(ClaimAnswered(peer, "silent", None, None, *because(Why.NO_ANSWER_TO_CLAIM)))
        left = [(peer, self._why_not(peer)) for peer in newest.members if peer not in members]
        state.tell(ClaimFinished(version, members, tuple(left)))

    def _why_not(self, peer: Member) -> str:
        if self._is_suspected(peer):
            return "suspected"
        return "silent" if peer.address in self._asked else "older than the candidate"

    def _is_suspected(self, peer: Member) -> bool:
        return peer.uuid in self._state.suspected or peer.address in self._suspected
