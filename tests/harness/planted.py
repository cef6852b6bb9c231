"""Planted bugs: members that break one rule each, to show that the check of that rule catches them.

A check that no planted bug turns red proves nothing when it is green."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from shaketable.harness.sim.node import SimNode
from shaketable.node.cluster.cliques import Decision, Resolution, decide
from shaketable.node.cluster.detector import Deadline
from shaketable.node.cluster.disconnection import PartialDisconnection, Search
from shaketable.node.cluster.mastership import Mastership
from shaketable.node.cluster.views import Membership
from shaketable.node.config import Settings
from shaketable.node.env import Micros
from shaketable.node.events import SuspicionsReported, ViewPublished
from shaketable.node.member import ClusterMember
from shaketable.node.messages import Address, Heartbeat, Member, MemberList, MembersUpdate, Message


class AppliesAnyVersion(ClusterMember):
    """View order: a follower applies a list whether it is newer or not."""

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and message.sender == self.membership.master:
            if message.view != self.membership.view and self.me in message.view.members:
                self.membership.install(message.view, "any list of the master")
            return
        super().receive(message)


class ForgetsOneFollower(ClusterMember):
    """View agreement: the master never sends a list to its third member again, neither changed nor periodic."""

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and self.me.address.endswith(":5703"):
            return
        super().receive(message)


class AppliesListWithoutMe(ClusterMember):
    """View integrity: the master tells the removed one too, and that one installs the list that lacks it."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        remove = self.updates.remove

        def remove_and_tell(members: Sequence[Member], reason: str) -> None:
            remove(members, reason)
            for member in members:
                env.send(member.address, MembersUpdate(self.me, member.uuid, self.membership.view))

        self.suspicion.remove = remove_and_tell

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and self.me not in message.view.members:
            self.membership.install(message.view, "a list without me")
            return
        super().receive(message)


class ReusesVersion(ClusterMember):
    """One list a key: the master changes its list and keeps the version."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.suspicion.remove = self._remove

    def _remove(self, members: Sequence[Member], reason: str) -> None:
        ms = self.membership
        staying = tuple(m for m in ms.view.members if m not in members)
        ms.install(MemberList(ms.view.version, self.me.uuid, staying), reason)
        self.updates.publish(change=True)


class FollowerPublishes(ClusterMember):
    """Single authority: a follower that suspects another one publishes a list without it by itself."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        claim = self.suspicion.newly_suspected

        def publish_first(members: Sequence[Member]) -> None:
            ms = self.membership
            staying = tuple(m for m in ms.view.members if m not in members)
            env.report(ViewPublished(ms.view.version + 1, self.me.uuid, staying, len(staying) - 1, True))
            for member in staying:
                if member != self.me:
                    view = MemberList(ms.view.version + 1, self.me.uuid, staying)
                    env.send(member.address, MembersUpdate(self.me, member.uuid, view))
            claim(members)

        self.suspicion.newly_suspected = publish_first


class IgnoresNewMaster(ClusterMember):
    """Settled: who accepted a claim never takes the list that comes of it."""

    def receive(self, message: Message) -> None:
        if isinstance(message, MembersUpdate) and message.view.author != self.membership.view.author:
            return
        super().receive(message)


class FollowsNextInLine(ClusterMember):
    """Following: who suspects its master follows the next in line at once, and waits for no claim of it."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        claim = self.suspicion.newly_suspected

        def turn_to_the_next(members: Sequence[Member]) -> None:
            ms = self.membership
            trusted = [m for m in ms.view.members if m.uuid not in ms.suspected]
            if ms.master in members and trusted[0] != self.me:
                ms.follow(trusted[0], "accepted mastership claim")
            claim(members)

        self.suspicion.newly_suspected = turn_to_the_next


class RemovesBySelf(ClusterMember):
    """Following: a follower takes whom it suspects off its own list, as members did before version 3.9."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        claim = self.suspicion.newly_suspected

        def remove(members: Sequence[Member]) -> None:
            ms = self.membership
            assert ms.master is not None
            if ms.master not in members:
                staying = tuple(m for m in ms.view.members if m not in members)
                ms.install(MemberList(ms.view.version + 1, ms.master.uuid, staying), "members update")
            claim(members)

        self.suspicion.newly_suspected = remove


class OverwritesWithStaleList(ClusterMember):
    """Claims: a new master makes its list of those that it knew before, whatever it is answered."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.mastership = _OwnList(self.membership, self.requests, lambda: self.updates.publish(change=True))
        self.suspicion.newly_suspected = self.mastership.newly_suspected


class _OwnList(Mastership):
    def _finish_if_all_answered(self) -> None:
        self._working = self._membership.view
        super()._finish_if_all_answered()


class AcceptsAnyClaim(ClusterMember):
    """Claims: whoever claims the mastership gets it, though somebody older lives."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
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

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.connections.suspect = lambda members, reason: None


class SuspectsTooEarly(ClusterMember):
    """Detection: half the timeout is enough."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        half = replace(settings, heartbeat_timeout=settings.heartbeat_timeout // 2)
        self.heartbeats._detector = Deadline(half)


class SuspectsNoSilence(ClusterMember):
    """Detection: whoever keeps its connections may be silent for ever."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.heartbeats._detector = _Patient(settings)


class _Patient(Deadline):
    def silent(self, peers: Iterable[Member], now: Micros) -> list[tuple[Member, Micros]]:
        return []


class DeafToTheSecond(ClusterMember):
    """Detection: heartbeats of the second member come in and are forgotten, so silence is seen where there is none."""

    def receive(self, message: Message) -> None:
        if not (isinstance(message, Heartbeat) and message.sender.address.endswith(":5702")):
            super().receive(message)


class _Skewed:
    """A search whose answer is bent before the master takes it."""

    def __init__(self, resolution: Resolution, bent: Callable[[Decision], Decision]) -> None:
        self._resolution = resolution
        self._bent = bent

    @property
    def work(self) -> int:
        return self._resolution.work

    @property
    def decision(self) -> Decision | None:
        decision = self._resolution.decision
        return decision and self._bent(decision)

    def step(self, work: int) -> bool:
        return self._resolution.step(work)


class _DecidesOtherwise(PartialDisconnection):
    def _go_on(self) -> None:
        search = self._search
        assert search is not None
        if not isinstance(search.resolution, _Skewed):
            skewed = _Skewed(search.resolution, lambda decision: self.bent(search, decision))
            search.resolution = skewed  # type: ignore[assignment]
        super()._go_on()

    def bent(self, search: Search, decision: Decision) -> Decision:
        return decision

    @staticmethod
    def leaving(search: Search, leave: Iterable[str]) -> Decision:
        leave, names = tuple(leave), [m.uuid for m in search.view.members]
        stay = tuple(name for name in names if name not in leave)
        return Decision(stay, tuple(name for name in names if name in leave), 12)


class _WithAnother(ClusterMember):
    """A member whose part for partial member disconnection is another one."""

    other: type[PartialDisconnection]

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.disconnection = self.other(self.membership, self.updates.remove)
        self.heartbeats._reported = self.disconnection.reported


class _OneMore(_DecidesOtherwise):
    def bent(self, search: Search, decision: Decision) -> Decision:
        return self.leaving(search, (*decision.leave, decision.stay[-1]))


class RemovesOneTooMany(_WithAnother):
    """Best clique: the youngest of those who could stay goes with the others."""

    other = _OneMore


class _Elder(_DecidesOtherwise):
    def bent(self, search: Search, decision: Decision) -> Decision:
        first, *others = search.view.members
        younger_first = [m.uuid for m in (first, *reversed(others))]
        answer = decide(younger_first, search.pairs, lite=[m.uuid for m in others if m.lite])
        assert answer is not None
        return self.leaving(search, answer.leave)


class RemovesTheOlder(_WithAnother):
    """Best clique: of two equal answers it takes the one without the older member."""

    other = _Elder


class _NoMatterWhoHoldsData(_DecidesOtherwise):
    def bent(self, search: Search, decision: Decision) -> Decision:
        answer = decide([m.uuid for m in search.view.members], search.pairs)
        assert answer is not None
        return self.leaving(search, answer.leave)


class RemovesTheDataMember(_WithAnother):
    """Best clique: the other side of a tie goes, for nobody asks who holds data."""

    other = _NoMatterWhoHoldsData


class RemovesOneByOne(ClusterMember):
    """Best clique: all who have to go go, each by a list of its own."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        remove = self.disconnection._remove

        def one_by_one(members: Sequence[Member], reason: str) -> None:
            for member in members:
                remove([member], reason)

        self.disconnection._remove = one_by_one


class _WithoutTheLast(PartialDisconnection):
    def _begin(self) -> None:
        *_, last = self._reports.suspected()
        self._reports.update(last, (), self._membership.env.now())
        super()._begin()


class IgnoresAReporter(_WithAnother):
    """Best clique: what the last of them reported is told, and does not count."""

    other = _WithoutTheLast


class _TakesNothingBack(PartialDisconnection):
    def reported(self, reporter: Member, suspected: Sequence[Member]) -> None:
        if suspected:
            super().reported(reporter, suspected)
        elif reporter.uuid in self._reports.suspected():
            self._membership.env.report(SuspicionsReported(reporter, ()))


class DecidesOnWithdrawnReports(_WithAnother):
    """Best clique: who suspects nobody any more is heard, and what it said before counts still."""

    other = _TakesNothingBack


class NeverDecides(ClusterMember):
    """Fully connected: the master collects the reports, and waits for better times."""

    def __init__(self, env: SimNode, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.disconnection.check = lambda lateness: None  # type: ignore[method-assign]
