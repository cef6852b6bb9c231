"""Questions and candidates, for the tests of the search."""

from __future__ import annotations

from typing import Final

from shaketable.harness.detectors.choosing.candidates import Candidate, Values
from shaketable.harness.detectors.choosing.question import DAY, Question, faults_in, rate_in, time_in
from shaketable.harness.detectors.choosing.vigil import Seen
from shaketable.harness.detectors.promises import promise
from shaketable.harness.detectors.quality.policies import policies
from shaketable.harness.detectors.variants import Variant, variants
from shaketable.harness.detectors.workload import GONE
from shaketable.node.core.env import Micros

ASKED: Final = "loss-2+pauses-3s"


def question(
    at_most: str = "1/month",
    under: str = ASKED,
    members: int = 50,
    *,
    every: Micros = DAY,
    within: str | None = None,
    hours: float = 48,
    messages: float = 10,
) -> Question:
    limit = None if within is None else time_in("--within", within)
    return Question(rate_in(at_most), members, faults_in(under, every), limit, messages, hours, 1)


def settings(period: float = 1, missed: int = 3, probe: float = 1) -> dict[str, str]:
    return {
        "gms_heartbeat_period_seconds": f"{period:g}",
        "gms_max_missed": f"{missed}",
        "gms_probe_timeout_seconds": f"{probe:g}",
        "gms_verify_timeout_seconds": f"{probe / 4:g}",
    }


def swim_settings(
    period: float = 1, suspicion: float = 5, ping: float = 0.2, helpers: int = 5, longest: float = 2
) -> dict[str, str]:
    return {
        "gms_heartbeat_period_seconds": f"{period:g}",
        "swim_suspicion_periods": f"{suspicion:g}",
        "swim_ping_timeout_seconds": f"{ping:g}",
        "swim_helpers": f"{helpers}",
        "lifeguard_longest_suspicion": f"{longest:g}",
    }


def of(policy: str, values: Values) -> Variant:
    return policies(variants("default", values))[policy]


def candidate(policy: str = "ring", period: float = 1, missed: int = 3, probe: float = 1) -> Candidate:
    return candidate_of(policy, settings(period, missed, probe))


def candidate_of(policy: str, values: Values) -> Candidate:
    variant = of(policy, values)
    return Candidate(policy, values, {}, variant, promise(variant, 10, GONE).announced)


def seen(**counts: int) -> Seen:
    return Seen(**{"runs": 1, "portions": 1, "watched": 1, "took": 1, **counts})
