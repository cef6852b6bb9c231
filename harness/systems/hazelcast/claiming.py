"""Mastership claims, as the logs of the candidate and of those who accept tell them.

Answers are not logged. Known are the members of the final list, those that it leaves out, and each newer list that an
answer brought: so answers are inferred when the claim ends, and told just before its end. Which list an answer had that
brought no newer one is not known."""

from __future__ import annotations

from shaketable.harness.systems.hazelcast.lines import Line
from shaketable.harness.systems.hazelcast.state import State
from shaketable.harness.systems.hazelcast.words import Named, address_in, list_in, members_in
from shaketable.node.events import (
    ClaimAnswered,
    ClaimAsked,
    ClaimConsented,
    ClaimDeclined,
    ClaimFinished,
    ClaimStarted,
)
from shaketable.node.messages import Address, Member
from shaketable.node.why import Why, because, or_nothing


class Claim:
    def __init__(self, state: State, begins: str) -> None:
        """`begins`: the line that says so."""
        self._state = state
        self._own = Named(state.version, state.members)
        self._asked: dict[Address, Member] = {}
        self._answers: dict[Address, Named] = {}
        """the newer lists that answers brought"""
        self._lines: dict[Address, str] = {}
        """of those answers"""
        self._suspected: dict[Address, bool] = {}
        state.follow(state.me, because(Why.OWN_CLAIM))
        state.tell(ClaimStarted(state.version, state.members), begins)

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
        peer = address_in(line.said["peer"])
        self._answers[peer], self._lines[peer] = Named(tail.version, (*head, *tail.members)), self._state.line

    def leaves_out(self, line: Line) -> None:
        self._suspected[address_in(line.said["peer"])] = True

    def finish(self, version: int, members: tuple[Member, ...]) -> None:
        state = self._state
        newest = max((self._own, *self._answers.values()), key=lambda answer: answer.version)
        for address, peer in self._asked.items():
            if peer in members:
                version_there, listed = self._answers.get(address) or (None, None)
                answer = ClaimAnswered(peer, "accepted", version_there, listed, *or_nothing(None))
                state.tell(answer, self._lines.get(address))
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


class Claims:
    """This member's own claim, if there is one, and those of others that it accepts or declines."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._begins = ""
        """the line that says so"""
        self._own: Claim | None = None

    def begins(self, line: Line) -> None:
        self._begins = self._state.line

    def starts(self) -> bool:
        """The member has set a master: itself, if a claim of its own begins."""
        begins, self._begins = self._begins, ""
        if begins:
            self._own = Claim(self._state, begins)
        return bool(begins)

    def asks(self, line: Line) -> None:
        if self._own is not None:
            self._own.asks(line)

    def asks_another(self, line: Line) -> None:
        if self._own is not None:
            self._own.asks_another(line)

    def learns(self, line: Line) -> None:
        if self._own is not None:
            self._own.learns(line)

    def leaves_out(self, line: Line) -> None:
        if self._own is not None:
            self._own.leaves_out(line)

    def finish(self, version: int, members: tuple[Member, ...]) -> bool:
        """The member has set a list: the final one, if a claim of its own is under way."""
        own, self._own = self._own, None
        if own is not None:
            own.finish(version, members)
            self._state.install(version, members, because(Why.OWN_CLAIM))
        return own is not None

    def is_over(self, line: Line) -> None:
        self.forget()

    def forget(self) -> None:
        self._own, self._begins = None, ""

    def accepts(self, line: Line) -> None:
        state = self._state
        address = address_in(line.said["address"])
        candidate = state.member_at(address)
        if candidate is None or state.master is None:
            state.troubles.append(f"it accepts the claim of {address}, which is not in its list")
            return
        suspected = tuple(each for each in state.suspected.values() if each != candidate)
        state.tell(ClaimConsented(candidate, state.version, state.author, state.members, suspected))
        self.forget()
        state.follow(candidate, because(Why.ACCEPTED_CLAIM))

    def declines(self, line: Line) -> None:
        peer = self._state.member_at(address_in(line.said["address"]))
        if peer is not None:
            self._state.tell(ClaimDeclined(peer, False, *because(Why.TRUSTS_AN_OLDER)))
