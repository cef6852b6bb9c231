"""What one member has told of itself so far, and the events that follow: what the parts of its telling share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from shaketable.node.core.env import Micros
from shaketable.node.events import Event, LinkDown, LinkUp, MasterFollowed, Started, Suspected, ViewInstalled
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.why import Because


class Told(NamedTuple):
    time: Micros
    incarnation: Uuid
    event: Event
    line: str
    """of the log, that says so; "": none does"""


UuidAt = Callable[[Address], Uuid]
"""The uuid at an address that a line names without one, as far as others have told it; "" if that is not known."""


class State:
    def __init__(self, address: Address, uuid_at: UuidAt) -> None:
        self.address = address
        self.uuid_at = uuid_at
        self.now: Micros = 0
        """of the fact that is read"""
        self.line = ""
        """of the log, if the fact that is read is one"""
        self.out: list[Told] = []
        self.troubles: list[str] = []
        """why this telling cannot be trusted any more"""
        self.connections: dict[Address, set[int]] = {}
        """those that are up"""
        self.begin("")

    def begin(self, uuid: Uuid) -> None:
        """Another identity: of the former one nothing is left."""
        self.me = Member(self.address, uuid)
        self.joined = False
        self.version = 0
        self.members: tuple[Member, ...] = ()
        self.master: Member | None = None
        self.author: Uuid = ""
        """of the list that it holds: it may follow another master since"""
        self.suspected: dict[Uuid, Member] = {}

    def tell(self, event: Event, line: str | None = None) -> None:
        """`line`: where it is not the one that is read, but an earlier one, or none."""
        self.out.append(Told(self.now, self.me.uuid, event, self.line if line is None else line))

    def start(self, uuid: Uuid) -> None:
        """A connection that is up by now was told of before the uuid was known. In a merge there is none: the former
        identity has closed all of its own, and of that nothing is told."""
        if self.me.uuid:
            self.connections = {}
        self.begin(uuid)
        self.tell(Started(self.me))
        for address, up in self.connections.items():
            if up:
                self.tell(LinkUp(address))

    def connection(self, address: Address, number: int, *, up: bool) -> None:
        """The event is told of the first that is up, and when none is any more."""
        those = self.connections.setdefault(address, set())
        was = bool(those)
        (those.add if up else those.discard)(number)
        if bool(those) != was and self.me.uuid:
            self.tell((LinkUp if those else LinkDown)(address))

    @property
    def leads(self) -> bool:
        return self.joined and self.master == self.me

    def member_at(self, address: Address) -> Member | None:
        return next((member for member in self.members if member.address == address), None)

    def known(self, named: Member) -> Member:
        """As the list has it, which says more of it than most lines do."""
        return next((member for member in self.members if member == named), named)

    def follow(self, master: Member, reason: Because) -> None:
        self.master = master
        self.tell(MasterFollowed(master, *reason))

    def install(self, version: int, members: Iterable[Member], reason: Because) -> None:
        if self.master is None:
            raise ValueError("a list, and nobody is followed")
        self.version, self.author, self.members = version, self.master.uuid, tuple(members)
        listed = {member.uuid for member in self.members}
        self.suspected = {uuid: member for uuid, member in self.suspected.items() if uuid in listed}
        self.tell(ViewInstalled(version, self.master.uuid, self.master, self.members, *reason))

    def suspect(
        self,
        peer: Member,
        reason: Because,
        silence: Micros | None = None,
        *,
        inferred: tuple[str, ...] = (),
        line: str | None = None,
    ) -> None:
        if peer.uuid not in self.suspected:
            self.suspected[peer.uuid] = peer
            self.tell(Suspected(peer, *reason, silence, inferred), line)
