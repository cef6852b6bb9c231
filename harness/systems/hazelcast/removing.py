"""Suspicions, explicit ones too, and what a master removes and why.

A follower's log says whom it suspects and why. A master removes at once: its log says only that. The reason stands in a
line before it, or nowhere, if the connection is lost."""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from shaketable.harness.systems.hazelcast.lines import HEARTBEATS_STAY_OUT, RETURNS, Line, text_of
from shaketable.harness.systems.hazelcast.state import State
from shaketable.harness.systems.hazelcast.words import address_in, between, members_in
from shaketable.node.core.env import Micros
from shaketable.node.events import ExplicitSuspicionReceived, MemberRemoved, ViewPublished
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.why import Because, Why, because

_HEARTBEATS_STAY_OUT: Final = text_of("", HEARTBEATS_STAY_OUT).whole
_RETURNS: Final = text_of("", RETURNS).whole


class Said(NamedTuple):
    """Why a member is about to be removed."""

    why: Because
    silence: Micros | None
    inferred: tuple[str, ...]
    """of its being suspected"""
    line: str


class Removed(NamedTuple):
    peer: Member
    why: Because
    inferred: tuple[str, ...]
    line: str


SUSPECTED: Final = ("peer",)
"""nothing says that it was, where its removal alone is logged"""
WHY: Final = ("why",)


class Removals:
    def __init__(self, state: State) -> None:
        self._state = state
        self._why: dict[Uuid, Said] = {}
        """of removals to come"""
        self._removed: list[Removed] = []
        """since the last list"""
        self.under_way = False
        """a removal has begun, and the list without that member is not set"""
        self._asked_by: dict[Address, deque[str]] = {}
        """the lines of the explicit suspicions that have come from there, and of which nothing has come yet"""
        self._published = 0

    def suspected(self, line: Line) -> None:
        peer, reason = self._peer(line), line.said["reason"]
        silence = _HEARTBEATS_STAY_OUT.fullmatch(reason)
        if silence is not None:
            why, lasted = because(Why.NO_HEARTBEAT), between(silence["since"], silence["now"])
            self._state.suspect(peer, why, lasted)
            self._why.pop(peer.uuid, None)
        elif reason == "explicit suspicion":
            self._obey(peer.address)
            self._state.suspect(peer, because(Why.EXPLICIT))
        elif reason == "No connection":
            self._state.suspect(peer, because(Why.CONNECTION_LOST))
        elif _RETURNS.fullmatch(reason):
            self._state.suspect(peer, because(Why.NEW_IDENTITY))
        else:
            self._state.troubles.append(f"it suspects {peer.address} for a reason that is not known: {reason!r}")

    def heartbeats_stay_out(self, line: Line) -> None:
        silence = between(line.said["since"], line.said["now"])
        self._is_said(members_in(line.said["peer"])[0], because(Why.NO_HEARTBEAT), silence, ())

    def decided(self, line: Line) -> None:
        self._is_said(self._peer(line), because(Why.DISCONNECTED))
        self.under_way = True

    def interrupted(self) -> None:
        self.under_way = False

    def is_replaced(self, line: Line) -> None:
        self._is_said(self._peer(line), because(Why.NEW_IDENTITY))

    def leads_another(self, peer: Member) -> None:
        self._is_said(peer, because(Why.LEADS_ANOTHER))

    def _is_said(
        self, peer: Member, why: Because, silence: Micros | None = None, inferred: tuple[str, ...] = SUSPECTED
    ) -> None:
        self._why[peer.uuid] = Said(why, silence, inferred, self._state.line)

    def removes(self, line: Line) -> None:
        peer = self._peer(line)
        said = self._why.pop(peer.uuid, None)
        unsaid = () if said is not None else WHY
        why, silence, inferred, said_by = said or Said(self._unsaid(peer), None, SUSPECTED + WHY, self._state.line)
        if why.why is not Why.DISCONNECTED:
            self._state.suspect(peer, why, silence, inferred=inferred, line=said_by)
        self._removed.append(Removed(peer, why, unsaid, self._state.line))
        self.under_way = True

    def _unsaid(self, peer: Member) -> Because:
        if self._obey(peer.address):
            return because(Why.EXPLICIT)
        return because(Why.CONNECTION_LOST)

    def install(self, version: int, members: tuple[Member, ...]) -> None:
        """The master's own new list."""
        state = self._state
        gone = [each for each in self._removed if each.peer in state.members and each.peer not in members]
        self._removed, self.under_way = [], False
        for each in gone:
            state.tell(MemberRemoved(each.peer, version, *each.why, each.inferred), each.line)
        new = [peer.address for peer in members if peer not in state.members]
        if gone:
            named = ", ".join(each.peer.address for each in gone)
            reason = because(Why.SEVERAL_REMOVED if len(gone) > 1 else Why.REMOVED, named, gone[0].why)
        elif new:
            reason = because(Why.SEVERAL_JOINED if len(new) > 1 else Why.JOINED, ", ".join(new))
        else:
            reason = because(Why.VERSION_RAISED, "a part")
        state.install(version, members, reason)
        before = len(members) - len(new) - 1
        if new and before:
            # Joiners get it with finalize join. That it goes to the others as well is not logged.
            change = self.is_change(version)
            state.tell(ViewPublished(version, state.me.uuid, members, before, change))

    def is_change(self, version: int) -> bool:
        """Whether a list of this version was not sent before."""
        before, self._published = self._published, version
        return version != before

    # Explicit suspicion

    def is_asked(self, line: Line) -> None:
        self._asked_by.setdefault(address_in(line.said["address"]), deque()).append(self._state.line)

    def ignores(self, line: Line) -> None:
        self._refuse(line, because(Why.AS_I_WAS))

    def needs_not(self, line: Line) -> None:
        self._refuse(line, because(Why.NOBODY_OF_MY_LIST))

    def _refuse(self, line: Line, why: Because) -> None:
        address = address_in(line.said["peer"])
        if self._takes(address):
            self._state.tell(ExplicitSuspicionReceived(self._at(address), False, *why))

    def settle(self) -> None:
        """Nothing more comes of it: who asked for it was suspected already."""
        for address in self._asked_by:
            while self._obey(address):
                pass

    def _obey(self, address: Address) -> bool:
        line = self._takes(address)
        if line:
            self._state.tell(ExplicitSuspicionReceived(self._at(address), True, *because(Why.AS_I_AM)), line)
        return bool(line)

    def _takes(self, address: Address) -> str:
        asked = self._asked_by.get(address)
        return asked.popleft() if asked else ""

    def _at(self, address: Address) -> Member:
        return self._state.member_at(address) or Member(address, self._state.uuid_at(address))

    def _peer(self, line: Line) -> Member:
        return self._state.known(members_in(line.said["peer"])[0])
