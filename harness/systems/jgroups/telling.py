"""From what the agent in a member tells to our events. Pure: it sees facts in their order, and has no clock.

The master is the first member of the view, which JGroups calls the coordinator. A member that does not lead tells no
suspicion: it hands what it suspects to the one that leads, and has no state of it."""

from __future__ import annotations

from typing import Final, NamedTuple

from shaketable.harness.systems.jgroups import facts
from shaketable.harness.systems.jgroups.facts import AnyFact, Named
from shaketable.node import events
from shaketable.node.core.env import Micros
from shaketable.node.events import Event
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.why import Because, Why, because

TELLS: Final = frozenset(
    {
        events.Started,
        events.Joined,
        events.Leaving,
        events.Stopped,
        events.Failed,
        events.MasterFollowed,
        events.ViewInstalled,
        events.Suspected,
        events.SuspicionEnded,
    }
)
INFERS: Final = frozenset({events.MasterFollowed})  # from the view: nobody says whom a member follows


class Told(NamedTuple):
    time: Micros
    incarnation: Uuid
    event: Event


class Telling:
    """Of one process of one member."""

    def __init__(self, address: Address) -> None:
        self._me = Member(address, "")
        self._master: Member | None = None
        self._suspected: dict[Uuid, Member] = {}

    def hear(self, fact: AnyFact) -> list[Told]:
        return [Told(fact.t, fact.uuid, event) for event in self._events(fact)]

    def _events(self, fact: AnyFact) -> list[Event]:
        match fact:
            case facts.Started(uuid=uuid):
                self._me = Member(self._me.address, uuid)
                return [events.Started(self._me)]
            case facts.View():
                return self._installed(fact)
            case facts.Suspected(peer=peer, why=why):
                return self._suspects(_member(peer), Why.CONNECTION_LOST if why == "connection" else Why.NO_HEARTBEAT)
            case facts.Trusted(peer=(_, uuid)):
                peer_again = self._suspected.pop(uuid, None)
                return [events.SuspicionEnded(peer_again, *because(Why.HEARTBEAT))] if peer_again is not None else []
            case facts.Leaving():
                return [events.Leaving()]
            case facts.Left():
                return [events.Stopped(*because(Why.LEFT))]
            case facts.Failed(reason=reason):
                return [events.Failed(reason)]
        return []

    def _installed(self, view: facts.View) -> list[Event]:
        members = tuple(map(_member, view.members))
        master, first = members[0], self._master is None
        reason = self._why(view, members, first)
        found: list[Event] = []
        if self._master != master:
            self._master = master
            found.append(events.MasterFollowed(master, *(reason if first else because(Why.FIRST_OF_THE_LIST))))
        listed = {member.uuid for member in members}
        self._suspected = {uuid: member for uuid, member in self._suspected.items() if uuid in listed}
        found.append(events.ViewInstalled(view.version, view.author, master, members, *reason))
        if first:
            founded = members == (self._me,)
            joined = because(Why.FOUNDED) if founded else because(Why.ADMITTED, master.address)
            found.append(events.Joined(founded, *joined))
        return found

    def _why(self, view: facts.View, members: tuple[Member, ...], first: bool) -> Because:
        if view.merged:
            return because(Why.MERGE_VIEW)
        if not first:
            return because(Why.MEMBERS_UPDATE)
        return because(Why.FOUNDED if members == (self._me,) else Why.FINALIZE_JOIN)

    def _suspects(self, peer: Member, why: Why) -> list[Event]:
        if peer.uuid in self._suspected:
            return []
        self._suspected[peer.uuid] = peer
        return [events.Suspected(peer, *because(why))]


def _member(named: Named) -> Member:
    return Member(*named)
