"""What a candidate costs: crashes and sleeps, which are rare in the life that was asked about, add nothing to it."""

from __future__ import annotations

import pytest

from shaketable.harness.detectors.choosing.playing import Crashes, Task, play
from shaketable.harness.detectors.quality.policies import policies
from shaketable.harness.detectors.variants import variants
from shaketable.node.core.env import SECOND

POLICIES = sorted(policies(variants("fast", {})))


def measured(policy: str, under: str, members: int = 5) -> Crashes:
    done = play(Task(policy, "fast", {}, members, under, 3600 * SECOND, 1, crashes=True))
    assert done.crashes is not None
    return done.crashes


@pytest.mark.parametrize("policy", POLICIES)
def test_sleeps_add_nothing_to_a_cost_and_are_in_the_times(policy: str) -> None:
    well, sleepy = measured(policy, "none"), measured(policy, "pauses-0.3s")
    assert (sleepy.messages, sleepy.bytes, sleepy.most) == (well.messages, well.bytes, well.most)
    assert sleepy.told != well.told


def test_all_to_all_costs_a_heartbeat_to_each_other_member_each_period() -> None:
    settings = policies(variants("fast", {}))["all"].settings
    assert measured("all", "none").messages == pytest.approx(4 * SECOND / settings.gms_heartbeat_period, rel=0.02)


@pytest.mark.parametrize("policy", ["swim", "lifeguard"])
def test_losses_go_on_while_the_cost_is_counted(policy: str) -> None:
    """Each ping that is lost makes others, by helpers."""
    assert measured(policy, "loss-30").messages > 1.1 * measured(policy, "none").messages
