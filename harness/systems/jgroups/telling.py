"""From what the agent in a member tells to our events. Pure: it sees facts in their order, and has no clock.

The master is whom JGroups calls the coordinator: the first member of the view. A member that neither leads nor is next
in line tells no suspicion: it has none, and hands what it notices to the one that leads."""

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


class Told(NamedTuple):
    time: Micros
    incarnation: Uuid
    event: Event


class Telling:
    """Of one process of one member."""

    def __init__(self, address: Address) -> None:
        self._me = Member(address, "")
        self._members: tuple[Member, ...] = ()
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
        before, members = self._members, tuple(map(_member, view.members))
        self._members, master, first = members, members[0], not before
        reason = self._why(view, members, first)
        found: list[Event] = []
        if before[:1] != members[:1]:
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
        if peer.uuid in self._suspected or peer not in self._members:
            return []  # it is told again and again until a view is without it, and by others even then
        self._suspected[peer.uuid] = peer
        return [events.Suspected(peer, *because(why))]


def _member(named: Named) -> Member:
    return Member(*named)
