"""No heartbeat and no master confirmation leaves for a suspect (the text's "Member Suspicion & Removal", rulings 1.10).

Sends are no events, so no history can tell it: here each member of many random storms is watched at the moment in which
it hands a message over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest
from tests.harness.worlds.sim.test_storm import hail

from shaketable.chaos.storms.storm import storm
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.worlds.sim.env import SimEnv
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.service.views import Membership
from shaketable.node.config import Settings
from shaketable.node.messages import Address, Heartbeat, MasterConfirmation, Message


class Watch:
    """What all members of some runs hand over."""

    def __init__(self, member: type[ClusterMember] = ClusterMember) -> None:
        self.sent = {"Heartbeat": 0, "MasterConfirmation": 0}
        self.withheld = 0
        """how often the sender suspected somebody else then"""
        self.wrong: list[str] = []
        self._member = member

    def make_member(
        self, env: SimEnv, address: Address, addresses: Sequence[Address], settings: Settings
    ) -> ClusterMember:
        """A merge makes another one for the same node: what leaves is looked at once, beside what that one believes."""
        hand_over = SimEnv.send

        def send(to: Address, message: Message) -> None:
            if isinstance(message, Heartbeat | MasterConfirmation):
                self._look(member, to, message)
            hand_over(env, to, message)

        env.send = send  # type: ignore[method-assign]
        member = self._member(env, address, addresses, settings)
        return member

    def _look(self, member: ClusterMember, to: Address, message: Heartbeat | MasterConfirmation) -> None:
        kind, suspects = type(message).__name__, member.membership.suspects()
        self.sent[kind] += 1
        self.withheld += bool(suspects)
        if any(message.target == suspect.uuid or to == suspect.address for suspect in suspects):
            self.wrong.append(f"{member.me.address} sends a {kind} to {to}, whom it suspects")

    def storms(self, what: Script, seeds: range) -> None:
        for seed in seeds:
            run_simulated(what, Options("sim", seed=seed), make_member=self.make_member)


class HeartbeatsToAll(ClusterMember):
    """A bug: suspicion changes nothing about who gets heartbeats."""

    def _round(self) -> None:
        self.membership.peers = tuple(self.membership.others())
        super()._round()


class ConfirmsSuspects(ClusterMember):
    """A bug: a suspected master is confirmed."""

    def __init__(self, env: SimEnv, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.confirmations._membership = Trusting(self.membership)  # type: ignore[assignment]


class Trusting:
    """Knows of no suspicion."""

    suspected: ClassVar[dict[str, str]] = {}

    def __init__(self, membership: Membership) -> None:
        self._membership = membership

    def __getattr__(self, name: str) -> object:
        return getattr(self._membership, name)


@pytest.mark.parametrize("what", [storm, hail], ids=["storm", "hail"])
def test_no_heartbeat_and_no_confirmation_leaves_for_a_suspect(what: Script) -> None:
    watch = Watch()
    watch.storms(what, range(25))
    assert not watch.wrong, watch.wrong[0]
    assert min(watch.sent.values()) > 1000
    assert watch.withheld > 1000


@pytest.mark.parametrize(
    ("bug", "kind"), [(HeartbeatsToAll, "Heartbeat"), (ConfirmsSuspects, "MasterConfirmation")], ids=["all", "master"]
)
def test_a_member_that_sends_to_suspects_is_caught(bug: type[ClusterMember], kind: str) -> None:
    watch = Watch(bug)
    watch.storms(storm, range(5))
    assert watch.wrong
    assert all(kind in sentence for sentence in watch.wrong)
