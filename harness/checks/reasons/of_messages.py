"""Of messages: might their sender send them, by what it had told when they left?

The cause of a step says of which kind the message was that began it, whose it was, and how many events its sender had
told by then. A message whose step told nothing is not seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from shaketable.harness.checks.reasons.known import Wrongs
from shaketable.harness.checks.shared.goes_over import goes_over
from shaketable.harness.history.names import Names
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    ClaimAsked,
    ClaimConsented,
    ClaimDeclined,
    ClaimFinished,
    ClaimStarted,
    ComplaintReceived,
    EntriesSetAside,
    Event,
    ExplicitSuspicionSent,
    JoinAddressesChanged,
    Joined,
    MasterFollowed,
    MergeJudged,
    Merging,
    Suspected,
    SuspicionEnded,
    SuspicionsReported,
    ViewIgnored,
    ViewInstalled,
)
from shaketable.node.events.base import Cause
from shaketable.node.messages import (
    Address,
    FetchTable,
    FinalizeJoin,
    Heartbeat,
    HeartbeatComplaint,
    LeaveAnswer,
    MasterConfirmation,
    MastershipClaim,
    Member,
    MembersUpdate,
    MergeClusters,
    MergeValidation,
    MigrationCommit,
    MigrationRequest,
    PrepareMerge,
    PublishTable,
    TakeAddresses,
    TriggerExplicitSuspicion,
    Uuid,
)
from shaketable.node.why import Why

_OF_A_MASTER: Final = frozenset(
    kind.__name__
    for kind in (
        *(FetchTable, FinalizeJoin, LeaveAnswer, MembersUpdate, MigrationCommit, MigrationRequest, PublishTable),
        *(MergeValidation, TriggerExplicitSuspicion),
    )
)
_TO_ITS_MASTER: Final = frozenset(kind.__name__ for kind in (HeartbeatComplaint, MasterConfirmation))
_TO_NO_SUSPECT: Final = frozenset((Heartbeat.__name__, *_TO_ITS_MASTER))
_SENDS_ITS_OWN: Final = (PrepareMerge.__name__, MergeClusters.__name__)
"""a master, to its followers, when they go over"""
_CLAIM: Final = MastershipClaim.__name__
JUDGED: Final = _OF_A_MASTER | _TO_NO_SUSPECT | {_CLAIM, TakeAddresses.__name__, *_SENDS_ITS_OWN}
_CHANGES: Final[frozenset[type[Event]]] = frozenset(
    (ClaimFinished, ClaimStarted, Joined, MasterFollowed, Suspected, SuspicionEnded, ViewInstalled)
)
"""what makes another state of a sender"""


class State(NamedTuple):
    """Of a sender."""

    master: Member | None
    claiming: bool
    members: tuple[Member, ...]
    suspected: Mapping[Uuid, object]

    @classmethod
    def of(cls, node: NodeSeen) -> State:
        return cls(node.master, node.claiming, node.members, dict(node.suspected))


class Senders:
    """Of each member what it was when it had told so many events."""

    def __init__(self, names: Names, told_to_come: dict[Uuid, dict[Uuid, tuple[Uuid, Micros]]]) -> None:
        self._names = names
        self._told_to_come = told_to_come
        self._numbers: dict[Uuid, list[int]] = {}
        self._states: dict[Uuid, list[State]] = {}
        self._last: dict[Uuid, tuple[int, bool]] = {}
        """the number of its last event, and whether that changed it"""
        self._asked: dict[tuple[Uuid, Address], dict[Uuid, bool]] = {}
        """by candidate: whom it has asked at each address, perhaps two lives of one"""
        self._begun: dict[Uuid, Cause] = {}
        """by member: what began the step that was judged last"""

    def learn(self, record: Record, node: NodeSeen) -> None:
        """`node`: as it was just before this record."""
        me, event = record.incarnation, record.event
        number, changed = self._last.get(me, (0, True))
        if changed:
            self._numbers.setdefault(me, []).append(number)
            self._states.setdefault(me, []).append(State.of(node))
        self._last[me] = record.sequence, type(event) in _CHANGES
        if isinstance(event, ClaimAsked):
            self._asked.setdefault((me, event.peer.address), {})[event.peer.uuid] = True

    def _at(self, sender: Uuid, number: int, seen: Observed) -> State | None:
        """None: that is not known."""
        last, changed = self._last.get(sender, (-1, False))
        if number > last:
            return None
        if number == last and changed:
            node = seen.nodes.get(seen.node_of.get(sender, ""))
            return State.of(node) if node is not None and node.incarnation == sender else None
        place = bisect_right(self._numbers[sender], number) - 1
        return self._states[sender][place] if place >= 0 else None

    def judge(self, cause: Cause, record: Record, node: NodeSeen, seen: Observed) -> Wrongs:
        """The mistakes of its sender, or of this member. `cause`: one of the `JUDGED` messages began the step."""
        state = self._at(cause.sender, cause.after, seen)
        if state is None:
            return
        if self._begun.get(record.incarnation) != cause:
            self._begun[record.incarnation] = cause
            for wrong in self._of_sender(cause, state, record.incarnation):
                yield f"gets a {cause.kind} of {self._names.author(cause.sender)}, who {wrong}"
        yield from self._of_receiver(record, cause, state, node)

    @staticmethod
    def _of_sender(cause: Cause, state: State, me: Uuid) -> Iterator[str]:
        kind, master = cause.kind, state.master
        if kind in _OF_A_MASTER and (state.claiming or master is None or master.uuid != cause.sender):
            yield "did not lead when it left"
        if kind == _CLAIM and not state.claiming:
            yield "claimed nothing when it left"
        if kind in _TO_NO_SUSPECT and me in state.suspected:
            yield "suspected it when it left"

    def _of_receiver(self, record: Record, cause: Cause, state: State, node: NodeSeen) -> Wrongs:
        """A message that it took must have been meant for its own identity."""
        me, event = record.incarnation, record.event
        whose = self._names.author(cause.sender)
        listed = any(member.uuid == me for member in state.members)
        if cause.kind == MembersUpdate.__name__ and not listed:
            if isinstance(event, SuspicionEnded) or (isinstance(event, ViewIgnored) and event.why is Why.NOT_NEWER):
                yield f"takes a list of {whose} that does not have it"
        elif cause.kind == Heartbeat.__name__ and isinstance(event, SuspicionEnded):
            if not listed:
                yield f"takes a heartbeat of {whose}, whose list does not have it"
        elif isinstance(event, SuspicionsReported):
            yield from self._reported(event, state, node)
        elif isinstance(event, JoinAddressesChanged) and not listed:
            yield f"takes a list of addresses of {whose}, whose list does not have it"
        elif cause.kind in _SENDS_ITS_OWN and isinstance(event, EntriesSetAside | Merging):
            if node.master is None or node.master.uuid != cause.sender:
                yield f"obeys {whose}, who goes over to another part, and follows another master"
        elif isinstance(event, MergeJudged):
            yield from self._compared(event, state, node)
            if event.decision == "stay":
                coming = {member.uuid: (event.peer.uuid, record.time) for member in state.members}
                self._told_to_come.setdefault(me, {}).update(coming)
        elif isinstance(event, ExplicitSuspicionSent):
            if event.why is Why.ITS_LIST_HAS_ME and all(m.address != node.address for m in state.members):
                yield f"sends explicit suspicion to {self._names.member(event.peer)} ({event.reason}), and it does not"
        elif cause.kind == _CLAIM and isinstance(event, ClaimConsented | ClaimDeclined):
            means = self._asked.get((cause.sender, node.address), {})
            stranger = isinstance(event, ClaimDeclined) and event.why is Why.NOT_WHOM_YOU_MEAN
            if (stranger and means.keys() == {me}) or (not stranger and me not in means):
                yield f"answers the claim of {whose}, which {'means' if stranger else 'does not mean'} it"
        elif isinstance(event, ComplaintReceived) and event.peer in node.members:
            follows = state.master is not None and state.master.address == node.address
            if follows and event.why in (Why.COMPLAINER_FOLLOWS_NOT, Why.NEITHER_FOLLOWS):
                yield f"decides that {self._names.member(event.peer)} does not follow it ({event.reason}), and it did"

    def _reported(self, event: SuspicionsReported, state: State, node: NodeSeen) -> Iterator[str]:
        """A follower tells its master alone, and of those alone that it suspects."""
        said = f"takes a report of {self._names.member(event.peer)}"
        if state.master is None or state.master.address != node.address:
            yield f"{said}, which followed another master"
        for member in event.suspected:
            if member.uuid not in state.suspected:
                yield f"{said}, which did not suspect {self._names.member(member)}"

    def _compared(self, event: MergeJudged, state: State, node: NodeSeen) -> Iterator[str]:
        """The list that came was that of its sender."""
        here = {member.address: True for member in node.members}
        shared = any(member.address in here for member in state.members)
        right = "no" if shared else "merge" if goes_over(node.members, state.members) else "stay"
        if event.decision != right:
            other = self._names.member(event.peer)
            yield f"says {event.decision} to a merge with {other}, and by the two lists it is {right}"
