"""What a node under trial has said, and where it broke the contract."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import msgspec

from shaketable.harness.errors import shortened
from shaketable.harness.systems.contract.times import Times
from shaketable.harness.systems.contract.told import event_of
from shaketable.node.events import Event, MembersSeen, Started, ViewInstalled
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.process import contract, control

ADDRESS: Final = "rule 1: a node's address is `address`, and no socket"
LISTENS: Final = "rule 2: it listens at `listen`, before it says running"
LINKS: Final = "rule 3: it dials others only where `dial` says"
IDENTITY: Final = "rule 5: a new identity each time"
NUMBERED: Final = "rule 6: `sequence` counts all events of a process, from 1, without a gap"
CLOCK: Final = "rule 6: `time` is the monotonic clock of the machine, in microseconds"
NO_WAIT: Final = "rule 8: it never waits for the line"
THE_LINE: Final = "the line: JSON objects, one a line, and `type` says what each is"
ENDS: Final = "the line: when it ends, the node has to end"
ORDERS: Final = "orders: each is answered; a node that cannot do one says so in a refusal, and goes on"
LEVEL: Final = "levels: what a node of its level tells"


class Broken(Exception):
    """The contract is."""

    def __init__(self, said: str, rule: str, line: bytes = b"") -> None:
        super().__init__(said)
        self.said = shortened(said)
        self.rule = rule
        self.line = shortened(line.decode(errors="replace"))


@dataclass
class Told:
    """By one process."""

    node: str
    address: Address
    known: frozenset[Address]
    """the addresses of all nodes of this trial"""
    times: Times = field(default_factory=Times)
    ready: bool = False
    answers: list[contract.NodeSays] = field(default_factory=list)
    """all but its events"""
    events: list[Event] = field(default_factory=list)
    uuid: Uuid = ""
    members: frozenset[Member] = frozenset()
    """whom it holds for members, by the last that it told"""

    def hear(self, line: bytes) -> None:
        """Broken: the contract is."""
        try:
            form = contract.said_decoder.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise Broken(f"{self.node} says what is none of the contract's: {error}", THE_LINE, line) from None
        if not self.ready:
            self._first(form, line)
        elif isinstance(form, control.Reported):
            self._reported(form, line)
        else:
            self.answers.append(form)

    def _first(self, form: contract.NodeSays, line: bytes) -> None:
        if not isinstance(form, contract.Ready):
            raise Broken(f"the first line of {self.node} is not ready", THE_LINE, line)
        if form.contract != contract.VERSION:
            said = f"{self.node} speaks version {form.contract} of the contract, and not {contract.VERSION}"
            raise Broken(said, THE_LINE, line)
        self.ready = True

    def _reported(self, said: control.Reported, line: bytes) -> None:
        if said.sequence != len(self.events) + 1:
            told = f"event {said.sequence} of {self.node} came where {len(self.events) + 1} was due"
            raise Broken(told, NUMBERED, line)
        if wrong := self.times.wrong(said.time):
            raise Broken(f"{self.node} {wrong}", CLOCK, line)
        if wrong := self.times.too_many(said.time):
            raise Broken(f"{self.node} {wrong}", THE_LINE, line)
        try:
            event, _ = event_of(bytes(said.event))
        except ValueError as error:
            raise Broken(f"{self.node} tells an event that is none of ours: {error}", THE_LINE, line) from None
        self._event(said.incarnation, event, line)
        self.events.append(event)

    def _event(self, uuid: Uuid, event: Event, line: bytes) -> None:
        match event:
            case Started(member):
                self.uuid = uuid
                if member.address != self.address:
                    said = f"{self.node} starts as {member.address}, and its address is {self.address}"
                    raise Broken(said, ADDRESS, line)
                if member.uuid != uuid:
                    raise Broken(f"{self.node} starts as {member.uuid}, and its incarnation is {uuid}", IDENTITY, line)
            case ViewInstalled(members=members) | MembersSeen(members=members):
                self.members = frozenset(members)
                if stranger := next((each for each in members if each.address not in self.known), None):
                    said = f"{self.node} has {stranger.address} among its members, and no node has this address"
                    raise Broken(said, ADDRESS, line)
                if Member(self.address, uuid) not in self.members:
                    raise Broken(f"{self.node} is not among its own members", LEVEL, line)

    def has_told(self, kind: type[Event]) -> bool:
        return any(isinstance(event, kind) for event in self.events)

    def done(self, order: int) -> control.Done | contract.Snapshot | None:
        """Its answer to this order."""
        answers = (each for each in self.answers if isinstance(each, control.Done | contract.Snapshot))
        return next((each for each in answers if each.order == order), None)
