"""Planted bugs: members that break one rule each, to show that the check of that rule catches them.

A check that no planted bug turns red proves nothing when it is green."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tests.planted.instead import instead
from tests.reasons import reason_in

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.service.detector import Deadline
from shaketable.node.cluster.service.mastership import Mastership
from shaketable.node.cluster.service.views import Membership
from shaketable.node.config import Settings
from shaketable.node.core.env import Env, Micros
from shaketable.node.events import ViewPublished
from shaketable.node.messages import (
    Address,
    Heartbeat,
    MastershipClaim,
    Member,
    MemberList,
    MembersUpdate,
    Message,
)
from shaketable.node.why import Because


class AppliesAnyVersion(ClusterMember):
    """View order: a follower applies a list whether it is newer or not."""

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and message.sender == self.membership.master:
            if message.view != self.membership.view and self.me in message.view.members:
                self.membership.install(message.view, reason_in("any list of the master"))
            return
        super().receive(message)


class TellsTheListToNobody(ClusterMember):
    """Consequences: after a removal the master's new list goes to nobody; the periodic one brings it."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.suspicion._updates = instead(self.updates, remove=self._remove)

    def _remove(self, members: Sequence[Member], reason: Because) -> None:
        instead(self.updates, publish=lambda *, change: None).remove(members, reason)


class DeclinesForGood(ClusterMember):
    """True reasons: a member that trusts someone older than the candidate declines a claim for good, not for now."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        refusal = self.consent._refusal

        def for_good(message: MastershipClaim) -> tuple[bool, Because] | None:
            found = refusal(message)
            return None if found is None else (True, found[1])

        self.consent._refusal = for_good  # type: ignore[method-assign]


class TellsSuspects(ClusterMember):
    """True reasons: suspicion changes nothing about who gets heartbeats."""

    def _round(self) -> None:
        self.membership.peers = tuple(self.membership.others())
        super()._round()


class LooksAroundOnce(ClusterMember):
    """Joined: the third one asks who is master, and neither asks again nor founds a cluster if nobody answers."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        if address.endswith(":5703"):
            self.join._round = lambda: None  # type: ignore[method-assign]


class ForgetsOneFollower(ClusterMember):
    """View agreement, and nothing waits: the master never sends a list to its third member again, neither changed nor
    periodic."""

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and self.me.address.endswith(":5703"):
            return
        super().receive(message)


class AppliesListWithoutMe(ClusterMember):
    """View integrity: the master tells the removed one too, and that one installs the list that lacks it."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        remove = self.updates.remove

        def remove_and_tell(members: Sequence[Member], reason: Because) -> None:
            remove(members, reason)
            for member in members:
                env.send(member.address, MembersUpdate(self.me, member.uuid, self.membership.view))

        self.suspicion._updates = instead(self.updates, remove=remove_and_tell)

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and self.me not in message.view.members:
            self.membership.install(message.view, reason_in("a list without me"))
            return
        super().receive(message)


class ReusesVersion(ClusterMember):
    """One list a key: the master changes its list and keeps the version."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.suspicion._updates = instead(self.updates, remove=self._remove)

    def _remove(self, members: Sequence[Member], reason: Because) -> None:
        ms = self.membership
        staying = tuple(m for m in ms.view.members if m not in members)
        ms.install(MemberList(ms.view.version, self.me.uuid, staying), reason)
        self.updates.publish(change=True)


class _PublishesFirst(Mastership):
    def newly_suspected(self, members: Sequence[Member]) -> None:
        ms = self._membership
        staying = tuple(m for m in ms.view.members if m not in members)
        ms.env.report(ViewPublished(ms.view.version + 1, ms.me.uuid, staying, len(staying) - 1, True))
        for member in staying:
            if member != ms.me:
                view = MemberList(ms.view.version + 1, ms.me.uuid, staying)
                ms.env.send(member.address, MembersUpdate(ms.me, member.uuid, view))
        super().newly_suspected(members)


class FollowerPublishes(ClusterMember):
    """Single authority: a follower that suspects another one publishes a list without it by itself."""

    claims = _PublishesFirst


class IgnoresNewMaster(ClusterMember):
    """Settled: who accepted a claim never takes the list that comes of it."""

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and message.view.author != self.membership.view.author:
            return
        super().receive(message)


class _TurnsToTheNext(Mastership):
    def newly_suspected(self, members: Sequence[Member]) -> None:
        ms = self._membership
        trusted = [m for m in ms.view.members if m.uuid not in ms.suspected]
        if ms.master in members and trusted[0] != ms.me:
            ms.follow(trusted[0], reason_in("accepted mastership claim"))
        super().newly_suspected(members)


class FollowsNextInLine(ClusterMember):
    """Following: who suspects its master follows the next in line at once, and waits for no claim of it."""

    claims = _TurnsToTheNext


class _RemovesFirst(Mastership):
    def newly_suspected(self, members: Sequence[Member]) -> None:
        ms = self._membership
        assert ms.master is not None
        if ms.master not in members:
            staying = tuple(m for m in ms.view.members if m not in members)
            ms.install(MemberList(ms.view.version + 1, ms.master.uuid, staying), reason_in("members update"))
        super().newly_suspected(members)


class RemovesBySelf(ClusterMember):
    """Following: a follower takes whom it suspects off its own list, as members did before version 3.9."""

    claims = _RemovesFirst


class _OwnList(Mastership):
    def _finish_if_all_answered(self) -> None:
        self._working = self._membership.view
        super()._finish_if_all_answered()


class OverwritesWithStaleList(ClusterMember):
    """Claims: a new master makes its list of those that it knew before, whatever it is answered."""

    claims = _OwnList


class AcceptsAnyClaim(ClusterMember):
    """Claims: whoever claims the mastership gets it, though somebody older lives."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.consent._membership = _Gullible(self.membership)  # type: ignore[assignment]


class _Gullible:
    """Nobody is older than anybody."""

    def __init__(self, membership: Membership) -> None:
        self._membership = membership

    def older_than(self, member: Member) -> list[Member]:
        return []

    def __getattr__(self, name: str) -> object:
        return getattr(self._membership, name)


class BearsLostConnections(ClusterMember):
    """Detection: a lost connection moves nobody; that the other is silent is known in time."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.connections._suspicion = instead(self.suspicion, suspect=lambda members, reason: None)


class SuspectsTooEarly(ClusterMember):
    """Detection: half the timeout is enough."""

    @staticmethod
    def detector(settings: Settings) -> Deadline:
        return Deadline(replace(settings, heartbeat_timeout=settings.heartbeat_timeout // 2))


class _Patient(Deadline):
    def silent(self, peers: Iterable[Member], now: Micros) -> list[tuple[Member, Micros]]:
        return []


class SuspectsNoSilence(ClusterMember):
    """Detection: whoever keeps its connections may be silent for ever."""

    @staticmethod
    def detector(settings: Settings) -> Deadline:
        return _Patient(settings)


class DeafToTheSecond(ClusterMember):
    """Detection: heartbeats of the second member come in and are forgotten, so silence is seen where there is none."""

    def receive(self, message: Message) -> None:
        if not (isinstance(message, Heartbeat) and message.sender.address.endswith(":5702")):
            super().receive(message)
