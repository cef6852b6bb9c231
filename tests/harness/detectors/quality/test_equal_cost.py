"""All policies at equal cost: each gets the heartbeat period with which a member sends as much as each other's does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import here

from shaketable.harness.detectors.quality.equal import BYTES, MESSAGES, Cost, period_at, sent, with_period
from shaketable.harness.detectors.quality.policies import policies
from shaketable.harness.detectors.variants import Variant, variants
from shaketable.harness.errors import UserError
from shaketable.node.config import SWIMS
from shaketable.node.core.env import SECOND

COMPARE = "compare-detectors"
POLICIES = policies(variants("default", {"gms_max_missed": "4"}))


def at_equal_cost(members: int, cost: Cost, seed: int) -> dict[str, Variant]:
    return {
        policy: with_period(variant, period_at(policy, variant, members, cost, seed))
        for policy, variant in POLICIES.items()
    }


@pytest.mark.parametrize("cost", [Cost(0.5, MESSAGES), Cost(300, BYTES)])
def test_a_member_sends_as_much_under_each_policy(cost: Cost) -> None:
    made = at_equal_cost(8, cost, 1)
    for policy, variant in made.items():
        assert sent(variant, 8, 2)[cost.unit] == pytest.approx(cost.many, rel=0.03), policy
    periods = {policy: variant.settings.gms_heartbeat_period for policy, variant in made.items()}
    assert periods["ring"] < periods["likely"] < periods["all"] / 3


def test_what_a_member_bears_stays_and_a_cluster_gets_the_same() -> None:
    for variant in at_equal_cost(6, Cost(1, MESSAGES), 1).values():
        s = variant.settings
        assert (s.gms_max_missed, s.gms_probe_timeout) == (4, 10 * SECOND)
        if not variant.is_group:
            assert (s.heartbeat_interval, s.heartbeat_timeout) == (s.gms_heartbeat_period, s.detection_window)


@pytest.mark.parametrize(("many", "period"), [(100_000, "e-"), (0.000001, "e+0")])
def test_a_period_that_nobody_would_take_is_refused(many: float, period: str) -> None:
    with pytest.raises(UserError, match=r"between 0\.01 s and 3600 s") as refused:
        period_at("ring", POLICIES["ring"], 5, Cost(many, MESSAGES), 1)
    assert period in str(refused.value)


def test_the_command_measures_them_at_that_cost(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = (COMPARE, "--under", "none", "--members", "5", "--seeds", "1", "--messages", "2")
    ran = here(capsys, *asked, "--json", "--report", tmp_path)
    assert (ran.code, ran.err) == (0, "")
    for each in map(json.loads, ran.out.splitlines()):
        # When a machine is gone, SWIM lets others ping it too.
        more = 0.3 if each["policy"] in SWIMS else 0.15
        assert each["messages_a_member_and_second"] == pytest.approx(2, rel=more)
    told = " ".join((tmp_path / "quality.txt").read_text().split())
    assert "A member sends 2 messages a second, with this heartbeat period: all 2 s, likely " in told
    assert max(map(len, (tmp_path / "quality.txt").read_text().splitlines())) <= 80


MISTAKES = {
    "both": (("--under", "none", "--messages", "1", "--bytes", "9"), ("give --messages or --bytes, and not both",)),
    "no condition": (("--bytes", "9"), ("--bytes 9: policies are compared at equal cost only with --under",)),
    "no message": (("--under", "none", "--messages", "0"), ("--messages 0: give a number above 0",)),
    "no number": (("--under", "none", "--bytes", "inf"), ("--bytes inf: give a number above 0",)),
    "a search": (("--at-most", "1/month", "--bytes", "9"), ("--bytes 9: a search counts messages; give --messages",)),
    "neither": (("--messages", "9"), ("--messages goes with --at-most or --under",)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_its_sentence(mistake: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = MISTAKES[mistake]
    here(capsys, COMPARE, *arguments).refused(*words)
