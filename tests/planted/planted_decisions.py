"""Planted bugs of partial member disconnection: masters that let the wrong ones go, and members that stay in touch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec
from tests.planted.instead import instead

from shaketable.node.cluster.cliques import Decision, Resolution, decide
from shaketable.node.cluster.disconnection import PartialDisconnection, Search
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import Settings
from shaketable.node.core.env import Env, Micros
from shaketable.node.events import SuspicionsReported
from shaketable.node.messages import Address, Heartbeat, Member, Message
from shaketable.node.why import Because


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

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        hears_all = instead(self.heartbeats._detector, silent_since=lambda uuid: env.now())
        holds_nothing = instead(self.partitions, replicas_of=lambda uuid: 0)
        self.disconnection = self.other(
            self.membership, detector=hears_all, updates=self.updates, partitions=holds_nothing
        )
        self.heartbeats._disconnection = self.disconnection


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

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        remove = self.updates.remove

        def one_by_one(members: Sequence[Member], reason: Because) -> None:
            for member in members:
                remove([member], reason)

        self.disconnection._updates = instead(self.updates, remove=one_by_one)


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
        ms, before = self._membership, self._reports.suspected().get(reporter.uuid)
        if suspected or not before:
            super().reported(reporter, suspected)
            return
        ms.env.report(SuspicionsReported(reporter, ()))
        self._reports.update(reporter.uuid, tuple(before), ms.env.now())


class DecidesOnWithdrawnReports(_WithAnother):
    """Best clique: who suspects nobody any more is heard, and what it said before counts still."""

    other = _TakesNothingBack


class _AtOnce(PartialDisconnection):
    def check(self, lateness: Micros) -> None:
        if self._search is None and self._reports.broken:
            self._reports.broken = dict.fromkeys(self._reports.broken, 0)
            self._begin()


class DecidesAtOnce(_WithAnother):
    """Best clique: with the first round after a report, whoever else may have something to tell."""

    other = _AtOnce


class _AllCount(PartialDisconnection):
    def _begin(self) -> None:
        self._reports.broken = dict.fromkeys(self._reports.broken, 0)
        super()._begin()


class CountsWhatHasJustBroken(_WithAnother):
    """Best clique: when a break has waited for three times the wait, what flaps beside it is decided as well."""

    other = _AllCount


class _HearsOther(ClusterMember):
    """A member to which somebody's reports come otherwise than they were sent."""

    reporter: str

    def receive(self, message: Message) -> None:
        if isinstance(message, Heartbeat) and message.sender.address.endswith(self.reporter):
            message = msgspec.structs.replace(message, suspected=self.instead(message.suspected))
        super().receive(message)

    def instead(self, suspected: tuple[Member, ...]) -> tuple[Member, ...]:
        raise NotImplementedError


class MissesReports(_HearsOther):
    """Best clique: what the fifth member suspects never arrives, so somebody stays who should have gone."""

    reporter = ":5705"

    def instead(self, suspected: tuple[Member, ...]) -> tuple[Member, ...]:
        return ()


class BelievesSlander(_HearsOther):
    """Best clique: the third member is said to suspect the second, and can talk to it as to all others."""

    reporter = ":5703"

    def instead(self, suspected: tuple[Member, ...]) -> tuple[Member, ...]:
        return tuple(m for m in self.membership.view.members if m.address.endswith(":5702"))


class KeepsItsLinks(ClusterMember):
    """Best clique: nobody hangs up on who was removed."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.connections._hang_up_later = lambda address: None  # type: ignore[method-assign]


class NeverDecides(ClusterMember):
    """Fully connected: the master collects the reports, and waits for better times."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.disconnection.check = lambda lateness: None  # type: ignore[method-assign]
