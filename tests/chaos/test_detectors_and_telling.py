"""detectors.py and telling.py in chaos/cluster show what they say, and each turns red without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from tests.lengths import one_in
from tests.where import story

from shaketable.harness.history.history import History
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import load_scripts
from shaketable.node.cluster.identities import MakeMember
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.service.detector import Deadline
from shaketable.node.config import PRESETS, Settings
from shaketable.node.core.env import Env, Micros
from shaketable.node.events import Event, ExplicitSuspicionReceived, MemberRemoved, Suspected, TriggerReceived
from shaketable.node.messages import (
    Address,
    ExplicitSuspicion,
    HeartbeatComplaint,
    Member,
    Message,
    TriggerExplicitSuspicion,
)

SCRIPTS = {s.name: s for s in load_scripts([story("detectors"), story("telling")])}
SEEDS = range(5)

in_both_presets = pytest.mark.parametrize("preset", PRESETS)
on_some_seeds = pytest.mark.parametrize("seed", one_in(5, SEEDS))


def run(name: str, seed: int = 1, preset: str = "default", make_member: MakeMember | None = None) -> Finished:
    return run_simulated(SCRIPTS[name], Options(seed=seed, preset=preset), make_member=make_member)


def told(finished: Finished, who: str, *kinds: type[Event]) -> list[str]:
    names, said = History(finished.records).names, []
    for record in finished.records:
        if record.node != who or not isinstance(record.event, kinds):
            continue
        match record.event:
            case ExplicitSuspicionReceived(peer=peer, obeyed=obeyed):
                said.append(f"{'obeys' if obeyed else 'ignores'} {names.member(peer)}")
            case Suspected(peer=peer, reason=reason):
                said.append(f"suspects {names.member(peer)}: {reason}")
            case MemberRemoved(peer=peer, reason=reason):
                said.append(f"removes {names.member(peer)}: {reason}")
            case TriggerReceived(third_party=peer, obeyed=obeyed):
                said.append(f"{'is' if obeyed else 'is not'} to tell {names.member(peer)}")
    return said


# What they show


@in_both_presets
@on_some_seeds
def test_third_parties_tell_where_the_master_cannot(seed: int, preset: str) -> None:
    finished = run("told-by-third-parties", seed, preset)
    obeyed = told(finished, "n4", ExplicitSuspicionReceived)
    assert {"obeys n2", "obeys n3"} <= set(obeyed)
    assert "obeys n1" not in obeyed
    for third_party in ("n2", "n3"):
        assert "is to tell n4" in told(finished, third_party, TriggerReceived)
    assert told(finished, "n4", Suspected)[-1] == "suspects n1: no heartbeat"


@in_both_presets
@on_some_seeds
def test_the_master_tells_where_it_can(seed: int, preset: str) -> None:
    suspicions = told(run("told-by-the-master", seed, preset), "n4", Suspected)
    assert "suspects n1: explicit suspicion" in suspicions
    assert not [s for s in suspicions if "no heartbeat" in s], "it is told before it misses anybody"


@in_both_presets
@on_some_seeds
def test_nobody_tells_who_is_cut_off(seed: int, preset: str) -> None:
    finished = run("told-by-nobody", seed, preset)
    assert told(finished, "n4", ExplicitSuspicionReceived) == []
    assert {s.partition(": ")[2] for s in told(finished, "n4", Suspected)} == {"no heartbeat"}


@in_both_presets
@on_some_seeds
def test_who_is_told_too_late_ignores_it_and_is_told_anew(seed: int, preset: str) -> None:
    heard = told(run("told-too-late", seed, preset), "n4", ExplicitSuspicionReceived)
    assert {"ignores n1", "ignores n2", "ignores n3"} <= set(heard)
    assert "obeys n1" in heard
    assert heard.index("obeys n1") > heard.index("ignores n1")


@in_both_presets
@on_some_seeds
def test_who_confirms_nothing_is_removed_for_that(seed: int, preset: str) -> None:
    assert told(run("no-confirmations", seed, preset), "n1", MemberRemoved) == ["removes n3: no master confirmation"]


# Without what they are about


class Deaf(ClusterMember):
    """Is never sent one kind of message."""

    kind: type[Message] = Message

    def receive(self, message: Message) -> None:
        if type(message) is not self.kind:
            super().receive(message)


class DisobeysTriggers(Deaf):
    kind = TriggerExplicitSuspicion


class HearsNoComplaints(Deaf):
    kind = HeartbeatComplaint


class IgnoresExplicitSuspicion(Deaf):
    kind = ExplicitSuspicion


class NeedsNoConfirmation(ClusterMember):
    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.confirmations.check = lambda lateness: None  # type: ignore[method-assign]


class OneDetector(ClusterMember):
    """Has another failure detector than its settings say."""

    @staticmethod
    def detector(settings: Settings) -> Deadline:
        return Deadline(settings)


class TrustsForEver(ClusterMember):
    @staticmethod
    def detector(settings: Settings) -> Deadline:
        detector = Deadline(settings)

        def silent(peers: Iterable[Member], now: Micros) -> list[tuple[Member, Micros]]:
            return []

        detector.silent = silent  # type: ignore[method-assign]
        return detector


class BearsTwoIntervals(ClusterMember):
    @staticmethod
    def detector(settings: Settings) -> Deadline:
        return Deadline(settings.with_values({"heartbeat_timeout_seconds": 2 * settings.heartbeat_interval / 1e6}))


@in_both_presets
@pytest.mark.parametrize(
    ("script", "planted"),
    [
        ("told-by-third-parties", DisobeysTriggers),
        ("told-by-third-parties", HearsNoComplaints),
        ("told-by-the-master", HearsNoComplaints),
        ("told-by-the-master", IgnoresExplicitSuspicion),
        ("told-too-late", IgnoresExplicitSuspicion),
        ("told-by-nobody", TrustsForEver),
        ("no-confirmations", NeedsNoConfirmation),
        ("silence-under-phi-accrual", TrustsForEver),
        ("silence-under-phi-accrual", OneDetector),
        ("jitter-under-the-deadline", BearsTwoIntervals),
        ("jitter-under-phi-accrual", BearsTwoIntervals),
    ],
)
def test_it_fails_without_what_it_is_about(script: str, planted: MakeMember, preset: str) -> None:
    outcomes = [run(script, seed, preset, planted).outcome.kind for seed in SEEDS]
    assert "failed" in outcomes, outcomes
    assert "unknown" not in outcomes, outcomes
