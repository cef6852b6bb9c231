"""Planted bugs of split-brain recovery: members that break one rule each, and the scripts in which it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final
from weakref import WeakKeyDictionary

from tests.planted.instead import instead

from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script, script
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import Settings
from shaketable.node.core.env import Env
from shaketable.node.messages import (
    Address,
    MergeClusters,
    MergeClustersAnswer,
    MergeValidation,
    MergeValidationAnswer,
    Message,
)

SOON: Final = {"merge_first_run_delay_seconds": 120, "merge_next_run_delay_seconds": 60}


async def _come_apart_and_heal(cluster: Cluster, one: Sequence[str], other: Sequence[str]) -> None:
    await cluster.form(*one, *other)
    apart = await cluster.split(one, other)
    await cluster.until(cluster.that.agree(*one) & cluster.that.agree(*other), within=cluster.bounds.settle())
    await cluster.heal(apart)
    await cluster.sleep(cluster.bounds.converge() + cluster.settings.heartbeat_timeout)


@script(about=["split heals", "converged", "one direction", "identities renewed"], settings=SOON)
async def two_come_back_to_three(cluster: Cluster) -> None:
    """The two youngest of five are cut off, and come back."""
    await _come_apart_and_heal(cluster, ["n1", "n2", "n3"], ["n4", "n5"])


@script(about=["identities renewed"], settings=SOON)
async def two_come_back_with_the_higher_version(cluster: Cluster) -> None:
    """The two oldest of five are cut off, have removed the others one by one, and go over to them."""
    await _come_apart_and_heal(cluster, ["n1", "n2"], ["n3", "n4", "n5"])


class NeverLooks(ClusterMember):
    """Split heals: no master looks for other parts."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.splitbrain.handler._run = lambda: None  # type: ignore[method-assign]


class StaysBehind(ClusterMember):
    """Converged: n5 answers that it goes over, does not, and never looks for others itself."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        if address.endswith(":5705"):
            self.splitbrain.handler._run = lambda: None  # type: ignore[method-assign]

    def receive(self, message: Message) -> None:
        if isinstance(message, MergeClusters) and self.me.address.endswith(":5705"):
            self.env.send(message.sender.address, MergeClustersAnswer(self.me, message.request, True))
            return
        super().receive(message)


class GoesToWhomeverItFinds(ClusterMember):
    """One direction: who finds another part goes over to it, whichever is the larger."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        merge = self.splitbrain.merge
        merge._obstacles = instead(merge._obstacles, why_not=lambda: None)
        self.splitbrain.handler.searched = self._go  # type: ignore[method-assign]

    def _go(self, answers: list[MergeValidationAnswer]) -> None:
        if answers and self.membership.leads:
            until = self.env.now() + self.membership.settings.max_join_merge_target
            self.splitbrain.merge.begin(answers[0].sender, until)


class GoesByItself(ClusterMember):
    """One direction: a follower that hears of another part goes over to it, and leaves its master alone."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        handle = self.splitbrain.answering.on_merge_validation

        def go(message: Any) -> None:
            handle(message)
            ms = self.membership
            if ms.joined and not ms.leads and message.sender.uuid not in {m.uuid for m in ms.view.members}:
                self.splitbrain.going.go(message.sender)

        self._handlers = {**self._handlers, MergeValidation: go}


class KeepsItsUuid(ClusterMember):
    """Identities renewed: the next identity is the one before it."""

    _numbers: ClassVar[WeakKeyDictionary[Env, Any]] = WeakKeyDictionary()

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        env.rng.setstate(self._numbers.setdefault(env, env.rng.getstate()))
        super().__init__(env, address, addresses, settings)


class RaisesNoVersion(ClusterMember):
    """Identities renewed: the target takes in whoever comes with the version that it has."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.splitbrain.answering._updates = instead(self.updates, raise_version=lambda version, reason: None)


MERGING_CASES: Final[list[tuple[str, Script, type[ClusterMember]]]] = [
    ("split heals", two_come_back_to_three, NeverLooks),
    ("converged", two_come_back_to_three, NeverLooks),
    ("converged", two_come_back_to_three, StaysBehind),
    ("one direction", two_come_back_to_three, GoesToWhomeverItFinds),
    ("one direction", two_come_back_to_three, GoesByItself),
    ("identities renewed", two_come_back_to_three, KeepsItsUuid),
    ("identities renewed", two_come_back_with_the_higher_version, RaisesNoVersion),
]
